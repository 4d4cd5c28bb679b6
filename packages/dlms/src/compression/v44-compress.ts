import {
  CODEWORDS,
  CONTROL,
  FIRST_CODEWORD,
  INITIAL_CODEWORD_BITS,
  INITIAL_ORDINAL_BITS,
  LONGEST_STRING,
  MOST_ORDINAL_BITS,
} from './v44-parameters.ts';

const OCTETS = 256;
const isCodeword = (node: number): boolean => node < CODEWORDS;
/** A node of the dictionary: a codeword, or a single octet above them. */
const nodeOf = (octet: number): number => CODEWORDS + octet;

/**
 * Compresses one packet with the default parameters. It uses ordinals and codewords, and no string extensions, which decoders cannot
 * miss and which save little in APDUs.
 * @spec ITU-T V.44 (6.3 and annex B.1)
 */
export function compressV44(plain: Uint8Array): Uint8Array {
  const encoder = new PacketEncoder();
  /** By node and next octet, the codeword of the longer string. */
  const longer = new Map<number, number>();
  const lengths = new Uint16Array(CODEWORDS + OCTETS).fill(1, CODEWORDS);
  let next = FIRST_CODEWORD;
  let previous: number | undefined;
  for (let at = 0; at < plain.length;) {
    const first = plain[at++] ?? 0;
    let node = nodeOf(first);
    for (; at < plain.length; at++) {
      const found = longer.get(node * OCTETS + (plain[at] ?? 0));
      if (found === undefined) break;
      node = found;
    }
    if (isCodeword(node)) encoder.codeword(node);
    else encoder.ordinal(first);
    const length = previous === undefined ? LONGEST_STRING : (lengths[previous] ?? 0);
    if (previous !== undefined && next < CODEWORDS && length < LONGEST_STRING) {
      const key = previous * OCTETS + first;
      // The decoder adds the string as well if it is known already.
      if (!longer.has(key)) longer.set(key, next);
      lengths[next] = length + 1;
      next++;
    }
    previous = node;
  }
  return encoder.finish();
}

/** Writes codes, least significant bit first. */
class PacketEncoder {
  readonly #octets: number[] = [];
  #window = 0;
  #windowBits = 0;
  #codewordBits = INITIAL_CODEWORD_BITS;
  #ordinalBits = INITIAL_ORDINAL_BITS;
  /** After a codeword, a second 0 tells an ordinal from a string extension. @spec ITU-T V.44 (table 5) */
  #isAfterCodeword = false;

  codeword(code: number): void {
    while (code >= 1 << this.#codewordBits) {
      this.#control(CONTROL.stepUp);
      this.#codewordBits++;
    }
    this.#bits(1, 1);
    this.#bits(code, this.#codewordBits);
    this.#isAfterCodeword = true;
  }

  ordinal(octet: number): void {
    if (octet >= 1 << this.#ordinalBits) {
      this.#control(CONTROL.stepUp);
      this.#ordinalBits = MOST_ORDINAL_BITS;
    }
    this.#bits(0, this.#isAfterCodeword ? 2 : 1);
    this.#bits(octet, this.#ordinalBits);
    this.#isAfterCodeword = false;
  }

  finish(): Uint8Array {
    this.#control(CONTROL.flush);
    if (this.#windowBits > 0) this.#octets.push(this.#window);
    return Uint8Array.from(this.#octets);
  }

  #control(code: number): void {
    this.#bits(1, 1);
    this.#bits(code, this.#codewordBits);
    this.#isAfterCodeword = false;
  }

  #bits(value: number, count: number): void {
    this.#window |= value << this.#windowBits;
    this.#windowBits += count;
    for (; this.#windowBits >= 8; this.#windowBits -= 8) {
      this.#octets.push(this.#window & 0xff);
      this.#window >>>= 8;
    }
  }
}
