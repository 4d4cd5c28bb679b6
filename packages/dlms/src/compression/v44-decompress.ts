import { DecodeError } from '../codec/decode-error.ts';
import {
  CODEWORDS,
  CONTROL,
  FIRST_CODEWORD,
  INITIAL_CODEWORD_BITS,
  INITIAL_ORDINAL_BITS,
  LONGEST_STRING,
  MOST_CODEWORD_BITS,
  MOST_ORDINAL_BITS,
} from './v44-parameters.ts';

/** Bits of the last field of an extension of 13 characters and more, for strings of up to 255. @spec ITU-T V.44 (table 4) */
const LONG_EXTENSION_BITS = 8;

/** The code before the current one; a string is added unless it was an extension or there was none. */
type Previous = { length: number; isOpen: boolean };
const NOTHING_OPEN: Previous = { length: 0, isOpen: false };

/**
 * Decompresses one packet. Throws `DecodeError` on octets that are none, and when the result exceeds `maxOctets`. No state outlives the
 * call: each APDU is a separate packet.
 * @spec ITU-T V.44 (6.4.1 and annex B.1)
 */
export function decompressV44(packet: Uint8Array, maxOctets: number): Uint8Array {
  return new PacketDecoder(packet, maxOctets).decode();
}

class PacketDecoder {
  readonly #packet: Uint8Array;
  readonly #maxOctets: number;
  /** The decompressed octets, which are also the history. */
  #history: Uint8Array;
  #size = 0;
  #bitAt = 0;
  /** End in the history and length of each string, by codeword. */
  readonly #ends = new Uint32Array(CODEWORDS);
  readonly #lengths = new Uint8Array(CODEWORDS);
  #next = FIRST_CODEWORD;
  #codewordBits = INITIAL_CODEWORD_BITS;
  #ordinalBits = INITIAL_ORDINAL_BITS;
  #previous = NOTHING_OPEN;
  /** The codeword just decoded, after which an extension may follow. */
  #extensible: number | undefined;
  #stepsUp = false;

  constructor(packet: Uint8Array, maxOctets: number) {
    this.#packet = packet;
    this.#maxOctets = maxOctets;
    this.#history = new Uint8Array(Math.min(maxOctets, 4 * packet.length));
  }

  decode(): Uint8Array {
    for (;;) {
      if (this.#bits(1) === 1) {
        const code = this.#codeword();
        if (code >= FIRST_CODEWORD) this.#copyString(code);
        else if (code === CONTROL.stepUp) this.#stepUp();
        else if (code === CONTROL.flush) return this.#finish();
        else if (code === CONTROL.etm && this.#bitAt === 1 + INITIAL_CODEWORD_BITS) return this.#transparent();
        else this.#fail(`control code ${code}`);
      } else {
        const code = this.#extensible;
        if (code !== undefined && this.#bits(1) === 1) this.#extend(code);
        else this.#ordinal();
      }
    }
  }

  #stepUp(): void {
    this.#stepsUp = true;
    this.#extensible = undefined;
  }

  #codeword(): number {
    const isLarger = this.#stepsUp;
    if (isLarger) this.#codewordBits++;
    if (this.#codewordBits > MOST_CODEWORD_BITS) this.#fail('a codeword of more than 11 bits');
    this.#stepsUp = false;
    const code = this.#bits(this.#codewordBits);
    if (isLarger && code < FIRST_CODEWORD && code !== CONTROL.stepUp) this.#fail(`control code ${code} after STEPUP`);
    return code;
  }

  #ordinal(): void {
    if (this.#stepsUp) this.#ordinalBits++;
    if (this.#ordinalBits > MOST_ORDINAL_BITS) this.#fail('an ordinal of more than 8 bits');
    this.#stepsUp = false;
    const octet = this.#bits(this.#ordinalBits);
    this.#addOpenString();
    this.#append(octet);
    this.#previous = { length: 1, isOpen: true };
    this.#extensible = undefined;
  }

  /** The string may be the one that its own first character completes, so it is added before it is copied. */
  #copyString(code: number): void {
    this.#addOpenString();
    const length = this.#lengths[code] ?? 0;
    if (code >= this.#next || length === 0) this.#fail(`codeword ${code} without a string`);
    this.#copy((this.#ends[code] ?? 0) + 1 - length, length);
    this.#previous = { length, isOpen: true };
    this.#extensible = code;
  }

  /** Continues the string in the history, and adds the longer one. */
  #extend(code: number): void {
    const more = this.#extensionLength();
    const length = (this.#lengths[code] ?? 0) + more;
    if (length > LONGEST_STRING) this.#fail(`a string of ${length} characters`);
    this.#copy((this.#ends[code] ?? 0) + 1, more);
    this.#addString(this.#size - 1, length);
    this.#previous = NOTHING_OPEN;
    this.#extensible = undefined;
  }

  /** @spec ITU-T V.44 (tables 3 and 4) */
  #extensionLength(): number {
    if (this.#bits(1) === 1) return 1;
    const short = this.#bits(2);
    if (short > 0) return short + 1;
    return this.#bits(1) === 0 ? this.#bits(3) + 5 : this.#bits(LONG_EXTENSION_BITS) + 13;
  }

  /** Adds the previous code and the first character of the current one, which comes next into the history. @spec ITU-T V.44 (table 2) */
  #addOpenString(): void {
    if (this.#previous.isOpen) this.#addString(this.#size, this.#previous.length + 1);
  }

  #addString(end: number, length: number): void {
    if (this.#next >= CODEWORDS || length > LONGEST_STRING) return;
    this.#ends[this.#next] = end;
    this.#lengths[this.#next] = length;
    this.#next++;
  }

  /** Source and target may overlap: the copied characters continue the source. */
  #copy(from: number, length: number): void {
    for (let at = from; at < from + length; at++) {
      if (at >= this.#size) this.#fail('a string beyond the history');
      this.#append(this.#history[at] ?? 0);
    }
  }

  #append(octet: number): void {
    if (this.#size >= this.#maxOctets) this.#fail(`more than ${this.#maxOctets} octets`);
    if (this.#size === this.#history.length) this.#grow();
    this.#history[this.#size++] = octet;
  }

  #grow(): void {
    const larger = new Uint8Array(Math.min(this.#maxOctets, 2 * this.#history.length));
    larger.set(this.#history);
    this.#history = larger;
  }

  /** The padding after FLUSH is zero, and ends the packet. @spec ITU-T V.44 (7.13) */
  #finish(): Uint8Array {
    const left = 8 * this.#packet.length - this.#bitAt;
    if (left > 7 || this.#bits(left) !== 0) this.#fail('octets after the end');
    return this.#history.subarray(0, this.#size);
  }

  /** A packet that would have become longer is sent as it is, after one octet. @spec ITU-T V.44 (annex B) */
  #transparent(): Uint8Array {
    if (this.#bits(1) !== 0) this.#fail('control code 0');
    if (this.#packet.length - 1 > this.#maxOctets) this.#fail(`more than ${this.#maxOctets} octets`);
    return this.#packet.subarray(1);
  }

  /** Reads at most 11 bits, least significant first. */
  #bits(count: number): number {
    const at = this.#bitAt >>> 3;
    const packet = this.#packet;
    if (this.#bitAt + count > 8 * packet.length)
      throw new DecodeError({ code: 'TRUNCATED', needed: 1, left: 0 }, { offset: packet.length, path: 'v44' });
    const window = (packet[at] ?? 0) | ((packet[at + 1] ?? 0) << 8) | ((packet[at + 2] ?? 0) << 16);
    const value = (window >>> (this.#bitAt & 7)) & ((1 << count) - 1);
    this.#bitAt += count;
    return value;
  }

  #fail(reason: string): never {
    throw new DecodeError({ code: 'BAD_VALUE', reason }, { offset: this.#bitAt >>> 3, path: 'v44' });
  }
}
