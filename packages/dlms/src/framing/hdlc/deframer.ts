import { DecodeError } from '../../codec/decode-error.ts';
import { announcedLength, FLAG, inspectFrame, type FrameFault, type HdlcFrame } from './frame.ts';

/** A frame and the octets it came in, flags included. */
export interface DeframedHdlc extends HdlcFrame {
  octets: Uint8Array;
}

const FLAG_AND_FORMAT = 3;

/**
 * Cuts a byte stream into frames, wherever its chunks were cut, and finds back after noise: what is damaged is counted and
 * the next flag looked for. It holds back at most one frame, 2049 octets.
 * @spec IEC 62056-46 (frame format type 3)
 */
export class HdlcDeframer {
  #buffer = new Uint8Array(0);
  /** Octets to have before looking again. */
  #wanted = 1;
  #offset = 0;
  #damaged = 0;
  #lastFault: (FrameFault & { at: number }) | undefined;

  /** Octets of an unfinished frame; a flag alone begins none. */
  get pending(): number {
    return Math.max(this.#buffer.length - 1, 0);
  }

  /** How often something began like a frame and was none. */
  get damaged(): number {
    return this.#damaged;
  }

  /** What was wrong with the last of them, and where in the stream. */
  get lastDamage(): DecodeError | undefined {
    const last = this.#lastFault;
    return last === undefined ? undefined : new DecodeError(last.fault, { offset: last.at + last.offset, path: last.path });
  }

  /** Takes what arrived and gives the frames it completes. Never fails: see `damaged`. */
  push(chunk: Uint8Array): DeframedHdlc[] {
    const octets = new Uint8Array(this.#buffer.length + chunk.length);
    octets.set(this.#buffer);
    octets.set(chunk, this.#buffer.length);
    this.#buffer = octets;
    return octets.length < this.#wanted ? [] : this.#cut(octets);
  }

  /**
   * The line has been silent: what has begun will not end any more. Noise that looks like the head of a long frame would
   * else swallow the frames behind it, which are given now.
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
      // Until the length is known every octet counts: what is no flag need not be kept.
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

  /** Judges the `#wanted` octets at `at` and tells where to go on. */
  #take(octets: Uint8Array, at: number, frames: DeframedHdlc[]): number {
    const whole = octets.subarray(at, at + this.#wanted);
    const found = inspectFrame(whole);
    // A closing flag may open the next frame.
    const next = at + whole.length - 1;
    if (!('fault' in found)) {
      frames.push({ ...found, octets: whole });
      return next;
    }
    this.#damaged++;
    this.#lastFault = { ...found, at: this.#offset + at };
    // Where the header is in doubt so is the length: a flag inside may be the one that opens the next frame.
    return found.isHeaderWhole ? next : at + 1;
  }
}

/** The last flag of the first run of flags from `at` on; the end if there is none. */
function openingFlag(octets: Uint8Array, at: number): number {
  let flag = octets.indexOf(FLAG, at);
  if (flag === -1) return octets.length;
  while (octets[flag + 1] === FLAG) flag++;
  return flag;
}
