import gurux.dlms.GXByteBuffer;
import gurux.dlms.GXReplyData;
import gurux.dlms.enums.Authentication;
import gurux.dlms.enums.InterfaceType;
import gurux.dlms.enums.Security;
import gurux.dlms.objects.GXDLMSProfileGeneric;
import gurux.dlms.objects.GXDLMSRegister;
import gurux.dlms.secure.GXDLMSSecureClient;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;

/** Gurux for Java. Arguments: port, push in hex. */
public class GuruxPeer {
    private static final byte[] WRAPPER = {0, 1, 0, 1, 0, 2};

    /** An association over a socket with the wrapper. */
    private static final class Meter {
        final GXDLMSSecureClient client;
        final Socket socket;
        final InputStream in;
        final OutputStream out;

        Meter(int port, int sap, boolean ciphered) throws Exception {
            client = new GXDLMSSecureClient(true, sap, 1, ciphered ? Authentication.HIGH_GMAC : Authentication.NONE, null, InterfaceType.WRAPPER);
            client.setMaxReceivePDUSize(1024);
            if (ciphered) {
                client.getCiphering().setSystemTitle(PeerLoop.hex("4752580000000001"));
                client.getCiphering().setBlockCipherKey(PeerLoop.EK);
                client.getCiphering().setAuthenticationKey(PeerLoop.AK);
                client.getCiphering().setSecurity(Security.AUTHENTICATION_ENCRYPTION);
                client.getCiphering().setInvocationCounter(1);
            }
            socket = new Socket("127.0.0.1", port);
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
            out = socket.getOutputStream();
            client.parseAareResponse(exchange(client.aarqRequest()).getData());
            if (ciphered) client.parseApplicationAssociationResponse(exchange(client.getApplicationAssociationRequest()).getData());
        }

        private byte[] frame() throws Exception {
            byte[] header = in.readNBytes(8);
            int length = (header[6] & 0xFF) << 8 | header[7] & 0xFF;
            byte[] frame = Arrays.copyOf(header, 8 + length);
            in.readNBytes(frame, 8, length);
            return frame;
        }

        GXReplyData exchange(byte[][] messages) throws Exception {
            GXReplyData reply = new GXReplyData();
            for (byte[] message : messages) {
                out.write(message);
                client.getData(frame(), reply);
                while (reply.isMoreData()) {
                    out.write(client.receiverReady(reply));
                    client.getData(frame(), reply);
                }
            }
            if (reply.getError() != 0) throw new IllegalStateException(reply.getErrorMessage());
            return reply;
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Meter plain = new Meter(port, 2, false);
        Meter ciphered = new Meter(port, 1, true);
        GXDLMSRegister register = new GXDLMSRegister("1.0.32.7.0.255");
        GXDLMSProfileGeneric profile = new GXDLMSProfileGeneric("1.0.99.1.0.255");
        plain.client.updateValue(profile, 3, plain.exchange(plain.client.read(profile, 3)).getValue());
        byte[] push = PeerLoop.hex(args[1]);
        GXByteBuffer frame = new GXByteBuffer();
        frame.set(WRAPPER);
        frame.setUInt16(push.length);
        frame.set(push);
        byte[] pushed = frame.array();
        GXDLMSSecureClient receiver = new GXDLMSSecureClient(true, 2, 1, Authentication.NONE, null, InterfaceType.WRAPPER);
        PeerLoop.run(row -> {
            switch (row) {
                case "get":
                    PeerLoop.expect(((Number) plain.client.updateValue(register, 2, plain.exchange(plain.client.read(register, 2)).getValue())).intValue(), 2301);
                    break;
                case "cipheredGet":
                    PeerLoop.expect(((Number) ciphered.client.updateValue(register, 2, ciphered.exchange(ciphered.client.read(register, 2)).getValue())).intValue(), 2301);
                    break;
                case "profile":
                case "scaledProfile":
                    // Each read adds its rows to those before.
                    profile.reset();
                    plain.client.updateValue(profile, 2, plain.exchange(plain.client.read(profile, 2)).getValue());
                    PeerLoop.expect(profile.getBuffer().length, 960);
                    break;
                case "push":
                    GXReplyData main = new GXReplyData();
                    GXReplyData notify = new GXReplyData();
                    receiver.getData(pushed, main, notify);
                    PeerLoop.expect(((java.util.List<?>) notify.getValue()).size(), Integer.parseInt(args[2]));
                    break;
                default:
                    throw new IllegalArgumentException(row);
            }
        });
    }
}
