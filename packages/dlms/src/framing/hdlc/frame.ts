import { DecodeError, type DecodeFault } from '../../codec/decode-error.ts';
import { addressAt, writeAddress, type HdlcAddress } from './address.ts';
import { controlOctet, controlOf, type HdlcControl } from './control.ts';
import { checkSequence, isChecked } from './crc.ts';

export const FLAG = 0x7e;
const FORMAT_TYPE = 0xa000; // type 3 in the four highest bits
const TYPE_MASK = 0xf000;
const SEGMENTATION = 0x0800;
const LENGTH_MASK = 0x07ff;
const CHECK_SIZE = 2;
const FORMAT_END = 3; // flag and format
/** Format, two addresses of one octet, control and check sequence. */
const MIN_LENGTH = 7;
/** Octets between the flags. */
export const MAX_FRAME_LENGTH = LENGTH_MASK;

/** Largest information field of any frame: header and check sequences take 15 octets. */
export const MAX_INFORMATION_SIZE = MAX_FRAME_LENGTH - 15;

export interface HdlcFrame {
  destination: HdlcAddress;
  source: HdlcAddress;
  control: HdlcControl;
  /** More segments of the same message follow. */
  segmented: boolean;
  /** Shares memory with the input. */
  information: Uint8Array;
}

/** A frame fault as a value: noise contains many apparent frames, and errors are expensive. */
export interface FrameFault {
  fault: DecodeFault;
  offset: number;
  path: string;
  /** Whether the header is intact, so that only the information field is damaged. */
  isHeaderWhole: boolean;
}

/** Octets between the flags according to the format field at `at`; `undefined` unless it announces a type 3 frame. */
export function announcedLength(octets: Uint8Array, at: number): number | undefined {
  const format = formatAt(octets, at);
  const length = format & LENGTH_MASK;
  return (format & TYPE_MASK) === FORMAT_TYPE && length >= MIN_LENGTH ? length : undefined;
}

const formatAt = (octets: Uint8Array, at: number): number => ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0);

/**
 * Encodes a frame with flags and check sequences. Throws `RangeError` when an address or the information field does not fit.
 *
 * ```
 * 7E | format 1010 S LLLLLLLLLLL | destination | source | control | HCS | information | FCS | 7E
 * ```
 * Without information there is no HCS. The length excludes the flags.
 * @spec IEC 62056-46 (frame format type 3)
 */
export function encodeHdlcFrame({ destination, source, control, segmented, information }: HdlcFrame): Uint8Array {
  const controlAt = FORMAT_END + destination.size + source.size;
  const checkAt = controlAt + 1;
  const end = checkAt + CHECK_SIZE + (information.length > 0 ? information.length + CHECK_SIZE : 0);
  const length = end - 1;
  if (length > MAX_FRAME_LENGTH) throw new RangeError(`An information field of ${information.length} octets does not fit a frame`);
  const octets = new Uint8Array(end + 1);
  const format = FORMAT_TYPE | (segmented ? SEGMENTATION : 0) | length;
  octets[0] = FLAG;
  octets[1] = format >>> 8;
  octets[2] = format;
  writeAddress(octets, FORMAT_END, destination);
  writeAddress(octets, FORMAT_END + destination.size, source);
  octets[controlAt] = controlOctet(control);
  writeCheck(octets, checkAt);
  if (information.length > 0) {
    octets.set(information, checkAt + CHECK_SIZE);
    writeCheck(octets, end - CHECK_SIZE);
  }
  octets[end] = FLAG;
  return octets;
}

/** Covers everything since the flag: the FCS includes the HCS. */
function writeCheck(octets: Uint8Array, at: number): void {
  const crc = checkSequence(octets, 1, at);
  octets[at] = crc & 0xff;
  octets[at + 1] = crc >>> 8;
}

/**
 * Decodes one frame from flag to flag. Throws `DecodeError`; `NOT_CHECKED` means a wrong check sequence.
 * @spec IEC 62056-46 (frame format type 3)
 */
export function decodeHdlcFrame(octets: Uint8Array): HdlcFrame {
  const found = inspectFrame(octets);
  if ('fault' in found) throw new DecodeError(found.fault, found);
  return found;
}

const frameFault = (fault: DecodeFault, offset: number, field: string, isHeaderWhole = false): FrameFault => ({
  fault,
  offset,
  path: `hdlc.${field}`,
  isHeaderWhole,
});

/** Like `decodeHdlcFrame`, but returns the fault instead of throwing. */
export function inspectFrame(octets: Uint8Array): HdlcFrame | FrameFault {
  const end = octets.length - 1;
  if (octets[0] !== FLAG) return frameFault({ code: 'UNEXPECTED_OCTET', expected: FLAG, found: octets[0] ?? 0 }, 0, 'flag');
  const length = announcedLength(octets, 1);
  if (length === undefined) return frameFault({ code: 'BAD_VALUE', reason: 'not a type 3 frame' }, Math.min(1, octets.length), 'format');
  if (length !== octets.length - 2) return frameFault({ code: 'BAD_LENGTH', length }, 1, 'format');
  if (octets[end] !== FLAG) return frameFault({ code: 'UNEXPECTED_OCTET', expected: FLAG, found: octets[end] ?? 0 }, end, 'flag');
  const destination = addressAt(octets, FORMAT_END);
  if (destination === undefined) return frameFault({ code: 'BAD_VALUE', reason: 'no address' }, FORMAT_END, 'destination');
  const sourceAt = FORMAT_END + destination.size;
  const source = addressAt(octets, sourceAt);
  if (source === undefined) return frameFault({ code: 'BAD_VALUE', reason: 'no address' }, sourceAt, 'source');
  return inspectBody(octets, { destination, source, controlAt: sourceAt + source.size });
}

function inspectBody(
  octets: Uint8Array,
  { destination, source, controlAt }: { destination: HdlcAddress; source: HdlcAddress; controlAt: number },
): HdlcFrame | FrameFault {
  const checkAt = controlAt + 1;
  const from = checkAt + CHECK_SIZE;
  const end = octets.length - 1;
  if (from > end) return frameFault({ code: 'TRUNCATED', needed: from - end, left: 0 }, end, 'headerCheck');
  if (!isChecked(octets, 1, checkAt)) return frameFault({ code: 'NOT_CHECKED' }, checkAt, 'headerCheck');
  const to = from === end ? end : end - CHECK_SIZE;
  if (from !== end && to <= from)
    return frameFault({ code: 'TRUNCATED', needed: CHECK_SIZE + 1, left: end - from }, from, 'information', true);
  if (to !== end && !isChecked(octets, 1, to)) return frameFault({ code: 'NOT_CHECKED' }, to, 'frameCheck', true);
  const control = controlOf(octets[controlAt] ?? 0);
  if (control === undefined) return frameFault({ code: 'UNKNOWN_TAG', tag: octets[controlAt] ?? 0 }, controlAt, 'control', true);
  return { destination, source, control, segmented: (formatAt(octets, 1) & SEGMENTATION) !== 0, information: octets.subarray(from, to) };
}
