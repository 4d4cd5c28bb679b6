import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { Codec } from './codec.ts';

const CHUNK = 4096; // arguments of one call

/** Text of single octets. Octets above 0x7F are kept as Latin-1: nothing a meter says gets lost. */
export function asciiText(octets: Uint8Array): string {
  let text = '';
  for (let at = 0; at < octets.length; at += CHUNK) text += String.fromCharCode(...octets.subarray(at, at + CHUNK));
  return text;
}

/** One octet per character. Throws a `RangeError` on a character that has none. */
export function asciiOctets(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    if (character.length > 1 || code > 0xff) throw new RangeError(`Not a single-octet character: ${character}`);
    return code;
  });
}

/** VisibleString with its length before it. */
export const asciiString: Codec<string> = {
  read: (input) => asciiText(input.bytes(input.length())),
  write: (out, value) => {
    const octets = asciiOctets(value);
    out.length(octets.length);
    out.bytes(octets);
  },
};

/** URI escapes are the language's own UTF-8 codec; `TextDecoder` belongs to the platform. */
function readUtf8(input: ByteReader): string {
  const at = input.offset;
  let escaped = '';
  for (const octet of input.bytes(input.length())) escaped += `%${octet < 16 ? '0' : ''}${octet.toString(16)}`;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return input.fail({ code: 'BAD_VALUE', reason: 'not UTF-8' }, at);
  }
}

function writeUtf8(out: ByteWriter, value: string): void {
  if (!value.isWellFormed()) throw new RangeError('Half a surrogate pair has no UTF-8');
  const octets: number[] = [];
  for (const [part] of encodeURIComponent(value).matchAll(/%..|[^%]/g))
    octets.push(part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0));
  out.length(octets.length);
  out.bytes(Uint8Array.from(octets));
}

/** UTF8String with its length before it. */
export const utf8String: Codec<string> = { read: readUtf8, write: writeUtf8 };
