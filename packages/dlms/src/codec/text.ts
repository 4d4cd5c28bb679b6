import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { Codec } from './codec.ts';

const CHUNK = 4096; // maximum arguments of one call
const SHORT = 24;

/** Single-octet text. Octets above 0x7F are kept as Latin-1, so that no octet is lost. */
export function asciiText(octets: Uint8Array, from = 0, to = octets.length): string {
  let text = '';
  if (to - from <= SHORT) for (let at = from; at < to; at++) text += String.fromCharCode(octets[at] ?? 0);
  else for (let at = from; at < to; at += CHUNK) text += textOfCodes(octets.subarray(at, Math.min(at + CHUNK, to)));
  return text;
}

// as: apply() accepts any array-like; spreading a typed array would copy it first
const textOfCodes = (codes: Uint8Array | Uint16Array): string => String.fromCharCode.apply(undefined, codes as unknown as number[]);

/** One octet per character. Throws `RangeError` on a character above 0xFF. */
export function asciiOctets(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    if (character.length > 1 || code > 0xff) throw new RangeError(`Not a single-octet character: ${character}`);
    return code;
  });
}

/** VisibleString with its length. */
export const asciiString: Codec<string> = {
  read: (input) => {
    const size = input.length();
    input.skip(size);
    return asciiText(input.octets, input.offset - size, input.offset);
  },
  write: (out, value) => {
    const octets = asciiOctets(value);
    out.length(octets.length);
    out.bytes(octets);
  },
};

/** For sequences of 1 to 4 octets: the payload bits of the lead octet and the smallest code point that may use the form. */
const LEADS = [
  { bits: 0x7f, least: 0 },
  { bits: 0x1f, least: 0x80 },
  { bits: 0x0f, least: 0x800 },
  { bits: 0x07, least: 0x1_0000 },
] as const;
const LAST_CHARACTER = 0x10_ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff, low: 0xdc00 } as const;

const followersOf = (lead: number): number =>
  lead < 0x80 ? 0 : lead < 0xc0 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : -1;

/** Converts UTF-8 to UTF-16 and returns the number of code units; -1 for invalid UTF-8. */
function utf16Of(octets: Uint8Array, units: Uint16Array): number {
  let size = 0;
  for (let at = 0; at < octets.length;) {
    const lead = octets[at++] ?? 0;
    const followers = followersOf(lead);
    const form = LEADS[followers];
    if (form === undefined) return -1;
    let character = lead & form.bits;
    for (let i = 0; i < followers; i++) {
      const next = octets[at++] ?? 0;
      if ((next & 0xc0) !== 0x80) return -1;
      character = (character << 6) | (next & 0x3f);
    }
    if (character < form.least || character > LAST_CHARACTER) return -1;
    if (character >= SURROGATES.first && character <= SURROGATES.last) return -1;
    if (character < 0x1_0000) units[size++] = character;
    else {
      units[size++] = SURROGATES.first + ((character - 0x1_0000) >>> 10);
      units[size++] = SURROGATES.low + (character & 0x3ff);
    }
  }
  return size;
}

/** `TextDecoder` is a platform API, which this package does not use. */
function readUtf8(input: ByteReader): string {
  const at = input.offset;
  const octets = input.bytes(input.length());
  const units = new Uint16Array(octets.length);
  const size = utf16Of(octets, units);
  if (size < 0) input.fail({ code: 'BAD_VALUE', reason: 'not UTF-8' }, at);
  let text = '';
  for (let from = 0; from < size; from += CHUNK) text += textOfCodes(units.subarray(from, Math.min(from + CHUNK, size)));
  return text;
}

function writeUtf8(out: ByteWriter, value: string): void {
  if (!value.isWellFormed()) throw new RangeError('An unpaired surrogate has no UTF-8');
  const octets: number[] = [];
  for (const [part] of encodeURIComponent(value).matchAll(/%..|[^%]/g))
    octets.push(part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0));
  out.length(octets.length);
  out.bytes(Uint8Array.from(octets));
}

/** UTF8String with its length. */
export const utf8String: Codec<string> = { read: readUtf8, write: writeUtf8 };
