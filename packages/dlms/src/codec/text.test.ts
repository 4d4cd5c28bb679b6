import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from './codec.ts';
import { DecodeError } from './decode-error.ts';
import { asciiString, utf8String } from './text.ts';

/** The reference decoder of the platform. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const withLength = (octets: Uint8Array): Uint8Array => Uint8Array.of(0x82, octets.length >> 8, octets.length & 0xff, ...octets);

function read(octets: Uint8Array): string | undefined {
  try {
    return decode(utf8String, withLength(octets));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function readByPlatform(octets: Uint8Array): string | undefined {
  try {
    return strict.decode(octets);
  } catch {
    return undefined;
  }
}

describe('utf8String', () => {
  // First and last lead and continuation octets of each kind, and invalid ones.
  const telling = fc.constantFrom(
    0x00,
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc0,
    0xc1,
    0xc2,
    0xdf,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
    0xff,
  );

  it('accepts and refuses the same octets as the TextDecoder of the platform', () => {
    const octets = fc.array(fc.oneof(telling, fc.integer({ min: 0, max: 255 })), { maxLength: 8 }).map((all) => Uint8Array.from(all));
    fc.assert(
      fc.property(octets, (some) => {
        expect(read(some)).toBe(readByPlatform(some));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads long texts of any script', () => {
    const text = 'Zähler 电能表 счётчик 🔌 '.repeat(500);
    expect(decode(utf8String, encode(utf8String, text))).toBe(text);
  });
});

describe('asciiString', () => {
  it('keeps every octet, in short texts and in long ones', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 10_000, size: 'max' }), (octets) => {
        const text = decode(asciiString, withLength(octets));
        expect(Uint8Array.from(text, (character) => character.charCodeAt(0))).toEqual(octets);
      }),
      { numRuns: 20 },
    );
  });
});
