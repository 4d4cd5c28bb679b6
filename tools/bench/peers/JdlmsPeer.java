import java.io.ByteArrayInputStream;
import java.util.List;
import org.openmuc.jdlms.AttributeAddress;
import org.openmuc.jdlms.AuthenticationMechanism;
import org.openmuc.jdlms.DlmsConnection;
import org.openmuc.jdlms.SecuritySuite;
import org.openmuc.jdlms.SecuritySuite.EncryptionMechanism;
import org.openmuc.jdlms.SecuritySuite.SecurityPolicy;
import org.openmuc.jdlms.TcpConnectionBuilder;
import org.openmuc.jdlms.datatypes.DataObject;
import org.openmuc.jdlms.internal.DataConverter;
import org.openmuc.jdlms.internal.asn1.cosem.DataNotification;

/** jDLMS. Arguments: port, push in hex, number of its values. */
public class JdlmsPeer {
    private static DlmsConnection connect(int port, int sap, boolean ciphered) throws Exception {
        TcpConnectionBuilder builder = new TcpConnectionBuilder("127.0.0.1").setPort(port).setClientId(sap).setLogicalDeviceId(1);
        if (ciphered) {
            SecuritySuite suite = SecuritySuite.builder()
                .setAuthenticationMechanism(AuthenticationMechanism.HLS5_GMAC)
                .setSecurityPolicy(SecurityPolicy.AUTHENTICATED_AND_ENCRYPTED)
                .setEncryptionMechanism(EncryptionMechanism.AES_GCM_128)
                .setGlobalUnicastEncryptionKey(PeerLoop.EK)
                .setAuthenticationKey(PeerLoop.AK)
                .build();
            builder.setSecuritySuite(suite).setSystemTitle("JDL", 1).setFrameCounter(1);
        }
        return builder.build();
    }

    private static DataObject read(DlmsConnection connection, AttributeAddress address) throws Exception {
        return connection.get(address).getResultData();
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        DlmsConnection plain = connect(port, 2, false);
        DlmsConnection ciphered = connect(port, 1, true);
        AttributeAddress register = new AttributeAddress(3, "1.0.32.7.0.255", 2);
        AttributeAddress profile = new AttributeAddress(7, "1.0.99.1.0.255", 2);
        byte[] push = PeerLoop.hex(args[1]);
        PeerLoop.run(row -> {
            switch (row) {
                case "get":
                    PeerLoop.expect(((Number) read(plain, register).getValue()).intValue(), 2301);
                    break;
                case "cipheredGet":
                    PeerLoop.expect(((Number) read(ciphered, register).getValue()).intValue(), 2301);
                    break;
                case "profile":
                case "scaledProfile":
                    PeerLoop.expect(((List<?>) read(plain, profile).getValue()).size(), 960);
                    break;
                case "push":
                    // The library has no public interface for notifications: these are the classes that it would use.
                    DataNotification notification = new DataNotification();
                    ByteArrayInputStream octets = new ByteArrayInputStream(push, 1, push.length - 1);
                    notification.decode(octets);
                    PeerLoop.expect(((List<?>) DataConverter.convertDataToDataObject(notification.notificationBody.dataValue).getValue()).size(), Integer.parseInt(args[2]));
                    break;
                default:
                    throw new IllegalArgumentException(row);
            }
        });
    }
}
