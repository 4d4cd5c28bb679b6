/**
 * Source or destination of a frame. A client address is one octet, its SAP. A server address has an upper part (logical device, SAP) and,
 * on a shared line, a lower part (physical device).
 */
export interface HdlcAddress {
  upper: number;
  lower?: number | undefined;
  /** Address length in octets: 1 and 2 hold parts of 7 bits, 4 holds parts of 14 bits. */
  size: 1 | 2 | 4;
}

/** All-station (broadcast) address for each address length. */
export const ALL_STATIONS = { 1: 0x7f, 2: 0x7f, 4: 0x3fff } as const;

const PART = 0x7f;
const LONG_PART = 0x3fff;
const LONGEST = 4;

/** The address of a client. */
export const clientAddress = (sap: number): HdlcAddress => ({ upper: sap, size: 1 });

/** The address of a server in the shortest form unless `size` is given: meters accept one form only. */
export function serverAddress(upper: number, lower?: number, size?: 1 | 2 | 4): HdlcAddress {
  const shortest = upper > PART || (lower ?? 0) > PART ? 4 : lower === undefined ? 1 : 2;
  const chosen = size ?? shortest;
  return chosen === 1 ? { upper, size: 1 } : { upper, lower: lower ?? 0, size: chosen };
}

/** Whether two addresses name the same station, regardless of their length. */
export const isSameAddress = (a: HdlcAddress, b: HdlcAddress): boolean => a.upper === b.upper && (a.lower ?? 0) === (b.lower ?? 0);

/**
 * Decodes the address at `at`; `undefined` for octets that are none. Seven bits per octet; the lowest bit marks the last octet.
 * @spec IEC 62056-46 (addresses)
 */
export function addressAt(octets: Uint8Array, at: number): HdlcAddress | undefined {
  let size = 1;
  while (size <= LONGEST && ((octets[at + size - 1] ?? 0) & 1) === 0) size++;
  const part = (index: number): number => (octets[at + index] ?? 0) >>> 1;
  if (size === 1) return { upper: part(0), size };
  if (size === 2) return { upper: part(0), lower: part(1), size };
  return size === 4 ? { upper: (part(0) << 7) | part(1), lower: (part(2) << 7) | part(3), size } : undefined;
}

/** Writes an address at `at`. Throws `RangeError` when it does not fit its size. @spec IEC 62056-46 (addresses) */
export function writeAddress(octets: Uint8Array, at: number, { upper, lower = 0, size }: HdlcAddress): void {
  const highest = size === 4 ? LONG_PART : PART;
  if (!isPart(upper, highest) || !isPart(lower, size === 1 ? 0 : highest))
    throw new RangeError(`No HDLC address of ${size} octets: ${upper}/${lower}`);
  const parts = size === 4 ? (upper << 14) | lower : size === 2 ? (upper << 7) | lower : upper;
  for (let left = size; left > 0; left--) octets[at + size - left] = ((parts >>> (7 * (left - 1))) & PART) << 1;
  octets[at + size - 1] = (octets[at + size - 1] ?? 0) | 1;
}

const isPart = (value: number, highest: number): boolean => Number.isInteger(value) && value >= 0 && value <= highest;
