import { failed, ok } from '@hes/contract/core/outcome.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { expect, test } from 'vitest';
import type { ReadingItemRow } from '../queries.ts';
import { refused, unlessNone, valueOf } from './read-registers.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const QUERY = { items: [], now: NOW, deviationMinutes: -480 };
const WATT_HOURS = 30;
const DATA = 1;
const REGISTER = 3;
const CLOCK = 8;

const itemOf = (classId: number) => ({ key: 'ITEM', obis: '1.0.1.8.0.255', classId }) as ReadingItemRow; // as: no other column is read
const read = (data: Data, classId = REGISTER, scaler = -1) =>
  valueOf(itemOf(classId), encode(dataCodec, data), classId === REGISTER ? { scaler, unit: WATT_HOURS } : undefined, QUERY);

test('a number is scaled and has its unit, its raw value, its scaler and the time of the read', () => {
  expect(read({ type: 'doubleLongUnsigned', value: 1234 })).toEqual({
    item: 'ITEM',
    obis: '1.0.1.8.0.255',
    value: 123.4,
    unit: 'Wh',
    at: '2026-01-01T12:00:00.000Z',
    raw: '1234',
    scaler: -1,
    reasonCode: null,
  });
});

test('a number without scaler is its raw value, without unit', () => {
  expect(read({ type: 'longUnsigned', value: 7 }, DATA)).toMatchObject({ value: 7, unit: '', scaler: null, raw: '7', reasonCode: null });
});

test.each([
  ['integer', -7],
  ['long', -300],
  ['doubleLong', -70_000],
  ['unsigned', 7],
  ['enum', 3],
  ['bcd', 42],
  ['float32', 1.5],
  ['float64', 2.25],
] as const)('a %s is a number', (type, value) => {
  expect(read({ type, value } as Data, DATA)).toMatchObject({ value, reasonCode: null }); // as: type and value belong together
});

test('long integers are numbers as far as a double holds them', () => {
  const { MAX_SAFE_INTEGER } = Number;
  expect(read({ type: 'long64', value: -5n }, DATA)).toMatchObject({ value: -5, raw: '-5' });
  expect(read({ type: 'long64Unsigned', value: BigInt(MAX_SAFE_INTEGER) }, DATA)).toMatchObject({ value: MAX_SAFE_INTEGER });
  expect(read({ type: 'long64Unsigned', value: BigInt(MAX_SAFE_INTEGER) + 1n }, DATA)).toMatchObject({
    value: null,
    unit: '',
    scaler: null,
    raw: '9007199254740992',
    reasonCode: 'OUT_OF_RANGE',
  });
  expect(read({ type: 'float64', value: Number.NaN }, DATA)).toMatchObject({ value: null, reasonCode: 'OUT_OF_RANGE' });
});

test.each([
  ['longUnsigned', 0xffff],
  ['doubleLongUnsigned', 0xffff_ffff],
  ['long64Unsigned', 2n ** 64n - 1n],
] as const)(
  'a register full of ones (%s) has no value; the same number of a Data object without scaler is one if it is exact',
  (type, value) => {
    const data = { type, value } as Data; // as: type and value belong together
    expect(read(data)).toMatchObject({ value: null, unit: '', raw: String(value), reasonCode: 'OUT_OF_RANGE' });
    expect(read(data, DATA).reasonCode).toBe(type === 'long64Unsigned' ? 'OUT_OF_RANGE' : null);
  },
);

test('null and "do not care" are no value and no failure', () => {
  for (const type of ['null', 'dontCare'] as const)
    expect(read({ type } as Data)).toMatchObject({ value: null, unit: '', scaler: null, reasonCode: null, at: '2026-01-01T12:00:00.000Z' }); // as: they have no value
});

test('texts, bits and truth values are shown as such, other octets in hex', () => {
  expect(read({ type: 'visibleString', value: 'AB-1' }).value).toBe('AB-1');
  expect(read({ type: 'utf8String', value: 'é' }).value).toBe('é');
  expect(read({ type: 'bitString', value: '1010' }).value).toBe('1010');
  expect(read({ type: 'boolean', value: true }).value).toBe('true');
  expect(read({ type: 'octetString', value: Buffer.from('00112233') }).value).toBe('00112233');
  expect(read({ type: 'octetString', value: Uint8Array.of(0x41, 0x1f) }).value).toBe('411F');
  expect(read({ type: 'array', value: [{ type: 'unsigned', value: 1 }] }).value).toBe('01011101');
});

test('a clock is shown in UTC, with the deviation of the head-end where it states none', () => {
  const clockOf = (value: Uint8Array) => read({ type: 'octetString', value }, CLOCK).value;
  expect(clockOf(encode(dateTimeCodec, fromEpochMs(NOW, -60)))).toBe('2026-01-01T12:00:00.000Z');
  const silent = { ...fromEpochMs(NOW, -480), deviation: null };
  expect(clockOf(encode(dateTimeCodec, silent))).toBe('2026-01-01T12:00:00.000Z');
});

test('a clock that shows no moment is shown in hex, and another type than octets has no value', () => {
  const unset = encode(dateTimeCodec, { ...fromEpochMs(NOW, 0), year: null });
  expect(read({ type: 'octetString', value: unset }, CLOCK).value).toBe(Buffer.from(unset).toString('hex').toUpperCase());
  expect(read({ type: 'octetString', value: Uint8Array.of(1, 2) }, CLOCK).value).toBe('0102');
  expect(read({ type: 'unsigned', value: 1 }, CLOCK)).toMatchObject({ value: null, reasonCode: null });
});

test('octets that are no Data are refused', () => {
  const value = valueOf(itemOf(REGISTER), Uint8Array.of(0x06, 1), undefined, QUERY);
  expect(value).toEqual({
    item: 'ITEM',
    obis: '1.0.1.8.0.255',
    value: null,
    unit: '',
    at: null,
    raw: null,
    scaler: null,
    reasonCode: 'BAD_ANSWER',
  });
});

test('values fail with the reason of the first one when none could be read', () => {
  const missing = refused(itemOf(REGISTER), 'OBJECT_UNDEFINED');
  const denied = refused(itemOf(REGISTER), 'ACCESS_DENIED');
  expect(unlessNone([missing, denied])).toEqual(failed('OBJECT_UNDEFINED'));
  const value = read({ type: 'unsigned', value: 1 });
  expect(unlessNone([missing, value])).toEqual(ok([missing, value]));
  expect(unlessNone([])).toEqual(ok([]));
});
