import { DecodeError } from '../codec/decode-error.ts';
import { newOctets } from '../codec/new-octets.ts';

/** TCP and UDP port of DLMS/COSEM. */
export const WRAPPER_PORT = 4059;

const VERSION = 1;
/** Octets before the APDU. */
export const WRAPPER_HEADER_SIZE = 8;
const MAX_APDU_SIZE = 0xffff;

/** Client and server SAP as source and destination; a response swaps them. */
export interface WrapperAddress {
  source: number;
  destination: number;
}

export interface WrapperFrame extends WrapperAddress {
  apdu: Uint8Array;
  /** The whole frame, header included. */
  octets: Uint8Array;
}

/**
 * Encodes an APDU with its header. Throws `RangeError` when it is empty or longer than 65 535 octets.
 *
 * ```asn1
 * WPDU ::= SEQUENCE { version Unsigned16 (1), source Unsigned16, destination Unsigned16, length Unsigned16, apdu }
 * ```
 * @spec IEC 62056-47
 */
export function encodeWrapper(address: WrapperAddress, apdu: Uint8Array): Uint8Array {
  if (apdu.length === 0 || apdu.length > MAX_APDU_SIZE)
    throw new RangeError(`An APDU of ${apdu.length} octets does not fit a wrapper frame`);
  // Written without a ByteWriter, because every request and response passes here.
  const out = newOctets(WRAPPER_HEADER_SIZE + apdu.length);
  setUint16(out, 0, VERSION);
  setUint16(out, 2, address.source);
  setUint16(out, 4, address.destination);
  setUint16(out, 6, apdu.length);
  out.set(apdu, WRAPPER_HEADER_SIZE);
  return out;
}

function setUint16(octets: Uint8Array, at: number, value: number): void {
  if (!(value >= 0 && value <= 0xffff)) throw new RangeError(`${value} is not a wrapper address`);
  octets[at] = value >> 8;
  octets[at + 1] = value;
}

const uint16At = (octets: Uint8Array, at: number): number => ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0);

/**
 * Splits a byte stream into frames, independent of chunk boundaries. The wrapper has no sync mark: after a `DecodeError` the stream is lost
 * and every further push fails in the same way.
 * @spec IEC 62056-47
 */
export class WrapperDeframer {
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Minimum octets to buffer before the next attempt, which avoids repeated copies for small chunks. */
  #wanted = WRAPPER_HEADER_SIZE;
  #offset = 0;
  #failure: DecodeError | undefined;

  /** Octets of an incomplete frame. */
  get pending(): number {
    return this.#size;
  }

  /** The error that ended the stream, if any. */
  get failure(): DecodeError | undefined {
    return this.#failure;
  }

  /**
   * Takes received octets and returns the frames they complete, which may share memory with the chunk. Fails with `BAD_VALUE` on another
   * version and `BAD_LENGTH` on an empty APDU. Frames before the failure are returned first; `failure` is then set, and the next push
   * throws it.
   */
  push(chunk: Uint8Array): WrapperFrame[] {
    if (this.#failure !== undefined) throw this.#failure;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return [];
    const frames = this.#cut(this.#joined());
    if (this.#failure !== undefined && frames.length === 0) throw this.#failure;
    return frames;
  }

  #joined(): Uint8Array {
    const [first] = this.#chunks;
    if (first?.length === this.#size) return first;
    const joined = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }

  #cut(octets: Uint8Array): WrapperFrame[] {
    const frames: WrapperFrame[] = [];
    let at = 0;
    this.#wanted = WRAPPER_HEADER_SIZE;
    while (octets.length - at >= WRAPPER_HEADER_SIZE) {
      const size = this.#frameSize(octets, at);
      if (size === undefined) break;
      this.#wanted = size;
      if (octets.length - at < size) break;
      // Usually a chunk is exactly one frame and needs no subarray.
      frames.push(frameOf(size === octets.length ? octets : octets.subarray(at, at + size)));
      at += size;
      this.#wanted = WRAPPER_HEADER_SIZE;
    }
    this.#offset += at;
    this.#chunks = at === octets.length ? [] : [octets.subarray(at)];
    this.#size = octets.length - at;
    return frames;
  }

  #frameSize(octets: Uint8Array, at: number): number | undefined {
    const version = uint16At(octets, at);
    const length = uint16At(octets, at + 6);
    if (version === VERSION && length > 0) return WRAPPER_HEADER_SIZE + length;
    this.#failure =
      version === VERSION
        ? new DecodeError({ code: 'BAD_LENGTH', length }, { offset: this.#offset + at + 6, path: 'wrapper.length' })
        : new DecodeError({ code: 'BAD_VALUE', reason: `version ${version}` }, { offset: this.#offset + at, path: 'wrapper.version' });
    return undefined;
  }
}

const frameOf = (octets: Uint8Array): WrapperFrame => ({
  source: uint16At(octets, 2),
  destination: uint16At(octets, 4),
  apdu: octets.subarray(WRAPPER_HEADER_SIZE),
  octets,
});
