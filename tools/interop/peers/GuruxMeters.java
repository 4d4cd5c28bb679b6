import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import gurux.dlms.GXDLMSConnectionEventArgs;
import gurux.dlms.GXDateTime;
import gurux.dlms.ValueEventArgs;
import gurux.dlms.enums.AccessMode;
import gurux.dlms.enums.Authentication;
import gurux.dlms.enums.Conformance;
import gurux.dlms.enums.DataType;
import gurux.dlms.enums.MethodAccessMode;
import gurux.dlms.enums.ObjectType;
import gurux.dlms.enums.Security;
import gurux.dlms.enums.SourceDiagnostic;
import gurux.dlms.enums.Unit;
import gurux.dlms.objects.GXDLMSAssociationLogicalName;
import gurux.dlms.objects.GXDLMSCaptureObject;
import gurux.dlms.objects.GXDLMSClock;
import gurux.dlms.objects.GXDLMSData;
import gurux.dlms.objects.GXDLMSDisconnectControl;
import gurux.dlms.objects.GXDLMSHdlcSetup;
import gurux.dlms.objects.GXDLMSObject;
import gurux.dlms.objects.GXDLMSProfileGeneric;
import gurux.dlms.objects.GXDLMSPushSetup;
import gurux.dlms.objects.GXDLMSRegister;
import gurux.dlms.objects.GXDLMSSecuritySetup;
import gurux.dlms.objects.GXDLMSTcpUdpSetup;
import gurux.dlms.objects.enums.ApplicationContextName;
import gurux.dlms.objects.enums.ControlMode;
import gurux.dlms.objects.enums.ControlState;
import gurux.dlms.objects.enums.SecuritySuite;
import gurux.dlms.secure.GXDLMSSecureServer2;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.util.AbstractMap.SimpleEntry;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Meters of Gurux for Java for the matrix of interoperability. The first line of input is JSON: the meters as
 * tools/interop/peer-meters.ts describes them. Prints one line of JSON with the port of each, then one line for each effect. Further
 * lines of input order pushes, and their end ends the meters.
 */
public class GuruxMeters extends GXDLMSSecureServer2 {
    private static final int PUBLIC_CLIENT = 16;
    private static final int CLIENT = 1;
    private static final int MAX_PDU = 512;
    private static final String CURRENT = "0.0.40.0.0.255";
    private static final EnumSet<Conformance> SERVICES = EnumSet.of(Conformance.GET, Conformance.SET, Conformance.ACTION,
            Conformance.BLOCK_TRANSFER_WITH_GET_OR_READ, Conformance.BLOCK_TRANSFER_WITH_SET_OR_WRITE,
            Conformance.MULTIPLE_REFERENCES, Conformance.SELECTIVE_ACCESS);
    private static final Map<String, Authentication> MECHANISMS = Map.of("none", Authentication.NONE, "low", Authentication.LOW, "high",
            Authentication.HIGH, "hls_md5", Authentication.HIGH_MD5, "hls_sha1", Authentication.HIGH_SHA1, "hls_gmac",
            Authentication.HIGH_GMAC, "hls_sha256", Authentication.HIGH_SHA256, "hls_ecdsa", Authentication.HIGH_ECDSA);

    private final JsonObject given;
    private final Authentication mechanism;
    private final byte[] secret;
    private final GXDLMSRegister energy = new GXDLMSRegister("1.0.1.8.0.255");
    private final GXDLMSClock clock = new GXDLMSClock("0.0.1.0.0.255");
    private final GXDLMSDisconnectControl relay = new GXDLMSDisconnectControl("0.0.96.3.10.255");
    private final GXDLMSPushSetup pushSetup = new GXDLMSPushSetup("0.0.25.9.0.255");
    private GXDLMSProfileGeneric profile;
    private OutputStream client;
    /** The library begins again with 0 in each association, with which a client must take it for a replay. */
    private long nextCounter;

    private GuruxMeters(JsonObject given, GXDLMSAssociationLogicalName current, GXDLMSTcpUdpSetup line) throws Exception {
        super(current, line);
        this.given = given;
        this.mechanism = MECHANISMS.get(text("mechanism"));
        this.secret = text("password").getBytes();
        begin();
    }

    private GuruxMeters(JsonObject given, GXDLMSAssociationLogicalName current, GXDLMSHdlcSetup line) throws Exception {
        super(current, line);
        this.given = given;
        this.mechanism = MECHANISMS.get(text("mechanism"));
        this.secret = text("password").getBytes();
        begin();
    }

    static GuruxMeters of(JsonObject given) throws Exception {
        GXDLMSAssociationLogicalName current = new GXDLMSAssociationLogicalName(CURRENT);
        boolean hdlc = given.get("framing").getAsString().equals("hdlc");
        return hdlc ? new GuruxMeters(given, current, new GXDLMSHdlcSetup()) : new GuruxMeters(given, current, new GXDLMSTcpUdpSetup());
    }

    private String text(String name) {
        return given.get(name).getAsString();
    }

    private void begin() throws Exception {
        SecuritySuite suite = SecuritySuite.values()[given.get("suite").getAsInt()];
        setMaxReceivePDUSize(MAX_PDU);
        getCiphering().setSystemTitle(hex(text("title")));
        getCiphering().setSecuritySuite(suite);
        getCiphering().setBlockCipherKey(hex(text("ek")));
        getCiphering().setAuthenticationKey(hex(text("ak")));
        if (given.has("privateKey")) {
            // The library checks signatures of the client with the public key of this pair.
            KeyPair signing = keyPair(text("headEndKey"), text("privateKey"));
            getCiphering().setSigningKeyPair(signing);
            getCiphering().setKeyAgreementKeyPair(signing);
        }
        addObjects(suite);
        boolean ciphered = mechanism == Authentication.HIGH_GMAC || mechanism == Authentication.HIGH_ECDSA;
        addAssociation("0.0.40.0.1.255", PUBLIC_CLIENT, Authentication.NONE, false);
        addAssociation("0.0.40.0.2.255", CLIENT, mechanism, ciphered);
        initialize();
        // Set later, because the library adds rows of its own to profiles that have a period when it starts.
        profile.setCapturePeriod(given.getAsJsonObject("rows").get("period").getAsLong() / 1000);
    }

    private void addObjects(SecuritySuite suite) {
        GXDLMSData name = new GXDLMSData("0.0.42.0.0.255");
        name.setValue(text("name").getBytes());
        energy.setValue(given.get("energy").getAsLong());
        energy.setDataType(2, DataType.UINT32);
        energy.setUnit(Unit.ACTIVE_ENERGY);
        // The library answers a list with an object that it lacks by fewer results than were asked for.
        GXDLMSRegister power = new GXDLMSRegister("1.0.1.7.0.255");
        power.setValue(0);
        power.setDataType(2, DataType.UINT32);
        power.setUnit(Unit.ACTIVE_POWER);
        clock.setTime(new Date(given.get("clock").getAsLong()));
        relay.setOutputState(true);
        relay.setControlState(ControlState.CONNECTED);
        relay.setControlMode(ControlMode.MODE_4);
        for (GXDLMSObject object : new GXDLMSObject[] { pushSetup, name, energy })
            pushSetup.getPushObjectList().add(new SimpleEntry<>(object, new GXDLMSCaptureObject(2, 0)));
        GXDLMSSecuritySetup security = new GXDLMSSecuritySetup("0.0.43.0.0.255");
        security.setServerSystemTitle(hex(text("title")));
        security.setSecuritySuite(suite);
        security.setGuek(hex(text("ek")));
        security.setGak(hex(text("ak")));
        profile = profile();
        getItems().addAll(Arrays.asList(name, energy, power, clock, relay, pushSetup, profile, security));
    }

    private GXDLMSProfileGeneric profile() {
        JsonObject rows = given.getAsJsonObject("rows");
        long from = rows.get("from").getAsLong();
        long period = rows.get("period").getAsLong();
        int count = rows.get("count").getAsInt();
        long first = rows.get("first").getAsLong();
        GXDLMSProfileGeneric profile = new GXDLMSProfileGeneric("1.0.99.1.0.255");
        profile.addCaptureObject(clock, 2, 0);
        profile.addCaptureObject(energy, 2, 0);
        profile.setSortObject(clock);
        for (int i = 0; i < count; i++) profile.addRow(new Object[] { new GXDateTime(new Date(from + i * period)), first + i });
        profile.setProfileEntries(count);
        return profile;
    }

    private void addAssociation(String instance, int client, Authentication mechanism, boolean ciphered) {
        GXDLMSAssociationLogicalName association = new GXDLMSAssociationLogicalName(instance);
        association.setClientSAP(client);
        association.getAuthenticationMechanismName().setMechanismId(mechanism);
        association.getXDLMSContextInfo().setConformance(SERVICES);
        association.getXDLMSContextInfo().setMaxReceivePduSize(MAX_PDU);
        association.getXDLMSContextInfo().setMaxSendPduSize(MAX_PDU);
        // The library puts the secret before what it signs, where the standard has none.
        association.setSecret(mechanism == Authentication.HIGH_ECDSA ? new byte[0] : secret);
        if (ciphered) {
            association.getApplicationContextName().setContextId(ApplicationContextName.LOGICAL_NAME_WITH_CIPHERING);
            association.setSecuritySetupReference("0.0.43.0.0.255");
        }
        association.getObjectList().addAll(getItems());
        getItems().add(association);
    }

    private static KeyPair keyPair(String publicHex, String privateHex) throws Exception {
        byte[] octets = hex(publicHex);
        int size = octets.length / 2;
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(size == 32 ? "secp256r1" : "secp384r1"));
        ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
        BigInteger x = new BigInteger(1, Arrays.copyOf(octets, size));
        BigInteger y = new BigInteger(1, Arrays.copyOfRange(octets, size, 2 * size));
        KeyFactory factory = KeyFactory.getInstance("EC");
        return new KeyPair(factory.generatePublic(new ECPublicKeySpec(new ECPoint(x, y), curve)),
                factory.generatePrivate(new ECPrivateKeySpec(new BigInteger(1, hex(privateHex)), curve)));
    }

    @Override
    protected boolean isTarget(int server, int client) {
        for (GXDLMSObject object : getItems().getObjects(ObjectType.ASSOCIATION_LOGICAL_NAME)) {
            GXDLMSAssociationLogicalName association = (GXDLMSAssociationLogicalName) object;
            if (association.getClientSAP() != client || association.getLogicalName().equals(CURRENT)) continue;
            if (getAssignedAssociation() != association) setAssignedAssociation(association);
            GXDLMSObject current = getItems().findByLN(ObjectType.ASSOCIATION_LOGICAL_NAME, CURRENT);
            ((GXDLMSAssociationLogicalName) current).setSecret(association.getSecret());
            return true;
        }
        return false;
    }

    @Override
    protected SourceDiagnostic onValidateAuthentication(Authentication mechanism, byte[] password) {
        getCiphering().setInvocationCounter(nextCounter);
        if (mechanism != getAssignedAssociation().getAuthenticationMechanismName().getMechanismId())
            return SourceDiagnostic.NOT_RECOGNISED;
        boolean proved = mechanism != Authentication.LOW || Arrays.equals(password, secret);
        return proved ? SourceDiagnostic.NONE : SourceDiagnostic.AUTHENTICATION_FAILURE;
    }

    @Override
    protected GXDLMSObject onFindObject(ObjectType type, int shortName, String instance) {
        return type == ObjectType.ASSOCIATION_LOGICAL_NAME && instance.equals(CURRENT) ? getAssignedAssociation() : null;
    }

    @Override
    protected AccessMode onGetAttributeAccess(ValueEventArgs args) {
        return AccessMode.READ_WRITE;
    }

    @Override
    protected MethodAccessMode onGetMethodAccess(ValueEventArgs args) {
        return MethodAccessMode.ACCESS;
    }

    @Override
    public void onPreGet(ValueEventArgs[] args) {}

    @Override
    public void onPostGet(ValueEventArgs[] args) {}

    @Override
    public void onPreRead(ValueEventArgs[] args) {}

    @Override
    public void onPostRead(ValueEventArgs[] args) {}

    @Override
    protected void onPreWrite(ValueEventArgs[] args) {}

    @Override
    protected void onPostWrite(ValueEventArgs[] args) {
        for (ValueEventArgs arg : args)
            if (arg.getTarget() == clock && arg.getIndex() == 2) tell("clock", clock.getTime().getMeterCalendar().getTimeInMillis());
    }

    /** What a relay does is left to the meter. */
    @Override
    protected void onPreAction(ValueEventArgs[] args) {
        for (ValueEventArgs arg : args) {
            if (arg.getTarget() != relay) continue;
            boolean on = arg.getIndex() == 2;
            relay.setOutputState(on);
            relay.setControlState(on ? ControlState.CONNECTED : ControlState.DISCONNECTED);
            arg.setHandled(true);
            tell("relay", on);
        }
    }

    @Override
    protected void onPostAction(ValueEventArgs[] args) {}

    @Override
    protected void onConnected(GXDLMSConnectionEventArgs args) {}

    @Override
    protected void onInvalidConnection(GXDLMSConnectionEventArgs args) {}

    @Override
    protected void onDisconnected(GXDLMSConnectionEventArgs args) {}

    private void tell(String effect, Object value) {
        synchronized (System.out) {
            System.out.println("{\"sn\":\"" + text("sn") + "\",\"" + effect + "\":" + value + "}");
            System.out.flush();
        }
    }

    private static byte[] hex(String text) {
        byte[] octets = new byte[text.length() / 2];
        for (int i = 0; i < octets.length; i++) octets[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return octets;
    }

    private synchronized void push(long value) throws Exception {
        energy.setValue(value);
        Security former = getCiphering().getSecurity();
        // The end of an association resets all of this.
        getCiphering().setSecurity(Security.AUTHENTICATION_ENCRYPTION);
        getCiphering().setSecuritySuite(SecuritySuite.values()[given.get("suite").getAsInt()]);
        getCiphering().setInvocationCounter(nextCounter);
        try {
            for (byte[] message : generatePushSetupMessages(null, pushSetup)) client.write(message);
            keepCounter();
        } finally {
            getCiphering().setSecurity(former);
        }
    }

    private synchronized byte[] answer(byte[] octets) throws Exception {
        byte[] reply = handleRequest(octets);
        keepCounter();
        return reply;
    }

    private void keepCounter() {
        nextCounter = Math.max(nextCounter, getCiphering().getInvocationCounter());
    }

    private void attend(Socket socket) {
        try (socket; InputStream in = socket.getInputStream()) {
            synchronized (this) {
                reset();
                client = socket.getOutputStream();
            }
            byte[] octets = new byte[4096];
            for (int count = in.read(octets); count >= 0; count = in.read(octets)) {
                byte[] reply = answer(Arrays.copyOf(octets, count));
                if (reply != null) socket.getOutputStream().write(reply);
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    private int listen() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            try {
                for (;;) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    new Thread(() -> attend(socket)).start();
                }
            } catch (Exception closed) {
                // The run is over.
            }
        });
        accepting.setDaemon(true);
        accepting.start();
        return server.getLocalPort();
    }

    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        JsonArray settings = JsonParser.parseString(input.readLine()).getAsJsonArray();
        Map<String, GuruxMeters> meters = new HashMap<>();
        JsonObject ports = new JsonObject();
        for (JsonElement one : settings) {
            GuruxMeters meter = of(one.getAsJsonObject());
            meters.put(meter.text("sn"), meter);
            ports.addProperty(meter.text("sn"), meter.listen());
        }
        System.out.println("{\"ports\":" + ports + "}");
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonObject order = JsonParser.parseString(line).getAsJsonObject();
            meters.get(order.get("sn").getAsString()).push(order.get("push").getAsLong());
        }
        System.exit(0);
    }
}
