import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { readAlikeRows } from './alike-rows.ts';
import { numberIn, type Data, type TypeDescription } from './data-value.ts';
import { dataCodec } from './data.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from './date-time.ts';
import { decodeProfileBuffer, type ProfileColumns, type ProfileShape } from './profile-buffer.ts';
import { expandRows } from './profile-rows.ts';

type Row = [clock: Data, ...values: Data[]];

const octets = (data: Data): Uint8Array => encode(dataCodec, data);
const structure = (value: Data[]): Data => ({ type: 'structure', value });
const array = (rows: Row[]): Data => ({ type: 'array', value: rows.map(structure) });
const moment = (ms: number, deviation = -480): Uint8Array => encode(dateTimeCodec, fromEpochMs(ms, deviation));
const clock = (ms: number): Data => ({ type: 'octetString', value: moment(ms) });
const u32 = (value: number): Data => ({ type: 'doubleLongUnsigned', value });
const NULL: Data = { type: 'null' };
const NO_OCTETS = new Uint8Array(0);

const T0 = 1_767_225_600_000;
const QUARTER_HOUR_MS = 900_000;
const shapeOf = (columns: number, more: Partial<ProfileShape> = {}): ProfileShape => ({
  columns,
  clockColumn: 0,
  capturePeriodSeconds: 900,
  ...more,
});

/** The same by the generic decoder and by `expandRows`, which share nothing with it but the codecs. */
function byGenericDecoder(data: Uint8Array, shape: ProfileShape): Omit<ProfileColumns, 'inferred'> {
  const whole = decode(dataCodec, data);
  const items = whole.type === 'array' || whole.type === 'compactArray' ? whole.value : [];
  const rows = expandRows(
    items.map((row) => (row.type === 'structure' ? row.value : [])),
    shape,
  ).map(({ values }) => values);
  const clocks = rows
    .map((row) => row[shape.clockColumn])
    .map((cell) => ('value' in cell! ? decode(dateTimeCodec, cell.value as Uint8Array) : undefined)); // as, !: samples have a moment there
  const numbers = rows.map((row) =>
    row.toSpliced(shape.clockColumn, 1).map((cell) => (cell.type === 'boolean' ? Number(cell.value) : numberIn(cell))),
  );
  return {
    rows: rows.length,
    clock: Float64Array.from(clocks, (at) => (at && toEpochMs(at, shape.assumedDeviationMinutes)) ?? Number.NaN),
    clockStatus: Uint8Array.from(clocks, (at) => at?.status ?? 0xff),
    values: Array.from({ length: shape.columns - 1 }, (_, column) => Float64Array.from(numbers, (row) => row[column] ?? Number.NaN)),
  };
}

describe('a profile buffer', () => {
  it('becomes columns: epoch milliseconds, clock status and numbers', () => {
    const rows = [0, 1, 2].map((i): Row => [clock(T0 + i * QUARTER_HOUR_MS), { type: 'unsigned', value: i }, u32(4_000_000_000 + i)]);
    expect(decodeProfileBuffer(octets(array(rows)), shapeOf(3))).toEqual({
      rows: 3,
      clock: Float64Array.of(T0, T0 + QUARTER_HOUR_MS, T0 + 2 * QUARTER_HOUR_MS),
      clockStatus: new Uint8Array(3),
      values: [Float64Array.of(0, 1, 2), Float64Array.of(4_000_000_000, 4_000_000_001, 4_000_000_002)],
      inferred: false,
    });
  });

  it('completes null-data from the row before and says so', () => {
    const rows: Row[] = [
      [clock(T0), u32(1000), NULL],
      [NULL, NULL, u32(5)],
      [NULL, u32(1001), NULL],
    ];
    expect(decodeProfileBuffer(octets(array(rows)), shapeOf(3))).toMatchObject({
      clock: Float64Array.of(T0, T0 + QUARTER_HOUR_MS, T0 + 2 * QUARTER_HOUR_MS),
      values: [Float64Array.of(1000, 1000, 1001), Float64Array.of(Number.NaN, 5, 5)],
      inferred: true,
    });
  });

  it('reads the compressed and the compact vector', () => {
    const compressed = fromHex('01030202090C07EA0B15FF0000000080000006000003E802020006000003E902020000');
    expect(decodeProfileBuffer(compressed, shapeOf(2, { assumedDeviationMinutes: 0 }))).toMatchObject({
      values: [Float64Array.of(1000, 1001, 1001)],
      inferred: true,
    });
    const compact = fromHex('13020219062007EA0B15FF00000000800000000003E807EA0B15FF000F0000800000000003E9');
    const decoded = decodeProfileBuffer(compact, shapeOf(2, { assumedDeviationMinutes: 0 }));
    expect(decoded).toMatchObject({ rows: 2, values: [Float64Array.of(1000, 1001)], inferred: false });
    expect((decoded.clock[1] ?? 0) - (decoded.clock[0] ?? 0)).toBe(QUARTER_HOUR_MS);
  });

  it('is empty when the meter answers an empty array or null-data', () => {
    for (const hex of ['0100', '00'])
      expect(decodeProfileBuffer(fromHex(hex), shapeOf(3))).toMatchObject({ rows: 0, values: [{ length: 0 }, { length: 0 }] });
  });

  it('has no time where the clock says none', () => {
    const unknown = [fromHex('07EA0B15FF00000000800000'), fromHex('FFFFFFFFFFFFFFFFFF8000FF'), fromHex('07EA021EFF00000000FE2000')];
    const rows = unknown.map((value): Row => [{ type: 'octetString', value }, u32(1)]);
    expect(decodeProfileBuffer(octets(array(rows)), shapeOf(2)).clock).toEqual(Float64Array.of(Number.NaN, Number.NaN, Number.NaN));
  });

  it('takes the clock from any column', () => {
    const rows: Row[] = [[u32(7), clock(T0), u32(8)]];
    expect(decodeProfileBuffer(octets(array(rows)), shapeOf(3, { clockColumn: 1 }))).toMatchObject({
      clock: Float64Array.of(T0),
      values: [Float64Array.of(7), Float64Array.of(8)],
    });
  });

  it.each([
    ['a row that is too wide', octets(array([[clock(T0), u32(1), u32(2)]])), 'BAD_LENGTH'],
    ['a row that is too narrow', octets(array([[clock(T0)]])), 'BAD_LENGTH'],
    ['a compact row that is too wide', fromHex('13020319060600'), 'BAD_LENGTH'],
    ['a count that lies', fromHex('0184FFFFFFFF0202'), 'TRUNCATED'],
    ['contents that end within a row', fromHex('130202190603010203'), 'TRUNCATED'],
    ['a clock that is none', octets(array([[u32(1), u32(1)]])), 'BAD_VALUE'],
    ['something behind the buffer', fromHex('010000'), 'TRAILING_BYTES'],
    ['an unknown tag', fromHex('01010202090C07EA0B15FF0000000080000007'), 'UNKNOWN_TAG'],
    ['something that is no buffer', octets(u32(1)), 'UNEXPECTED_OCTET'],
  ])('is refused with %s', (_, data, code) => {
    expect(() => decodeProfileBuffer(data, shapeOf(2))).toThrow(DecodeError);
    expect(() => decodeProfileBuffer(data, shapeOf(2))).toThrow(code);
  });

  it('overwrites the columns of a former buffer of the same size, and of no other', () => {
    const [first, second, longer] = [[1], [2], [3, 4]].map((values) =>
      octets(array(values.map((value): Row => [clock(T0 + value * QUARTER_HOUR_MS), u32(value)]))),
    );
    const former = decodeProfileBuffer(first ?? NO_OCTETS, shapeOf(2));
    const inferring = { ...former, inferred: true };
    const next = decodeProfileBuffer(second ?? NO_OCTETS, shapeOf(2), { into: inferring });
    expect(next).toBe(inferring);
    expect(next).toEqual({
      rows: 1,
      clock: Float64Array.of(T0 + 2 * QUARTER_HOUR_MS),
      clockStatus: new Uint8Array(1),
      values: [Float64Array.of(2)],
      inferred: false,
    });
    expect(decodeProfileBuffer(longer ?? NO_OCTETS, shapeOf(2), { into: next }).values).toEqual([Float64Array.of(3, 4)]);
    expect(next.values).toEqual([Float64Array.of(2)]);
    expect(decodeProfileBuffer(first ?? NO_OCTETS, shapeOf(2)).clock).not.toBe(former.clock);
  });

  it('is not called inferred because another one was, whose rows are tried on it', () => {
    const long = (value: number): Data => ({ type: 'longUnsigned', value });
    const decodeRows = (...rows: [Data, Data][]) =>
      decodeProfileBuffer(octets(array(rows.map((values, i) => [clock(T0 + i), ...values]))), shapeOf(3));
    expect(decodeRows([u32(1), u32(2)], [u32(3), NULL])).toMatchObject({
      values: [
        [1, 3],
        [2, 2],
      ].map((column) => Float64Array.from(column)),
      inferred: true,
    });
    expect(decodeRows([u32(4), u32(5)], [u32(6), long(7)])).toMatchObject({
      values: [
        [4, 6],
        [5, 7],
      ].map((column) => Float64Array.from(column)),
      inferred: false,
    });
  });

  it('tells rows apart that begin alike, whatever came before', () => {
    const rows = [
      [clock(T0), u32(1), u32(2)],
      [NULL, u32(3), u32(4)],
      [clock(T0), NULL, u32(5)],
      [clock(T0), u32(6), NULL],
    ] satisfies Row[];
    const orders = rows.flatMap((first) => rows.flatMap((second) => rows.map((third) => [first, second, third])));
    for (const order of orders) {
      const data = octets(array(order));
      expect(decodeProfileBuffer(data, shapeOf(3))).toMatchObject(byGenericDecoder(data, shapeOf(3)));
    }
  });

  it.each([4, 7, 8, 9])('reads %i columns of energy side by side, and a cell among them that is something else', (channels) => {
    const energy = (row: number): Data[] => Array.from({ length: channels }, (_, channel) => u32(row * 1000 + channel));
    const rows = [0, 1, 2].map((row): Row => [clock(T0 + row * QUARTER_HOUR_MS), { type: 'unsigned', value: row }, ...energy(row)]);
    const others: Data[] = [
      NULL,
      { type: 'longUnsigned', value: 9 },
      { type: 'doubleLong', value: -9 },
      { type: 'octetString', value: NO_OCTETS },
    ];
    const shape = shapeOf(2 + channels);
    const changed = rows.flatMap((_, row) => Array.from({ length: channels }, (_unused, channel) => ({ row, column: 2 + channel })));
    for (const { row, column } of changed)
      for (const other of others) {
        const data = octets(array(rows.map((values, i): Row => (i === row ? (values.with(column, other) as Row) : values)))); // as: its clock stays
        expect(decodeProfileBuffer(data, shape)).toMatchObject(byGenericDecoder(data, shape));
      }
  });

  it('ends where it ends, though it is read where a longer one was', () => {
    const data = octets(array([0, 1, 2].map((i): Row => [clock(T0 + i), u32(i)])));
    for (let cut = 1; cut < data.length; cut++) {
      expect(decodeProfileBuffer(data, shapeOf(2)).rows).toBe(3);
      expect(() => decodeProfileBuffer(data.subarray(0, -cut), shapeOf(2))).toThrow('TRUNCATED');
    }
  });

  it('is the same when its count takes two octets', () => {
    const data = octets(array(Array.from({ length: 400 }, (_, i): Row => [clock(T0 + i * QUARTER_HOUR_MS), u32(i), u32(2 * i)])));
    expect(data[1]).toBe(0x82);
    expect(decodeProfileBuffer(data, shapeOf(3))).toMatchObject(byGenericDecoder(data, shapeOf(3)));
  });

  it('says where it is broken', () => {
    const data = octets(
      array([
        [clock(T0), u32(1)],
        [clock(T0), u32(2)],
      ]),
    );
    expect(() => decodeProfileBuffer(data.subarray(0, -2), shapeOf(2))).toThrow('TRUNCATED in buffer.1.1 @ 40');
  });
});

const int = (bits: number, signed: boolean) =>
  fc.integer(signed ? { min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 } : { min: 0, max: 2 ** bits - 1 });
const COLUMN: Record<string, Arbitrary<Data>> = {
  doubleLong: int(32, true).map((value) => ({ type: 'doubleLong', value })),
  doubleLongUnsigned: int(32, false).map(u32),
  long: int(16, true).map((value) => ({ type: 'long', value })),
  longUnsigned: int(16, false).map((value) => ({ type: 'longUnsigned', value })),
  integer: int(8, true).map((value) => ({ type: 'integer', value })),
  unsigned: int(8, false).map((value) => ({ type: 'unsigned', value })),
  enum: int(8, false).map((value) => ({ type: 'enum', value })),
  long64: fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map((value) => ({ type: 'long64', value })),
  long64Unsigned: fc.bigInt({ min: 0n, max: 2n ** 53n }).map((value) => ({ type: 'long64Unsigned', value })),
  float32: fc.float({ noNaN: true }).map((value) => ({ type: 'float32', value })),
  float64: fc.double({ noNaN: true }).map((value) => ({ type: 'float64', value })),
  boolean: fc.boolean().map((value) => ({ type: 'boolean', value })),
  octetString: fc.uint8Array({ maxLength: 200 }).map((value) => ({ type: 'octetString', value })),
  bitString: fc.constant({ type: 'bitString', value: '010110011' }),
};
const names = Object.keys(COLUMN);
const moments = fc.oneof(
  fc
    .record({ ms: fc.integer({ min: 0, max: 4e10 }), deviation: fc.integer({ min: -720, max: 840 }) })
    .map(({ ms, deviation }) => moment(ms * 100, deviation)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }),
);

interface Sample {
  rows: Data[][];
  types: string[];
  clockColumn: number;
}

const samples: Arbitrary<Sample> = fc
  .record({
    types: fc.array(fc.constantFrom(...names), { maxLength: 5 }),
    size: fc.integer({ min: 1, max: 12 }),
    clockTag: fc.constantFrom('octetString' as const, 'dateTime' as const),
  })
  .chain(({ types, size, clockTag }) => {
    const stamp = moments.map((value): Data => ({ type: clockTag, value }));
    const row = fc.tuple(fc.tuple(...types.map((type) => COLUMN[type] ?? fc.constant(NULL))), stamp);
    return fc
      .record({ body: fc.array(row, { minLength: size, maxLength: size }), at: fc.integer({ min: 0, max: types.length }) })
      .map(({ body, at }) => ({
        rows: body.map(([values, when]) => values.toSpliced(at, 0, when)),
        types: types.toSpliced(at, 0, clockTag),
        clockColumn: at,
      }));
  });

/** Leaves out what is repeated, as meters do, and some more. */
const thinned = ({ rows }: Sample, seed: number): Data[][] =>
  rows.map((row, i) => row.map((value, j) => (i > 0 && (i * 7 + j * 3 + seed) % 3 === 0 ? NULL : value)));

const shapeIn = ({ types, clockColumn }: Sample): ProfileShape => ({
  columns: types.length,
  clockColumn,
  capturePeriodSeconds: 900,
  assumedDeviationMinutes: -60,
});
const compactOf = ({ rows, types }: Sample): Data => {
  const elements = types.map((type) => ({ type }) as TypeDescription); // as: the names of COLUMN are types
  return { type: 'compactArray', value: rows.map(structure), description: { type: 'structure', elements } };
};

describe('any profile buffer', () => {
  it('gives what the generic decoder gives, in each of its forms', () => {
    fc.assert(
      fc.property(samples, fc.nat(10), (sample, seed) => {
        const shape = shapeIn(sample);
        for (const data of [
          octets({ type: 'array', value: sample.rows.map(structure) }),
          octets({ type: 'array', value: thinned(sample, seed).map(structure) }),
          octets(compactOf(sample)),
        ]) {
          const columns = decodeProfileBuffer(data, shape);
          expect(columns).toMatchObject(byGenericDecoder(data, shape));
          for (const column of [...columns.values, columns.clock, columns.clockStatus]) column.fill(77);
          // The twin: each row by the loop over cells, into columns full of other values.
          const { inferred } = decodeProfileBuffer(data, shape);
          expect(decodeProfileBuffer(data, shape, { into: columns, readAlike: () => 0 })).toMatchObject({
            ...byGenericDecoder(data, shape),
            inferred,
          });
        }
      }),
    );
  });

  it('fails with nothing but a DecodeError when it is damaged, and never reads beyond its end', () => {
    fc.assert(
      fc.property(
        samples,
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        fc.nat(),
        (sample, compact, changes, cut) => {
          const whole = octets(compact ? compactOf(sample) : { type: 'array', value: sample.rows.map(structure) });
          // Surrounded by other octets, as in a receive buffer.
          const around = new Uint8Array(whole.length + 40).fill(0x06);
          around.set(whole, 20);
          const damaged = around.subarray(20, 20 + whole.length - (cut % 3 === 0 ? cut % whole.length : 0));
          for (const [at, octet] of changes) damaged[at % damaged.length] = octet;
          try {
            decodeProfileBuffer(damaged, shapeIn(sample));
          } catch (error) {
            if (!(error instanceof DecodeError)) throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Rows as most meters send them: a clock, then plain numbers without a sign. Moments that jump, and cells that are something else. */
const plainRows: Arbitrary<Row[]> = fc
  .array(fc.constantFrom('doubleLongUnsigned', 'longUnsigned', 'unsigned', 'enum'), { maxLength: 8 })
  .chain((types) => {
    const stamp = fc.oneof(
      { weight: 8, arbitrary: fc.constant(QUARTER_HOUR_MS) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 1e7 }).map((hundredths) => hundredths * 10) },
    );
    const other: Arbitrary<Data> = fc.constantFrom<Data[]>(NULL, { type: 'doubleLong', value: -1 }, { type: 'longUnsigned', value: 7 });
    const cells = types.map((type) => fc.oneof({ weight: 200, arbitrary: COLUMN[type] ?? other }, { weight: 1, arbitrary: other }));
    const row = fc.tuple(stamp, fc.constantFrom(...Array.from({ length: 60 }, () => -480), 60), fc.tuple(...cells));
    return fc.array(row, { minLength: 1, maxLength: 60 }).map((rows) => {
      let ms = T0;
      return rows.map(([step, deviation, values]): Row => [{ type: 'octetString', value: moment((ms += step), deviation) }, ...values]);
    });
  });

describe('rows laid out alike', () => {
  it('are read as by the loop over cells, and as by the generic decoder', () => {
    let alikeRows = 0;
    fc.assert(
      fc.property(plainRows, (rows) => {
        const data = octets(array(rows));
        const shape = shapeOf(rows[0]?.length ?? 1);
        const columns = decodeProfileBuffer(data, shape, {
          readAlike: (...run) => {
            const alike = readAlikeRows(...run);
            alikeRows += alike;
            return alike;
          },
        });
        expect(columns).toEqual(decodeProfileBuffer(data, shape, { readAlike: () => 0 }));
        expect(columns).toMatchObject(byGenericDecoder(data, shape));
      }),
    );
    expect(alikeRows).toBeGreaterThan(0);
  });

  it.each(['doubleLong', 'long', 'integer'] as const)('hold the least and the greatest %s', (type) => {
    const [least, greatest] = { doubleLong: [-(2 ** 31), 2 ** 31 - 1], long: [-(2 ** 15), 2 ** 15 - 1], integer: [-128, 127] }[type];
    const data = octets(array([least, -1, 0, greatest].map((value): Row => [clock(T0), { type, value: value ?? 0 }])));
    expect(decodeProfileBuffer(data, shapeOf(2)).values).toEqual([Float64Array.of(least ?? 0, -1, 0, greatest ?? 0)]);
  });

  it.each(['23:59:59', '24:00:00', '23:60:00', '23:59:60'])('end where a moment is none: %s', (time) => {
    const parts = time.split(':').map(Number);
    const value = moment(T0)
      .with(5, parts[0] ?? 0)
      .with(6, parts[1] ?? 0)
      .with(7, parts[2] ?? 0);
    const data = octets(
      array([
        [clock(T0), u32(1)],
        [{ type: 'octetString', value }, u32(2)],
        [clock(T0), u32(3)],
      ]),
    );
    expect(decodeProfileBuffer(data, shapeOf(2))).toMatchObject(byGenericDecoder(data, shapeOf(2)));
  });
});
