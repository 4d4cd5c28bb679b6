import gurux.dlms.GXDLMSConnectionEventArgs;
import gurux.dlms.GXDateTime;
import gurux.dlms.ValueEventArgs;
import gurux.dlms.enums.AccessMode;
import gurux.dlms.enums.Authentication;
import gurux.dlms.enums.Conformance;
import gurux.dlms.enums.DataType;
import gurux.dlms.enums.MethodAccessMode;
import gurux.dlms.enums.ObjectType;
import gurux.dlms.enums.SourceDiagnostic;
import gurux.dlms.enums.Unit;
import gurux.dlms.objects.GXDLMSAssociationLogicalName;
import gurux.dlms.objects.GXDLMSAssociationShortName;
import gurux.dlms.objects.GXDLMSClock;
import gurux.dlms.objects.GXDLMSData;
import gurux.dlms.objects.GXDLMSDisconnectControl;
import gurux.dlms.objects.GXDLMSHdlcSetup;
import gurux.dlms.objects.GXDLMSImageTransfer;
import gurux.dlms.objects.GXDLMSObject;
import gurux.dlms.objects.GXDLMSProfileGeneric;
import gurux.dlms.objects.GXDLMSRegister;
import gurux.dlms.objects.GXDLMSSecuritySetup;
import gurux.dlms.objects.GXDLMSTcpUdpSetup;
import gurux.dlms.objects.enums.SecuritySuite;
import gurux.dlms.secure.GXDLMSSecureServer2;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;

/** A meter of an independent stack, for our client to talk to. Its first line of output is its ports, of wrapper frames, of HDLC, of suites 1 and 2, of short names; it ends with its input. */
public class GuruxMeter extends GXDLMSSecureServer2 {
    private static final byte[] TITLE = hex("4752580000000001");
    private static final byte[] EK = hex("000102030405060708090A0B0C0D0E0F");
    private static final byte[] AK = hex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF");
    private static final byte[] PASSWORD = "12345678".getBytes();
    private static final int MAX_PDU = 1024;
    private static final int ROWS = 300;
    private static final long FIRST_ROW = 1767225600000L;
    private static final long PERIOD_MS = 900_000;
    private static final EnumSet<Conformance> SERVICES = EnumSet.of(Conformance.GET, Conformance.SET, Conformance.ACTION,
            Conformance.BLOCK_TRANSFER_WITH_GET_OR_READ, Conformance.BLOCK_TRANSFER_WITH_SET_OR_WRITE,
            Conformance.BLOCK_TRANSFER_WITH_ACTION, Conformance.MULTIPLE_REFERENCES, Conformance.SELECTIVE_ACCESS,
            Conformance.GENERAL_PROTECTION, Conformance.ACCESS);

    GuruxMeter() {
        super(current(), new GXDLMSTcpUdpSetup());
        begin(SecuritySuite.SUITE_0);
    }

    /** With keys of its suite; the public key of the client is the one that its signatures are checked with. */
    GuruxMeter(SecuritySuite suite, String clientPublicKey) throws Exception {
        super(current(), new GXDLMSTcpUdpSetup());
        KeyPair signing = new KeyPair(publicKey(clientPublicKey), privateKey(suite == SecuritySuite.SUITE_1 ? 32 : 48));
        getCiphering().setSigningKeyPair(signing);
        // The library checks the signature of an agreement with the public key of this pair.
        getCiphering().setKeyAgreementKeyPair(signing);
        begin(suite);
    }

    GuruxMeter(GXDLMSHdlcSetup line) {
        super(current(), line);
        begin(SecuritySuite.SUITE_0);
    }

    /** With short names: the client chooses the mechanism, and whether services are ciphered. */
    GuruxMeter(GXDLMSAssociationShortName association) {
        super(association, new GXDLMSTcpUdpSetup());
        association.setSecret(PASSWORD);
        setMaxReceivePDUSize(MAX_PDU);
        getCiphering().setSystemTitle(TITLE);
        getCiphering().setSecuritySuite(SecuritySuite.SUITE_0);
        getCiphering().setBlockCipherKey(EK);
        getCiphering().setAuthenticationKey(AK);
        addObjects(SecuritySuite.SUITE_0);
        initialize();
    }

    private void begin(SecuritySuite suite) {
        setMaxReceivePDUSize(MAX_PDU);
        getCiphering().setSystemTitle(TITLE);
        getCiphering().setSecuritySuite(suite);
        getCiphering().setBlockCipherKey(keyOf(suite, EK));
        getCiphering().setAuthenticationKey(keyOf(suite, AK));
        addObjects(suite);
        addAssociation("0.0.40.0.1.255", 16, Authentication.NONE, false);
        addAssociation("0.0.40.0.2.255", 3, Authentication.LOW, false);
        addAssociation("0.0.40.0.3.255", 1, Authentication.HIGH_GMAC, true);
        addAssociation("0.0.40.0.4.255", 5, Authentication.HIGH_MD5, false);
        addAssociation("0.0.40.0.5.255", 6, Authentication.HIGH_SHA1, false);
        addAssociation("0.0.40.0.6.255", 7, Authentication.HIGH_SHA256, false);
        addAssociation("0.0.40.0.7.255", 8, Authentication.HIGH_ECDSA, true);
        addAssociation("0.0.40.0.8.255", 9, Authentication.HIGH, false);
        initialize();
    }

    /** Keys of suite 2 are twice as long. */
    private static byte[] keyOf(SecuritySuite suite, byte[] half) {
        if (suite != SecuritySuite.SUITE_2) return half;
        byte[] whole = Arrays.copyOf(half, 2 * half.length);
        System.arraycopy(half, 0, whole, half.length, half.length);
        return whole;
    }

    private static ECParameterSpec curve(int size) throws Exception {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(size == 32 ? "secp256r1" : "secp384r1"));
        return parameters.getParameterSpec(ECParameterSpec.class);
    }

    /** As the test knows it, too: every octet is 0x11. */
    private static PrivateKey privateKey(int size) throws Exception {
        byte[] number = new byte[size];
        Arrays.fill(number, (byte) 0x11);
        return KeyFactory.getInstance("EC").generatePrivate(new ECPrivateKeySpec(new BigInteger(1, number), curve(size)));
    }

    private static PublicKey publicKey(String hex) throws Exception {
        byte[] octets = hex(hex);
        int size = octets.length / 2;
        BigInteger x = new BigInteger(1, Arrays.copyOf(octets, size));
        BigInteger y = new BigInteger(1, Arrays.copyOfRange(octets, size, 2 * size));
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(new ECPoint(x, y), curve(size)));
    }

    /** What stands at the name of the current association: it checks the proofs of all of them. */
    private static GXDLMSAssociationLogicalName current() {
        GXDLMSAssociationLogicalName association = new GXDLMSAssociationLogicalName("0.0.40.0.0.255");
        association.setSecret(PASSWORD);
        return association;
    }

    private void addObjects(SecuritySuite suite) {
        GXDLMSData name = new GXDLMSData("0.0.42.0.0.255");
        name.setValue("GRX0000000000001".getBytes());
        getItems().add(name);
        GXDLMSData notes = new GXDLMSData("0.0.96.1.1.255");
        notes.setValue("nothing yet".getBytes());
        getItems().add(notes);
        GXDLMSRegister energy = new GXDLMSRegister("1.0.1.8.0.255");
        energy.setValue(5009);
        energy.setDataType(2, DataType.UINT32);
        energy.setUnit(Unit.ACTIVE_ENERGY);
        getItems().add(energy);
        GXDLMSClock clock = new GXDLMSClock("0.0.1.0.0.255");
        clock.setTime(new Date());
        getItems().add(clock);
        getItems().add(new GXDLMSDisconnectControl("0.0.96.3.10.255"));
        GXDLMSImageTransfer image = new GXDLMSImageTransfer("0.0.44.0.0.255");
        image.setImageBlockSize(100);
        image.setImageTransferEnabled(true);
        getItems().add(image);
        getItems().add(profile(clock, energy));
        GXDLMSSecuritySetup security = new GXDLMSSecuritySetup("0.0.43.0.0.255");
        security.setServerSystemTitle(TITLE);
        security.setSecuritySuite(suite);
        security.setGuek(keyOf(suite, EK));
        security.setGak(keyOf(suite, AK));
        getItems().add(security);
    }

    private static GXDLMSProfileGeneric profile(GXDLMSClock clock, GXDLMSRegister energy) {
        GXDLMSProfileGeneric profile = new GXDLMSProfileGeneric("1.0.99.1.0.255");
        // Captured from outside: else the library adds rows of its own while we read.
        profile.setCapturePeriod(0);
        profile.addCaptureObject(clock, 2, 0);
        profile.addCaptureObject(energy, 2, 0);
        profile.setSortObject(clock);
        for (int i = 0; i < ROWS; i++) {
            profile.addRow(new Object[] { new GXDateTime(new Date(FIRST_ROW + i * PERIOD_MS)), 1000L + i });
        }
        profile.setProfileEntries(ROWS);
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
        association.setSecret(mechanism == Authentication.HIGH_ECDSA ? new byte[0] : PASSWORD);
        if (ciphered) {
            association.getApplicationContextName().setContextId(gurux.dlms.objects.enums.ApplicationContextName.LOGICAL_NAME_WITH_CIPHERING);
            association.setSecuritySetupReference("0.0.43.0.0.255");
        }
        association.getObjectList().addAll(getItems());
        getItems().add(association);
    }

    @Override
    protected boolean isTarget(int server, int client) {
        if (!getUseLogicalNameReferencing()) return true;
        for (GXDLMSObject object : getItems().getObjects(ObjectType.ASSOCIATION_LOGICAL_NAME)) {
            GXDLMSAssociationLogicalName association = (GXDLMSAssociationLogicalName) object;
            if (association.getClientSAP() != client || !association.getLogicalName().matches("0\\.0\\.40\\.0\\.[1-9]\\.255")) continue;
            if (getAssignedAssociation() != association) setAssignedAssociation(association);
            GXDLMSObject current = getItems().findByLN(ObjectType.ASSOCIATION_LOGICAL_NAME, "0.0.40.0.0.255");
            ((GXDLMSAssociationLogicalName) current).setSecret(association.getSecret());
            return true;
        }
        return false;
    }

    @Override
    protected SourceDiagnostic onValidateAuthentication(Authentication mechanism, byte[] password) {
        if (getUseLogicalNameReferencing() && mechanism != getAssignedAssociation().getAuthenticationMechanismName().getMechanismId())
            return SourceDiagnostic.NOT_RECOGNISED;
        boolean proved = mechanism != Authentication.LOW || Arrays.equals(password, PASSWORD);
        return proved ? SourceDiagnostic.NONE : SourceDiagnostic.AUTHENTICATION_FAILURE;
    }

    @Override
    protected GXDLMSObject onFindObject(ObjectType type, int shortName, String instance) {
        if (type == ObjectType.ASSOCIATION_LOGICAL_NAME && instance.equals("0.0.40.0.0.255")) return getAssignedAssociation();
        return null;
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

    /** Told to whoever started this: for requests that the library opens, and then fails to answer. */
    @Override
    protected void onPreWrite(ValueEventArgs[] args) {
        for (ValueEventArgs arg : args) System.out.println("write " + arg.getTarget().getLogicalName());
    }

    @Override
    protected void onPostWrite(ValueEventArgs[] args) {}

    /** What a relay does is left to the meter. */
    @Override
    protected void onPreAction(ValueEventArgs[] args) {
        for (ValueEventArgs arg : args) {
            if (!(arg.getTarget() instanceof GXDLMSDisconnectControl)) continue;
            ((GXDLMSDisconnectControl) arg.getTarget()).setOutputState(arg.getIndex() == 2);
            arg.setHandled(true);
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

    private static byte[] hex(String text) {
        byte[] octets = new byte[text.length() / 2];
        for (int i = 0; i < octets.length; i++) octets[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return octets;
    }

    private interface Maker {
        GuruxMeter make() throws Exception;
    }

    /** A meter of its own for each connection: what one client leaves behind is nothing to the next. */
    private static void attend(Socket socket, Maker maker) {
        try (socket; InputStream in = socket.getInputStream()) {
            GuruxMeter meter = maker.make();
            byte[] octets = new byte[4096];
            for (int count = in.read(octets); count >= 0; count = in.read(octets)) {
                byte[] reply = meter.handleRequest(Arrays.copyOf(octets, count));
                if (reply != null) socket.getOutputStream().write(reply);
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    private static int listen(Maker maker) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            try {
                for (;;) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    new Thread(() -> attend(socket, maker)).start();
                }
            } catch (Exception closed) {
                // The test is over.
            }
        });
        accepting.setDaemon(true);
        accepting.start();
        return server.getLocalPort();
    }

    /** Arguments: the public keys of the client for suite 1 and suite 2. */
    public static void main(String[] args) throws Exception {
        int wrapper = listen(GuruxMeter::new);
        int hdlc = listen(() -> new GuruxMeter(new GXDLMSHdlcSetup()));
        int suite1 = listen(() -> new GuruxMeter(SecuritySuite.SUITE_1, args[0]));
        int suite2 = listen(() -> new GuruxMeter(SecuritySuite.SUITE_2, args[1]));
        int shortNames = listen(() -> new GuruxMeter(new GXDLMSAssociationShortName()));
        System.out.println(wrapper + " " + hdlc + " " + suite1 + " " + suite2 + " " + shortNames);
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
