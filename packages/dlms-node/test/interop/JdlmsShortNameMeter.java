import static org.openmuc.jdlms.AttributeAccessMode.READ_AND_WRITE;
import static org.openmuc.jdlms.AttributeAccessMode.READ_ONLY;
import static org.openmuc.jdlms.MethodAccessMode.ACCESS;

import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.openmuc.jdlms.AuthenticationMechanism;
import org.openmuc.jdlms.CosemAttribute;
import org.openmuc.jdlms.CosemClass;
import org.openmuc.jdlms.CosemMethod;
import org.openmuc.jdlms.CosemSnInterfaceObject;
import org.openmuc.jdlms.DlmsServer;
import org.openmuc.jdlms.LogicalDevice;
import org.openmuc.jdlms.ObisCode;
import org.openmuc.jdlms.SecuritySuite;
import org.openmuc.jdlms.SelectiveAccessDescription;
import org.openmuc.jdlms.datatypes.DataObject;
import org.openmuc.jdlms.settings.client.ReferencingMethod;

/**
 * A meter of jDLMS with short names. Clients: 16 without security, 3 with a password. Its first
 * line of output is its port; it ends with its input.
 */
public class JdlmsShortNameMeter {
    private static final int ROWS = 300;

    /** A register that clients may write. */
    @CosemClass(id = 3, version = 0)
    public static class Register extends CosemSnInterfaceObject {
        @CosemAttribute(id = 2, accessMode = READ_AND_WRITE, type = DataObject.Type.DOUBLE_LONG_UNSIGNED, snOffset = 0x08)
        private DataObject value = DataObject.newUInteger32Data(5009);

        Register() {
            super(0x1000, new ObisCode("1.0.1.8.0.255"));
        }
    }

    @CosemClass(id = 70, version = 0)
    public static class Relay extends CosemSnInterfaceObject {
        @CosemAttribute(id = 2, accessMode = READ_ONLY, snOffset = 0x08)
        private DataObject output = DataObject.newBoolData(true);

        Relay() {
            super(0x9000, new ObisCode("0.0.96.3.10.255"));
        }

        @CosemMethod(id = 1, consumes = DataObject.Type.INTEGER, accessMode = ACCESS, snOffset = 0x20)
        public void remoteDisconnect(DataObject argument) {
            output = DataObject.newBoolData(false);
        }

        @CosemMethod(id = 2, consumes = DataObject.Type.INTEGER, accessMode = ACCESS, snOffset = 0x28)
        public void remoteReconnect(DataObject argument) {
            output = DataObject.newBoolData(true);
        }
    }

    /** Rows of one number each; the selection by entry takes the numbers of the first and the last row. */
    @CosemClass(id = 7, version = 1)
    public static class Profile extends CosemSnInterfaceObject {
        private final List<DataObject> rows = new ArrayList<>();
        @CosemAttribute(id = 2, accessMode = READ_ONLY, type = DataObject.Type.ARRAY, selector = { 2 }, snOffset = 0x08)
        private DataObject buffer;

        Profile() {
            super(0x2000, new ObisCode("1.0.99.1.0.255"));
            for (int i = 0; i < ROWS; i++) rows.add(DataObject.newStructureData(DataObject.newUInteger32Data(1000L + i)));
        }

        public DataObject getBuffer(SelectiveAccessDescription selection) {
            if (selection == null) return DataObject.newArrayData(rows);
            List<DataObject> entries = selection.getAccessParameter().getValue();
            int first = ((Number) entries.get(0).getValue()).intValue();
            int last = ((Number) entries.get(1).getValue()).intValue();
            return DataObject.newArrayData(rows.subList(first - 1, last));
        }
    }

    public static void main(String[] args) throws Exception {
        LogicalDevice device = new LogicalDevice(1, "JDL0000000000001", "JDL", 1);
        device.addRestriction(16, SecuritySuite.builder().build());
        device.addRestriction(3, SecuritySuite.builder().setAuthenticationMechanism(AuthenticationMechanism.LOW)
                .setPassword("12345678".getBytes()).build());
        device.registerCosemObject(new Register(), new Relay(), new Profile());
        // The library has no way to tell the port that the system has chosen.
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        DlmsServer.tcpServerBuilder(port).setReferencingMethod(ReferencingMethod.SHORT).registerLogicalDevice(device)
                .setInactivityTimeout(0).build();
        System.out.println(port);
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
