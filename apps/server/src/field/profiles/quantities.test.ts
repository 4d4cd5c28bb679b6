import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { expect, test } from 'vitest';
import type { MeterDevice } from '../devices.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import type { Column, ProfileAnswer } from './profile-layout.ts';
import { channelsOf, dailyRowsOf, isFull, quantitiesIn, registersOf, resolutionOf, statusOf } from './quantities.ts';

const [DATA, REGISTER, EXTENDED, DEMAND] = [1, 3, 4, 5];
const [WATT, WATT_HOUR, VOLT, NO_UNIT] = [27, 30, 35, 255];
const E_PLUS = obis('1.0.1.8.0.255');
const U1 = obis('1.0.32.7.0.255');
const U1_OTHER = obis('1.0.12.7.0.255');
const P_AVG = obis('1.0.1.4.0.255');
const TARIFF_1 = obis('1.0.1.8.1.255');
const POWER_FACTOR = obis('1.0.13.7.0.255');
const STATUS = obis('0.0.96.10.1.255');

const columnOf = (classId: number, instance: Column['instance'], attributeId = 2, dataIndex = 0): Column => ({
  classId,
  instance,
  attributeId,
  dataIndex,
});
const scalingsOf = (...scalings: [classId: number, instance: string, scaler: number, unit: number][]): MeterMetadata =>
  new MeterMetadata(
    JSON.stringify(
      Object.fromEntries(scalings.map(([classId, instance, scaler, unit]) => [`scaler:${classId}/${instance}`, { scaler, unit }])),
    ),
  );
const meterWith = (metadata: MeterMetadata) => ({ id: '7', metadata }) as MeterDevice; // as: nothing else is read

const answerOf = (
  columns: readonly Column[],
  values: readonly (readonly number[])[],
  clock: readonly number[] = values[0] ?? [],
): ProfileAnswer => ({
  columns,
  periodSeconds: 900,
  formerPeriods: [],
  entries: undefined,
  data: {
    rows: clock.length,
    clock: Float64Array.from(clock),
    clockStatus: new Uint8Array(clock.length),
    values: values.map((column) => Float64Array.from(column)),
    inferred: false,
  },
});
const channelNamed = (key: string) => CHANNELS.findIndex((channel) => channel.key === key);
/** Captured channels by key. */
const channelValues = (answer: ProfileAnswer, metadata: MeterMetadata) =>
  Object.fromEntries(
    channelsOf(answer, meterWith(metadata)).flatMap((values, index) => (values === undefined ? [] : [[CHANNELS[index]?.key, [...values]]])),
  );

test('columns become channels by object and attribute, in storage units', () => {
  const columns = [columnOf(REGISTER, U1), columnOf(REGISTER, E_PLUS), columnOf(DEMAND, P_AVG, 3)];
  const metadata = scalingsOf([REGISTER, E_PLUS, 1, WATT_HOUR], [REGISTER, U1, -1, VOLT], [DEMAND, P_AVG, 0, WATT]);
  expect(
    channelValues(
      answerOf(columns, [
        [2_301, 2_302],
        [5, 6],
        [70, 80],
      ]),
      metadata,
    ),
  ).toEqual({ u1: [230_100, 230_200], ePlus: [50, 60], pAvgPlus: [70, 80] });
  expect(resolutionOf(answerOf(columns, [[1], [1], [1]]), meterWith(metadata), false)).toEqual(
    CHANNELS.map(({ key }) => ({ u1: 100, ePlus: 10 })[key as string] ?? 1),
  );
});

test('the last average of a demand register counts as well, and neither its other attributes nor parts of a value', () => {
  const metadata = scalingsOf([DEMAND, P_AVG, 0, WATT], [REGISTER, E_PLUS, 0, WATT_HOUR], [EXTENDED, U1, 0, VOLT]);
  const valuesOf = (column: Column) => channelValues(answerOf([column], [[5]]), metadata);
  expect(valuesOf(columnOf(DEMAND, P_AVG, 2))).toEqual({ pAvgPlus: [5] });
  expect(valuesOf(columnOf(DEMAND, P_AVG, 3))).toEqual({ pAvgPlus: [5] });
  expect(valuesOf(columnOf(DEMAND, P_AVG, 5))).toEqual({});
  expect(valuesOf(columnOf(REGISTER, E_PLUS, 3))).toEqual({});
  expect(valuesOf(columnOf(REGISTER, E_PLUS, 2, 1))).toEqual({});
  expect(valuesOf(columnOf(EXTENDED, U1))).toEqual({ u1: [5_000] });
  expect(valuesOf(columnOf(EXTENDED, U1, 5))).toEqual({});
});

test('a column without known scaler or with the unit of another quantity is left out; a factor may have any unit', () => {
  expect(channelValues(answerOf([columnOf(REGISTER, E_PLUS)], [[5]]), scalingsOf())).toEqual({});
  expect(channelValues(answerOf([columnOf(REGISTER, E_PLUS)], [[5]]), scalingsOf([REGISTER, E_PLUS, 0, WATT]))).toEqual({});
  expect(channelValues(answerOf([columnOf(REGISTER, POWER_FACTOR)], [[1]]), scalingsOf([REGISTER, POWER_FACTOR, 0, NO_UNIT]))).toEqual({
    pf: [1_000],
  });
  expect(channelValues(answerOf([columnOf(REGISTER, obis('1.0.99.8.0.255'))], [[1]]), scalingsOf())).toEqual({});
});

test('of two objects with one quantity the preferred one is stored, in any order', () => {
  const metadata = scalingsOf([REGISTER, U1, 0, VOLT], [REGISTER, U1_OTHER, 0, VOLT]);
  const [preferred, other] = [columnOf(REGISTER, U1), columnOf(REGISTER, U1_OTHER)];
  expect(channelValues(answerOf([preferred, other], [[1], [2]]), metadata)).toEqual({ u1: [1_000] });
  expect(channelValues(answerOf([other, preferred], [[1], [2]]), metadata)).toEqual({ u1: [2_000] });
});

test('values with all bits set are none; 65,535 is an energy, and no voltage', () => {
  expect([isFull(0xffff_ffff, true), isFull(0xffff, true), isFull(0xffff, false), isFull(0xfffe, false)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const metadata = scalingsOf([REGISTER, E_PLUS, 0, WATT_HOUR], [REGISTER, U1, -3, VOLT]);
  const columns = [columnOf(REGISTER, E_PLUS), columnOf(REGISTER, U1)];
  const values = channelValues(
    answerOf(columns, [
      [0xffff, 0xffff_ffff, Number.NaN],
      [230_000, 0xffff, 5],
    ]),
    metadata,
  );
  expect(values).toEqual({ ePlus: [0xffff, Number.POSITIVE_INFINITY, Number.NaN], u1: [230_000, Number.POSITIVE_INFINITY, 5] });
});

test('values below the storage unit are rounded', () => {
  const values = channelValues(answerOf([columnOf(REGISTER, E_PLUS)], [[14, 15, 16]]), scalingsOf([REGISTER, E_PLUS, -1, WATT_HOUR]));
  expect(values).toEqual({ ePlus: [1, 2, 2] });
  expect(
    resolutionOf(answerOf([columnOf(REGISTER, E_PLUS)], [[1]]), meterWith(scalingsOf([REGISTER, E_PLUS, -1, WATT_HOUR])), false),
  ).toEqual(CHANNELS.map(() => 1));
});

test('the status word is the value of a status object of the meter', () => {
  const columns = [columnOf(REGISTER, E_PLUS), columnOf(DATA, STATUS)];
  const answer = answerOf(columns, [[1], [9]]);
  expect([...(statusOf(answer, meterWith(scalingsOf())) ?? [])]).toEqual([9]);
  for (const other of [columnOf(DATA, STATUS, 1), columnOf(REGISTER, STATUS), columnOf(DATA, obis('0.0.96.11.1.255'))])
    expect(statusOf(answerOf([other], [[9]]), meterWith(scalingsOf()))).toBeUndefined();
});

test('registers of a freeze are in tenths of a watt-hour, and only those with energy', () => {
  const columns = [columnOf(REGISTER, TARIFF_1), columnOf(REGISTER, E_PLUS)];
  const metadata = scalingsOf([REGISTER, E_PLUS, 3, WATT_HOUR], [REGISTER, TARIFF_1, 0, WATT]);
  const registers = registersOf(answerOf(columns, [[1], [2]]), meterWith(metadata));
  expect(registers.map((values) => values && [...values])).toEqual([[20_000], ...Array.from({ length: 9 }, () => undefined)]);
  expect(quantitiesIn({ columns }, meterWith(metadata), true)).toEqual([{ column: 1, index: 0, exponent: 4, isEnergy: true }]);
  expect(quantitiesIn({ columns }, meterWith(metadata), false)).toMatchObject([{ index: channelNamed('ePlus'), exponent: 3 }]);
  expect(resolutionOf(answerOf(columns, [[1], [2]]), meterWith(metadata), true)).toEqual([10_000, ...Array.from({ length: 9 }, () => 1)]);
});

test('rows of freezes are days of the utility; rows without time or more than a day ahead are left out', () => {
  const zone = new Zone('Asia/Shanghai');
  const midnight = Date.UTC(2026, 0, 1, 16);
  const metadata = scalingsOf([REGISTER, E_PLUS, 0, WATT_HOUR]);
  const columns = [columnOf(REGISTER, E_PLUS), columnOf(DATA, STATUS)];
  const readAt = midnight + 1_000;
  const stamps = [midnight, Number.NaN, readAt + 86_400_000, readAt + 86_400_001];
  const answer = answerOf(
    columns,
    [
      [5, 6, 7, 8],
      [1, 2, Number.NaN, 4],
    ],
    stamps,
  );
  const options = { zone, dcuId: '3', readAt, source: 'meter' as const, traceId: 't', taskId: '9' };
  const rows = dailyRowsOf(answer, meterWith(metadata), options);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual({
    meterId: '7',
    dcuId: '3',
    freezeDay: Date.UTC(2026, 0, 2) / 86_400_000,
    registers: [50, ...Array.from({ length: 9 }, () => Number.NaN)],
    statusWord: 1,
    deviceTime: '2026-01-01T16:00:00.000Z',
    readAt,
    source: 'meter',
    traceId: 't',
    taskId: '9',
  });
  expect(rows[1]).toMatchObject({ registers: expect.arrayContaining([70]), statusWord: undefined });
  expect(
    dailyRowsOf(answerOf([columnOf(REGISTER, E_PLUS)], [[5]], [midnight]), meterWith(metadata), options)[0]?.statusWord,
  ).toBeUndefined();
});
