import { expect, test } from 'vitest';
import { CopyWriter } from './copy-binary.ts';

const SIGNATURE_OCTETS = 19;
const ARRAY_HEADER_OCTETS = 20;

/** Decodes an array as PostgreSQL does: total length, header, then each element with its own length. */
function readArray(octets: Buffer, begin: number): { values: (bigint | null)[]; end: number } {
  const end = begin + 4 + octets.readInt32BE(begin);
  const values: (bigint | null)[] = [];
  for (let at = begin + 4 + ARRAY_HEADER_OCTETS; at < end;) {
    const length = octets.readInt32BE(at);
    at += 4;
    if (length === -1) values.push(null);
    else values.push(length === 8 ? octets.readBigInt64BE(at) : BigInt(octets.readInt32BE(at)));
    at += Math.max(length, 0);
  }
  return { values, end };
}

test.each(['at first', 'in memory that served before', 'after more than is kept'])(
  'arrays are what they were, NaN null, also beyond the memory there was at first: %s',
  (when) => {
    const narrow = [0, -1, Number.NaN, 2_147_483_647, -2_147_483_648];
    const wide = [...narrow, 5_000_000_000, -5_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const expected = (values: number[]) => values.map((value) => (Number.isNaN(value) ? null : BigInt(value)));
    const rows = 10_000;
    const out = new CopyWriter();
    if (when !== 'at first') {
      out.bytea(new Uint8Array(when === 'after more than is kept' ? 20_000_000 : 1_000).fill(7));
      out.finish();
      out.restart();
    }
    for (let row = 0; row < rows; row++) {
      out.row(2);
      out.int4Array(Float64Array.from(narrow));
      out.int8Array(Float64Array.from(wide));
    }
    const octets = out.finish();
    expect(octets.length).toBeGreaterThan(1 << 20);
    let at = SIGNATURE_OCTETS;
    for (let row = 0; row < rows; row++) {
      const first = readArray(octets, at + 2);
      const second = readArray(octets, first.end);
      at = second.end;
      if (row > 0 && row < rows - 1) continue;
      expect(first.values).toEqual(expected(narrow));
      expect(second.values).toEqual(expected(wide));
    }
    expect(octets.readInt16BE(at)).toBe(-1);
  },
);

test('a number outside the range of its column becomes null instead of a truncated value', () => {
  const out = new CopyWriter();
  out.int4Array(Float64Array.of(2 ** 31, 2 ** 32 + 5, -(2 ** 31) - 1, 7));
  out.int8Array(Float64Array.of(2 ** 53, 2 ** 64, -(2 ** 63), Number.POSITIVE_INFINITY, 7));
  const octets = out.finish();
  const narrow = readArray(octets, SIGNATURE_OCTETS);
  expect(narrow.values).toEqual([null, null, null, 7n]);
  expect(readArray(octets, narrow.end).values).toEqual([null, null, null, null, 7n]);
});
