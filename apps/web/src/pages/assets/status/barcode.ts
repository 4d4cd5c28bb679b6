/** The part of the Barcode Detection API that is used here; TypeScript does not know it yet. */
interface BarcodeDetector {
  detect: (source: HTMLVideoElement) => Promise<readonly { rawValue: string }[]>;
}
type DetectorClass = new () => BarcodeDetector;

const detectorClass = (): DetectorClass | undefined => (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector; // as: present in some browsers only

/** Whether this browser reads barcodes by a camera. Browsers offer cameras over HTTPS only. */
export const canScan = (): boolean => detectorClass() !== undefined && typeof navigator.mediaDevices?.getUserMedia === 'function';

const SN = /[A-Za-z0-9]{6,20}/;
/** The serial number in the text of a barcode, which may begin with a prefix or be grouped by spaces; undefined: there is none. */
export const snIn = (text: string): string | undefined => SN.exec(text.replaceAll(/[\s-]/g, ''))?.[0].toUpperCase();

const PAUSE_MS = 200;

/** Shows the camera in the video until a barcode with a serial number is read or the signal is aborted. Rejects if there is no camera. */
export async function scanSn(video: HTMLVideoElement, signal: AbortSignal): Promise<string | undefined> {
  const Detector = detectorClass();
  if (Detector === undefined) return undefined;
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    await video.play();
    const detector = new Detector();
    while (!signal.aborted) {
      const found = (await detector.detect(video)).map(({ rawValue }) => snIn(rawValue)).find((sn) => sn !== undefined);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}
