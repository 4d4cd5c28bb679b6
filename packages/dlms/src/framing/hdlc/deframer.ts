import { DecodeError } from '../../codec/decode-error.ts';
import { announcedLength, FLAG, inspectFrame, type FrameFault, type HdlcFrame } from './frame.ts';

/** A frame with its octets, flags included. */
export interface DeframedHdlc extends HdlcFrame {
  octets: Uint8Array;
}

const FLAG_AND_FORMAT = 3;

/**
 * Splits a byte stream into frames, independent of chunk boundaries, and resynchronises after noise: it counts the damage and searches the
 * next flag. Buffers at most one frame, 2049 octets.
 * @spec IEC 62056-46 (frame format type 3)
 */
export class HdlcDeframer {
  #buffer = new Uint8Array(0);
  /** Minimum octets to buffer before the next attempt. */
  #wanted = 1;
  #offset = 0;
  #damaged = 0;
  #lastFault: (FrameFault & { at: number }) | undefined;

  /** Octets of an incomplete frame; a flag alone begins none. */
  get pending(): number {
    return Math.max(this.#buffer.length - 1, 0);
  }

  /** Number of damaged frames. */
  get damaged(): number {
    return this.#damaged;
  }

  /** Reason and stream offset of the last damage. */
  get lastDamage(): DecodeError | undefined {
    const last = this.#lastFault;
    return last === undefined ? undefined : new DecodeError(last.fault, { offset: last.at + last.offset, path: last.path });
  }

  /** Takes received octets and returns the frames they complete. Never fails; see `damaged`. */
  push(chunk: Uint8Array): DeframedHdlc[] {
    const octets = new Uint8Array(this.#buffer.length + chunk.length);
    octets.set(this.#buffer);
    octets.set(chunk, this.#buffer.length);
    this.#buffer = octets;
    return octets.length < this.#wanted ? [] : this.#cut(octets);
  }

  /**
   * Call this when the line is idle: an incomplete frame is dropped, because noise that resembles the header of a long frame would hide
   * the frames behind it, which are returned.
   */
  resync(): DeframedHdlc[] {
    const frames: DeframedHdlc[] = [];
    while (this.pending > 0) {
      this.#damaged++;
      this.#offset++;
      frames.push(...this.#cut(this.#buffer.slice(1)));
    }
    return frames;
  }

  #cut(octets: Uint8Array): DeframedHdlc[] {
    const frames: DeframedHdlc[] = [];
    let at = 0;
    for (;;) {
      at = openingFlag(octets, at);
      // Until the length is known, one more octet is enough; octets before a flag are dropped.
      this.#wanted = octets.length - at + 1;
      if (octets.length - at < FLAG_AND_FORMAT) break;
      const length = announcedLength(octets, at + 1);
      this.#wanted = length === undefined ? FLAG_AND_FORMAT : length + 2;
      if (octets.length - at < this.#wanted) break;
      at = this.#take(octets, at, frames);
    }
    this.#offset += at;
    this.#buffer = octets.slice(at);
    return frames;
  }

  /** Checks the `#wanted` octets at `at` and returns the offset to continue from. */
  #take(octets: Uint8Array, at: number, frames: DeframedHdlc[]): number {
    const whole = octets.subarray(at, at + this.#wanted);
    const found = inspectFrame(whole);
    // The closing flag may also open the next frame.
    const next = at + whole.length - 1;
    if (!('fault' in found)) {
      frames.push({ ...found, octets: whole });
      return next;
    }
    this.#damaged++;
    this.#lastFault = { ...found, at: this.#offset + at };
    // With a damaged header the length is unreliable: a flag inside may open the next frame.
    return found.isHeaderWhole ? next : at + 1;
  }
}

/** Index of the last flag in the first run of flags from `at` on; the end when there is none. */
function openingFlag(octets: Uint8Array, at: number): number {
  let flag = octets.indexOf(FLAG, at);
  if (flag === -1) return octets.length;
  while (octets[flag + 1] === FLAG) flag++;
  return flag;
}
