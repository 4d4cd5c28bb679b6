import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;

/** Repeats work for the time that each line of standard input gives, and prints units, wall time and processor time of the process. */
final class PeerLoop {
    static final byte[] EK = hex("000102030405060708090A0B0C0D0E0F");
    static final byte[] AK = hex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF");

    interface Work {
        void once(String row) throws Exception;
    }

    static byte[] hex(String text) {
        byte[] octets = new byte[text.length() / 2];
        for (int i = 0; i < octets.length; i++) octets[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return octets;
    }

    static void expect(int found, int expected) {
        if (found != expected) throw new IllegalStateException(found + " instead of " + expected);
    }

    static void run(Work work) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("{\"ready\":true}");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            long endNs = System.nanoTime() + (long) (Double.parseDouble(words[1]) * 1e9);
            long begunNs = System.nanoTime();
            long cpuNs = system.getProcessCpuTime();
            long units = 0;
            try {
                do {
                    work.once(words[0]);
                    units++;
                } while (System.nanoTime() < endNs);
                double seconds = (System.nanoTime() - begunNs) / 1e9;
                double cpuSeconds = (system.getProcessCpuTime() - cpuNs) / 1e9;
                System.out.println("{\"units\":" + units + ",\"seconds\":" + seconds + ",\"cpuSeconds\":" + cpuSeconds + "}");
            } catch (Exception error) {
                System.out.println("{\"error\":\"" + String.valueOf(error).replace('"', '\'').replace('\n', ' ') + "\"}");
            }
        }
        System.exit(0);
    }

    private PeerLoop() {}
}
