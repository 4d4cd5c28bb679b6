import { DecodeError } from '../../codec/decode-error.ts';
import { joined } from '../joined.ts';
import {
  inspectMbusFrame,
  MBUS_ACKNOWLEDGE,
  MBUS_HEADER_SIZE,
  MBUS_START,
  MBUS_STOP,
  mbusChecksum,
  mbusFrameSize,
  mbusLengthAt,
  type MbusFault,
  type MbusFrame,
} from './frame.ts';

/** A frame with its octets, start and stop included. */
export interface DeframedMbus extends MbusFrame {
  octets: Uint8Array;
}

const NOISE: MbusFault = { fault: { code: 'BAD_VALUE', reason: 'no M-Bus frame' }, offset: 0, path: 'mbus' };
const NO_STOP: MbusFault = { fault: { code: 'BAD_VALUE', reason: 'no end of an M-Bus frame' }, offset: 0, path: 'mbus.stop' };

/** A short frame carries no data: 10 C A checksum 16. */
const SHORT_START = 0x10;
const SHORT_SIZE = 5;

/**
 * Splits a byte stream into long frames, independent of chunk boundaries. Acknowledgements and short frames are skipped; after noise it
 * counts the damage and searches the next header. Buffers at most one frame, 261 octets.
 * @spec EN 13757-2 (FT1.2)
 */
export class MbusDeframer {
  #buffer = new Uint8Array(0);
  #offset = 0;
  #damaged = 0;
  #lastFault: MbusFault | undefined;
  /** Offset of the octets with the last fault in the stream. */
  #faultAt = 0;

  /** Octets of an incomplete frame. */
  get pending(): number {
    return this.#buffer.length;
  }

  /** Number of damaged frames and runs of noise. */
  get damaged(): number {
    return this.#damaged;
  }

  /** Reason and stream offset of the last damaged frame, or of the first noise while no frame was damaged. */
  get lastDamage(): DecodeError | undefined {
    const last = this.#lastFault;
    return last === undefined ? undefined : new DecodeError(last.fault, { offset: this.#faultAt + last.offset, path: last.path });
  }

  /** Takes received octets and returns the frames they complete. Never fails; see `damaged`. */
  push(chunk: Uint8Array): DeframedMbus[] {
    return this.#cut(joined([this.#buffer, chunk]));
  }

  /** Call this when the line is idle: an incomplete frame is dropped, because noise that resembles a header would hide the frames behind it. */
  resync(): DeframedMbus[] {
    const frames: DeframedMbus[] = [];
    while (this.pending > 0) {
      this.#damaged++;
      this.#offset++;
      frames.push(...this.#cut(this.#buffer.slice(1)));
    }
    return frames;
  }

  #cut(octets: Uint8Array): DeframedMbus[] {
    const frames: DeframedMbus[] = [];
    let at = 0;
    while (at < octets.length) {
      const size = sizeAt(octets, at);
      if (size !== undefined && size > octets.length - at) break;
      at = size === undefined ? this.#skipNoise(octets, at) : this.#take(octets, at, size, frames);
    }
    this.#offset += at;
    this.#buffer = octets.slice(at);
    return frames;
  }

  /** Takes the frame of this size at `at` and returns the offset to continue from. */
  #take(octets: Uint8Array, at: number, size: number, frames: DeframedMbus[]): number {
    if (octets[at] !== MBUS_START) return at + size;
    // Most octets that resemble a header end here, without an object for each.
    const found = octets[at + size - 1] === MBUS_STOP ? inspectMbusFrame(octets.subarray(at, at + size)) : NO_STOP;
    if (!('fault' in found)) {
      frames.push({ ...found, octets: octets.subarray(at, at + size) });
      return at + size;
    }
    this.#damaged++;
    this.#lastFault = found;
    this.#faultAt = this.#offset + at;
    // A damaged length would hide the frames behind it, so that the search continues inside.
    return at + 1;
  }

  /** Skips the octets up to the next one that may begin a frame. */
  #skipNoise(octets: Uint8Array, from: number): number {
    this.#damaged++;
    if (this.#lastFault === undefined) this.#faultAt = this.#offset + from;
    this.#lastFault ??= NOISE;
    let next = from + 1;
    while (next < octets.length && !mayBegin(octets[next])) next++;
    return next;
  }
}

const mayBegin = (octet: number | undefined): boolean => octet === MBUS_START || octet === SHORT_START || octet === MBUS_ACKNOWLEDGE;

/** Octets of the frame at `at`, as far as its header is known; undefined for octets that begin none. */
function sizeAt(octets: Uint8Array, at: number): number | undefined {
  const first = octets[at];
  const left = octets.length - at;
  if (first === MBUS_ACKNOWLEDGE) return 1;
  if (first === SHORT_START) return left < SHORT_SIZE || isShortFrame(octets, at) ? SHORT_SIZE : undefined;
  if (first !== MBUS_START) return undefined;
  if (left >= MBUS_HEADER_SIZE) {
    const length = mbusLengthAt(octets, at);
    return length === undefined ? undefined : mbusFrameSize(length);
  }
  // The second length tells a header from noise as early as possible.
  return left === MBUS_HEADER_SIZE - 1 && octets[at + 1] !== octets[at + 2] ? undefined : MBUS_HEADER_SIZE;
}

const isShortFrame = (octets: Uint8Array, at: number): boolean =>
  octets[at + SHORT_SIZE - 1] === MBUS_STOP && octets[at + SHORT_SIZE - 2] === mbusChecksum(octets, at + 1, at + SHORT_SIZE - 2);
