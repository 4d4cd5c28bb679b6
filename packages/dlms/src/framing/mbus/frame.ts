import { DecodeError, type DecodeFault } from '../../codec/decode-error.ts';

export const MBUS_START = 0x68;
export const MBUS_STOP = 0x16;
/** The single character that acknowledges. */
export const MBUS_ACKNOWLEDGE = 0xe5;
/** Start, length twice, start. */
export const MBUS_HEADER_SIZE = 4;
/** Checksum and stop. */
const TRAILER_SIZE = 2;
/** Control, address and control information. */
const FIXED_SIZE = 3;
const MAX_LENGTH = 0xff;

/** A long frame of the wired M-Bus. @spec EN 13757-2 (FT1.2, long frame) */
export interface MbusFrame {
  /** C field. */
  control: number;
  /** A field: the primary address, 0xFF for a broadcast. */
  address: number;
  /** CI field, which says how the data is to be read. */
  controlInformation: number;
  /** Shares memory with the input. */
  data: Uint8Array;
}

/** A frame fault as a value: noise contains many apparent frames, and errors are expensive. */
export interface MbusFault {
  fault: DecodeFault;
  offset: number;
  path: string;
}

/** Octets of a long frame with this length field. */
export const mbusFrameSize = (length: number): number => MBUS_HEADER_SIZE + length + TRAILER_SIZE;

/** The length field of the long frame whose header begins at `at`; undefined for octets that are no header. */
export function mbusLengthAt(octets: Uint8Array, at: number): number | undefined {
  const length = octets[at + 1] ?? 0;
  const isHeader = octets[at] === MBUS_START && octets[at + 2] === length && octets[at + 3] === MBUS_START;
  return isHeader && length >= FIXED_SIZE ? length : undefined;
}

/** Sum of the octets from `from` to `to`, modulo 256. @spec EN 13757-2 (checksum) */
export function mbusChecksum(octets: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += octets[at] ?? 0;
  return sum & 0xff;
}

/**
 * Encodes a long frame. Throws `RangeError` when the data does not fit.
 *
 * ```
 * 68 | L | L | 68 | C | A | CI | data | checksum | 16
 * ```
 * L counts from C to the end of the data, and so does the checksum.
 * @spec EN 13757-2 (FT1.2, long frame)
 */
export function encodeMbusFrame({ control, address, controlInformation, data }: MbusFrame): Uint8Array {
  const length = FIXED_SIZE + data.length;
  if (length > MAX_LENGTH) throw new RangeError(`${data.length} octets do not fit an M-Bus frame`);
  const octets = new Uint8Array(mbusFrameSize(length));
  octets.set([MBUS_START, length, length, MBUS_START, control, address, controlInformation]);
  octets.set(data, MBUS_HEADER_SIZE + FIXED_SIZE);
  const end = MBUS_HEADER_SIZE + length;
  octets[end] = mbusChecksum(octets, MBUS_HEADER_SIZE, end);
  octets[end + 1] = MBUS_STOP;
  return octets;
}

/** Like `decodeMbusFrame`, but returns the fault instead of throwing. */
export function inspectMbusFrame(octets: Uint8Array): MbusFrame | MbusFault {
  const length = mbusLengthAt(octets, 0);
  if (length === undefined) return { fault: { code: 'BAD_VALUE', reason: 'no M-Bus long frame' }, offset: 0, path: 'mbus' };
  const end = MBUS_HEADER_SIZE + length;
  if (octets.length !== mbusFrameSize(length)) return { fault: { code: 'BAD_LENGTH', length }, offset: 1, path: 'mbus.length' };
  const stop = octets[end + 1] ?? 0;
  if (stop !== MBUS_STOP)
    return { fault: { code: 'UNEXPECTED_OCTET', expected: MBUS_STOP, found: stop }, offset: end + 1, path: 'mbus.stop' };
  if (octets[end] !== mbusChecksum(octets, MBUS_HEADER_SIZE, end))
    return { fault: { code: 'NOT_CHECKED' }, offset: end, path: 'mbus.checksum' };
  const [control = 0, address = 0, controlInformation = 0] = octets.subarray(MBUS_HEADER_SIZE, MBUS_HEADER_SIZE + FIXED_SIZE);
  return { control, address, controlInformation, data: octets.subarray(MBUS_HEADER_SIZE + FIXED_SIZE, end) };
}

/** Decodes one long frame. Throws `DecodeError`; `NOT_CHECKED` means a wrong checksum. @spec EN 13757-2 (FT1.2, long frame) */
export function decodeMbusFrame(octets: Uint8Array): MbusFrame {
  const found = inspectMbusFrame(octets);
  if ('fault' in found) throw new DecodeError(found.fault, found);
  return found;
}
