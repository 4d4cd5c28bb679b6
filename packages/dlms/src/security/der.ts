import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

/** The tags of ASN.1 DER that certificates use. */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tag of a constructed, context-specific element. */
export const contextTag = (number: number): number => 0xa0 | number;

/** Encodes one element: tag, length and concatenated content. */
export function derOf(tag: number, ...parts: Uint8Array[]): Uint8Array {
  const out = new ByteWriter();
  out.uint8(tag);
  out.delimited(writeParts, parts);
  return out.finish();
}

function writeParts(out: ByteWriter, parts: readonly Uint8Array[]): void {
  for (const part of parts) out.bytes(part);
}

/** Encodes a non-negative INTEGER in its shortest form, with a leading zero when the first bit would read as a sign. */
export function derInteger(magnitude: Uint8Array): Uint8Array {
  let from = 0;
  while (from < magnitude.length - 1 && magnitude[from] === 0) from++;
  const octets = magnitude.subarray(from);
  return ((octets[0] ?? 0x80) & 0x80) === 0 ? derOf(DER.integer, octets) : derOf(DER.integer, Uint8Array.of(0), octets);
}

/** Encodes a BIT STRING without unused bits. */
export const derBits = (octets: Uint8Array): Uint8Array => derOf(DER.bitString, Uint8Array.of(0), octets);

/** A reader over the content of the next element, which must have this tag. */
export function enterDer(input: ByteReader, tag: number): ByteReader {
  input.expect(tag);
  return input.slice(input.length());
}

/** The content octets of the next element, which must have this tag. */
export function takeDer(input: ByteReader, tag: number): Uint8Array {
  const content = enterDer(input, tag);
  return content.bytes(content.left);
}

/** Skips the next element of any tag and returns its whole encoding. */
export function wholeDer(input: ByteReader): Uint8Array {
  const from = input.offset;
  input.uint8();
  input.skip(input.length());
  return input.octets.subarray(from, input.offset);
}

/** The octets of the next BIT STRING, which must not have unused bits. */
export function takeBits(input: ByteReader): Uint8Array {
  const content = enterDer(input, DER.bitString);
  content.expect(0);
  return content.bytes(content.left);
}

/** The next non-negative INTEGER, padded to `size` octets. A longer one is a `BAD_LENGTH`. */
export function takeInteger(input: ByteReader, size: number): Uint8Array {
  const content = takeDer(input, DER.integer);
  const octets = content[0] === 0 ? content.subarray(1) : content;
  if (octets.length > size) input.fail({ code: 'BAD_LENGTH', length: octets.length });
  const whole = new Uint8Array(size);
  whole.set(octets, size - octets.length);
  return whole;
}

export const derReader = (octets: Uint8Array): ByteReader => new ByteReader(octets);
