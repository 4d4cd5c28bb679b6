import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { DESK, DESK_AT, OUT_AT, VECTORS, type ColumnVectors } from './column-vectors.ts';

const vectors = VECTORS as ColumnVectors; // as: Node.js has them
const out = new Float64Array(vectors.memory.buffer, OUT_AT, 2000);
const STATUS_AT = OUT_AT + 8192;
const statusOut = new Uint8Array(vectors.memory.buffer, STATUS_AT, 200);

beforeEach(() => {
  DESK.fill(0x55);
  out.fill(-1);
  statusOut.fill(0x55);
});

describe('columns by vectors', () => {
  const numbers = fc.integer({ min: 1, max: 4 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      count: fc.integer({ min: 1, max: 5 }),
      gap: fc.integer({ min: 0, max: 20 }),
      // Two rows at a time: odd and even numbers of them.
      rows: fc.integer({ min: 2, max: 40 }),
      tag: fc.integer({ min: 0, max: 255 }),
      seed: fc.uint8Array({ minLength: 64, maxLength: 64 }),
      at: fc.integer({ min: 0, max: 40 }),
    }),
  );

  it('are the numbers behind the tags, highest octet first, and nothing is written behind the last', () => {
    fc.assert(
      fc.property(numbers, ({ size, count, gap, rows, tag, seed, at }) => {
        const stride = count * (1 + size) + gap;
        const expected = Array.from({ length: count }, () => new Float64Array(rows));
        for (let row = 0; row < rows; row++)
          for (let column = 0; column < count; column++) {
            const cell = at + row * stride + column * (1 + size);
            const octets = Array.from({ length: size }, (_, nth) => seed[(row * 7 + column * 13 + nth) % seed.length] ?? 0);
            DESK.set([tag, ...octets], cell);
            (expected[column] ?? expected[0])?.set([octets.reduce((value, octet) => value * 256 + octet, 0)], row);
          }
        out.fill(-1);
        expect(vectors.columns(DESK_AT + at, stride, OUT_AT, rows, count, tag, size)).toBe(1);
        expected.forEach((column, index) => expect(out.slice(index * rows, (index + 1) * rows)).toEqual(column));
        expect(out[count * rows]).toBe(-1);
      }),
    );
  });

  it.each([2, 3, 8, 9])('of %i rows are refused for any single tag that is another', (rows) => {
    const [tag, size, count] = [0x06, 4, 3];
    const stride = count * (1 + size);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < count; column++) {
        for (let cell = 0; cell < rows * count; cell++) DESK.set([tag, 1, 2, 3, 4], cell * (1 + size));
        for (const other of [0x05, 0x07, 0x00, 0x86]) {
          DESK[row * stride + column * (1 + size)] = other;
          expect(vectors.columns(DESK_AT, stride, OUT_AT, rows, count, tag, size)).toBe(0);
        }
      }
  });
});

describe('moments by vectors', () => {
  const HEADER = [0x02, 0x06, 0x09, 0x0c];
  const DATE = [0x07, 0xea, 0x01, 0x02];
  const TAIL = [0x00, 0xfe, 0x20, 0x80];
  const STRIDE = 21;
  const BASE = 1_767_225_600_000;
  const put = (row: number, time: readonly number[]) => DESK.set([...HEADER, ...DATE, ...time, ...TAIL], row * STRIDE);
  const read = (rows: number) => vectors.moments(DESK_AT, STRIDE, OUT_AT, STATUS_AT, rows, BASE);
  const time = fc.tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
  );

  it('are milliseconds from the base, with their status', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 30 }), (times) => {
        times.forEach((each, row) => put(row, each));
        expect(read(times.length)).toBe(times.length);
        expect([...out.subarray(0, times.length)]).toEqual(
          times.map(([, hour, minute, second]) => BASE + ((hour * 60 + minute) * 60 + second) * 1000),
        );
        expect([...statusOut.subarray(0, times.length)]).toEqual(times.map(() => 0x80));
      }),
    );
  });

  it('end before the first row that is of another day, zone or kind, or has no such time', () => {
    const size = HEADER.length + DATE.length + 4 + TAIL.length;
    for (const rows of [5, 6])
      for (let other = 1; other < rows; other++)
        for (let octet = 0; octet < size; octet++) {
          for (let row = 0; row < rows; row++) put(row, [1, 23, 59, 59]);
          const at = other * STRIDE + octet;
          DESK[at] = (DESK[at] ?? 0) + 1;
          const isDayOfWeek = octet === HEADER.length + DATE.length;
          expect(read(rows)).toBe(isDayOfWeek ? rows : other);
        }
  });

  it.each([
    [1, 24, 0, 0],
    [1, 0, 60, 0],
    [1, 0, 0, 60],
    [1, 0, 0, 0xff],
  ])('are none if the first has the time %i %i:%i:%i', (...broken) => {
    for (let row = 0; row < 4; row++) put(row, broken);
    expect(read(4)).toBe(0);
  });
});
