import { compressV44 } from '../compression/v44-compress.ts';
import { decompressV44 } from '../compression/v44-decompress.ts';

const AUTHENTICATED = 0x10;
/** Bit of the security control octet. @spec GB 9.2 (security control byte) */
export const COMPRESSED = 0x80;
/** The largest PDU that can be announced. */
const MOST_DECOMPRESSED = 0xffff;

/** The content to protect, and the bits that it adds to the security control octet. */
export interface Compression {
  content: Uint8Array;
  flag: number;
}

/** An APDU as it is. */
export const uncompressed = (plain: Uint8Array): Compression => ({ content: plain, flag: 0 });

/** Compresses an APDU if that makes it shorter. Throws `RangeError` where compression is not allowed. */
export function compress(plain: Uint8Array, suite: number, securityControl: number): Compression {
  const why = reasonAgainstCompression(suite, securityControl);
  if (why !== undefined) throw new RangeError(`No ${why}`);
  const shorter = compressV44(plain);
  return shorter.length < plain.length ? { content: shorter, flag: COMPRESSED } : uncompressed(plain);
}

/** Why an APDU may not be compressed; undefined: it may. Unauthenticated octets are not decompressed. @spec GB 9.2 (security suites) */
export function reasonAgainstCompression(suite: number, securityControl: number): string | undefined {
  if (suite === 0) return 'compression in suite 0';
  return (securityControl & AUTHENTICATED) === 0 ? 'compression without authentication' : undefined;
}

/** Decompresses the authenticated content of an APDU. Throws `DecodeError`. */
export const decompress = (content: Uint8Array): Uint8Array => decompressV44(content, MOST_DECOMPRESSED);
