import static org.openmuc.jdlms.AttributeAccessMode.READ_AND_WRITE;
import static org.openmuc.jdlms.AttributeAccessMode.READ_ONLY;
import static org.openmuc.jdlms.MethodAccessMode.ACCESS;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.openmuc.jdlms.AuthenticationMechanism;
import org.openmuc.jdlms.CosemAttribute;
import org.openmuc.jdlms.CosemClass;
import org.openmuc.jdlms.CosemInterfaceObject;
import org.openmuc.jdlms.CosemMethod;
import org.openmuc.jdlms.DlmsServer;
import org.openmuc.jdlms.LogicalDevice;
import org.openmuc.jdlms.ObisCode;
import org.openmuc.jdlms.SecuritySuite;
import org.openmuc.jdlms.SecuritySuite.EncryptionMechanism;
import org.openmuc.jdlms.SecuritySuite.SecurityPolicy;
import org.openmuc.jdlms.SelectiveAccessDescription;
import org.openmuc.jdlms.datatypes.DataObject;

/**
 * Meters of jDLMS for the matrix of interoperability. The first line of input is JSON: the meters as tools/interop/peer-meters.ts
 * describes them. Prints one line of JSON with the port of each, then one line for each effect; ends with its input.
 */
public class JdlmsMeters {
    private static final int PUBLIC_CLIENT = 16;
    private static final int CLIENT = 1;
    private static final String CLOCK = "0.0.1.0.0.255";
    private static final String ENERGY = "1.0.1.8.0.255";

    /** A value that nobody writes. */
    @CosemClass(id = 1, version = 0)
    public static class Value extends CosemInterfaceObject {
        @CosemAttribute(id = 2, accessMode = READ_ONLY)
        private final DataObject value;

        Value(String obis, DataObject value) {
            super(new ObisCode(obis));
            this.value = value;
        }
    }

    @CosemClass(id = 3, version = 0)
    public static class Register extends CosemInterfaceObject {
        @CosemAttribute(id = 2, accessMode = READ_ONLY)
        private final DataObject value;
        @CosemAttribute(id = 3, accessMode = READ_ONLY)
        private final DataObject scalerUnit;

        Register(String obis, long value) {
            super(new ObisCode(obis));
            this.value = DataObject.newUInteger32Data(value);
            this.scalerUnit = DataObject.newStructureData(DataObject.newInteger8Data((byte) 0), DataObject.newEnumerateData(30));
        }
    }

    @CosemClass(id = 8, version = 0)
    public static class Clock extends CosemInterfaceObject {
        private final String sn;
        @CosemAttribute(id = 2, accessMode = READ_AND_WRITE, type = DataObject.Type.OCTET_STRING)
        private DataObject time;

        Clock(String sn, long at) {
            super(new ObisCode(CLOCK));
            this.sn = sn;
            this.time = moment(at);
        }

        public DataObject getTime() {
            return time;
        }

        public void setTime(DataObject time) {
            this.time = time;
            tell(sn, "clock", epochOf(time.getValue()));
        }
    }

    @CosemClass(id = 70, version = 0)
    public static class Relay extends CosemInterfaceObject {
        private final String sn;
        @CosemAttribute(id = 2, accessMode = READ_ONLY)
        private DataObject output = DataObject.newBoolData(true);
        @CosemAttribute(id = 3, accessMode = READ_ONLY)
        private DataObject state = DataObject.newEnumerateData(1);
        @CosemAttribute(id = 4, accessMode = READ_ONLY)
        private final DataObject mode = DataObject.newEnumerateData(4);

        Relay(String sn) {
            super(new ObisCode("0.0.96.3.10.255"));
            this.sn = sn;
        }

        @CosemMethod(id = 1, consumes = DataObject.Type.INTEGER, accessMode = ACCESS)
        public void remoteDisconnect(DataObject argument) {
            switchTo(false);
        }

        @CosemMethod(id = 2, consumes = DataObject.Type.INTEGER, accessMode = ACCESS)
        public void remoteReconnect(DataObject argument) {
            switchTo(true);
        }

        private void switchTo(boolean on) {
            output = DataObject.newBoolData(on);
            state = DataObject.newEnumerateData(on ? 1 : 0);
            tell(sn, "relay", on);
        }
    }

    /** The library leaves the selection by range to the meter. */
    @CosemClass(id = 7, version = 1)
    public static class Profile extends CosemInterfaceObject {
        private final long from;
        private final long period;
        private final List<DataObject> rows = new ArrayList<>();
        @CosemAttribute(id = 2, accessMode = READ_ONLY, type = DataObject.Type.ARRAY, selector = { 1 })
        private DataObject buffer;
        @CosemAttribute(id = 3, accessMode = READ_ONLY)
        private final DataObject captureObjects = DataObject.newArrayData(List.of(capture(8, CLOCK), capture(3, ENERGY)));
        @CosemAttribute(id = 4, accessMode = READ_ONLY)
        private final DataObject capturePeriod;
        @CosemAttribute(id = 7, accessMode = READ_ONLY)
        private final DataObject entriesInUse;
        @CosemAttribute(id = 8, accessMode = READ_ONLY)
        private final DataObject entries;

        Profile(JsonObject given) {
            super(new ObisCode("1.0.99.1.0.255"));
            from = given.get("from").getAsLong();
            period = given.get("period").getAsLong();
            int count = given.get("count").getAsInt();
            long first = given.get("first").getAsLong();
            for (int i = 0; i < count; i++)
                rows.add(DataObject.newStructureData(moment(from + i * period), DataObject.newUInteger32Data(first + i)));
            capturePeriod = DataObject.newUInteger32Data(period / 1000);
            entriesInUse = DataObject.newUInteger32Data(count);
            entries = DataObject.newUInteger32Data(count);
        }

        public DataObject getBuffer(SelectiveAccessDescription selection) {
            if (selection == null) return DataObject.newArrayData(rows);
            List<DataObject> limits = selection.getAccessParameter().getValue();
            long first = epochOf(limits.get(1).getValue());
            long last = epochOf(limits.get(2).getValue());
            List<DataObject> chosen = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                long at = from + i * period;
                if (at >= first && at <= last) chosen.add(rows.get(i));
            }
            return DataObject.newArrayData(chosen);
        }
    }

    private static DataObject capture(int classId, String obis) {
        return DataObject.newStructureData(DataObject.newUInteger16Data(classId), DataObject.newOctetStringData(new ObisCode(obis).bytes()),
                DataObject.newInteger8Data((byte) 2), DataObject.newUInteger16Data(0));
    }

    /** A date-time in UTC. */
    private static DataObject moment(long at) {
        OffsetDateTime time = Instant.ofEpochMilli(at).atOffset(ZoneOffset.UTC);
        ByteBuffer octets = ByteBuffer.allocate(12).putShort((short) time.getYear());
        octets.put((byte) time.getMonthValue()).put((byte) time.getDayOfMonth()).put((byte) time.getDayOfWeek().getValue());
        octets.put((byte) time.getHour()).put((byte) time.getMinute()).put((byte) time.getSecond()).put((byte) 0);
        return DataObject.newOctetStringData(octets.putShort((short) 0).put((byte) 0).array());
    }

    private static long epochOf(byte[] octets) {
        ByteBuffer buffer = ByteBuffer.wrap(octets);
        int minutes = buffer.getShort(9);
        OffsetDateTime time = OffsetDateTime.of(buffer.getShort(0), octets[2], octets[3], octets[5], octets[6], octets[7], 0, ZoneOffset.UTC);
        return time.plusMinutes(minutes == Short.MIN_VALUE ? 0 : minutes).toInstant().toEpochMilli();
    }

    private static void tell(String sn, String effect, Object value) {
        synchronized (System.out) {
            System.out.println("{\"sn\":\"" + sn + "\",\"" + effect + "\":" + value + "}");
            System.out.flush();
        }
    }

    private static byte[] hex(String text) {
        byte[] octets = new byte[text.length() / 2];
        for (int i = 0; i < octets.length; i++) octets[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return octets;
    }

    private static SecuritySuite securityOf(JsonObject given) {
        byte[] password = given.get("password").getAsString().getBytes();
        switch (given.get("mechanism").getAsString()) {
            case "none":
                return SecuritySuite.builder().build();
            case "low":
                return SecuritySuite.builder().setAuthenticationMechanism(AuthenticationMechanism.LOW).setPassword(password).build();
            default:
                return SecuritySuite.builder().setAuthenticationMechanism(AuthenticationMechanism.HLS5_GMAC)
                        .setEncryptionMechanism(EncryptionMechanism.AES_GCM_128).setSecurityPolicy(SecurityPolicy.AUTHENTICATED_AND_ENCRYPTED)
                        .setGlobalUnicastEncryptionKey(hex(given.get("ek").getAsString()))
                        .setAuthenticationKey(hex(given.get("ak").getAsString())).build();
        }
    }

    private static int serve(JsonObject given) throws Exception {
        String sn = given.get("sn").getAsString();
        String name = given.get("name").getAsString();
        long number = Long.parseLong(given.get("title").getAsString().substring(6), 16);
        LogicalDevice device = new LogicalDevice(1, name, name.substring(0, 3), number);
        // The library requires one where a client is ciphered; nothing uses it.
        device.setMasterKey(hex(given.get("ak").getAsString()));
        device.addRestriction(PUBLIC_CLIENT, SecuritySuite.builder().build());
        device.addRestriction(CLIENT, securityOf(given));
        device.registerCosemObject(new Register(ENERGY, given.get("energy").getAsLong()), new Clock(sn, given.get("clock").getAsLong()),
                new Relay(sn), new Profile(given.getAsJsonObject("rows")));
        // The library has no way to tell the port that the system has chosen.
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        DlmsServer.tcpServerBuilder(port).registerLogicalDevice(device).setInactivityTimeout(0).build();
        return port;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        JsonArray meters = JsonParser.parseString(input.readLine()).getAsJsonArray();
        JsonObject ports = new JsonObject();
        for (JsonElement meter : meters) {
            JsonObject given = meter.getAsJsonObject();
            ports.addProperty(given.get("sn").getAsString(), serve(given));
        }
        System.out.println("{\"ports\":" + new Gson().toJson(ports) + "}");
        while (input.readLine() != null) {}
        System.exit(0);
    }
}
