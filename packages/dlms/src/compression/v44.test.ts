import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { compressV44 } from './v44-compress.ts';
import { decompressV44 } from './v44-decompress.ts';

const MOST = 65_535;

/** Packets and their content, as pydlms-client 0.1.0 decompresses them; it shares no code with this library. */
const PACKETS: [says: string, packet: string, content: string][] = [
  ['nothing', '03', ''],
  ['ordinals', '828403', '4142'],
  ['an ordinal above 127, after a STEPUP', '8205C18406', '41C142'],
  ['the codeword that its own first character completes', '828901', '414141'],
  ['a codeword, and an ordinal after it', '828486098803', '414243414244'],
  ['an extension of 1', '828486888A09D30E00', '41424344454142435A'],
  ['an extension of 2', '828486888A09453B00', '4142434445414243445A'],
  ['an extension of 4', '828486888A094D3B00', '41424344454142434445415A'],
  ['an extension of 5, which overlaps itself', '828486888A0901B403', '4142434445414243444541425A'],
  ['an extension of 12', '828486888A09E1B403', '414243444541424344454142434445414243445A'],
  ['an extension of 13', '828486888A0911807600', '41424344454142434445414243444541424344455A'],
  ['an extension of 100', '828486888A09F18A7600', `${'4142434445'.repeat(21)}41425A`],
  [
    'a codeword of 7 bits, after a STEPUP',
    `${Array.from({ length: 70 }, (_, octet) => (2 * octet).toString(16).padStart(2, '0')).join('')}85C001`,
    `${Array.from({ length: 70 }, (_, octet) => octet.toString(16).padStart(2, '0')).join('')}3C3D`,
  ],
  ['a packet that was left as it is', '01726177', '726177'],
  ['a GET response', '05C4020403108080000212000C54329DCBE6B31900', 'C401C10001040204120003020412000302041200030204120003'],
];

describe('V.44 packets', () => {
  it.each(PACKETS)('%s', (_, packet, content) => {
    expect(toHex(decompressV44(fromHex(packet), MOST))).toBe(content.toUpperCase());
  });

  const octets = (most: number) =>
    fc.array(fc.integer({ min: 0, max: most }), { maxLength: 2000 }).map((values) => Uint8Array.from(values));

  it.each([1, 3, 127, 255])('decompress to their content, of octets up to %i', (most) => {
    fc.assert(
      fc.property(octets(most), fc.integer({ min: 1, max: 6 }), (part, times) => {
        const plain = Uint8Array.from({ length: part.length * times }, (_, at) => part[at % part.length] ?? 0);
        expect(decompressV44(compressV44(plain), MOST)).toEqual(plain);
      }),
      { numRuns: 100 },
    );
  });

  it('still decompress when the dictionary is full, and strings have their greatest length', () => {
    const random = Uint8Array.from({ length: 40_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 24);
    const zeros = new Uint8Array(60_000);
    for (const plain of [random, zeros]) expect(decompressV44(compressV44(plain), MOST)).toEqual(plain);
    expect(compressV44(zeros).length).toBeLessThan(1000);
  });

  it.each([
    ['without an end', '8284'],
    ['nothing at all', ''],
    ['octets after the end', '8284030A'],
    ['padding that is not zero', '828483'],
    ['a codeword without a string', '8B03'],
    ['transparent mode within', '820103'],
    ['REINIT', '0703'],
    ['STEPUP before FLUSH', '8503'],
  ])('are refused: %s', (_, packet) => {
    expect(() => decompressV44(fromHex(packet), MOST)).toThrow(DecodeError);
  });

  it('are refused when they contain more than allowed, and never throw anything else', () => {
    expect(() => decompressV44(compressV44(new Uint8Array(1001)), 1000)).toThrow(DecodeError);
    expect(() => decompressV44(Uint8Array.of(1, ...new Uint8Array(11)), 10)).toThrow(DecodeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (packet) => {
        try {
          expect(decompressV44(packet, MOST).length).toBeLessThanOrEqual(MOST);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      }),
      { numRuns: 5000 },
    );
  });
});
