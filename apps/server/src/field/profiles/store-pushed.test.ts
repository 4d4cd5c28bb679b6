import { Zone } from '@hes/contract/schedule/zone.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { PushedObject, PushedValue } from '@hes/dlms/cosem/push-body.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../../test/database.ts';
import type { MeterDevice } from '../devices.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import type { ObjectMap } from '../object-map.ts';
import { checkedKeyOf } from './profile-layout.ts';
import { isAlarm, storePushed, type MeterPush, type PushTools } from './store-pushed.ts';
import { watermarkKey } from './watermarks.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const DEVIATION = -480;
const WATT_HOUR = 30;
const NOW = Date.UTC(2026, 0, 1, 4, 5);
const CAPTURED = Date.UTC(2026, 0, 1, 4);
const [DATA, REGISTER, PROFILE] = [1, 3, 7];
const E_PLUS = { classId: REGISTER, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const E_MINUS = { ...E_PLUS, instance: obis('1.0.2.8.0.255') };
const SERIAL = { classId: DATA, instance: obis('0.0.96.1.0.255'), attributeId: 2 };
const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2 };
const LPA = { classId: PROFILE, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const SCALED = { [`scaler:3/${E_PLUS.instance}`]: { scaler: 1, unit: WATT_HOUR } };

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());

const number = (value: number): Data => ({ type: 'doubleLongUnsigned', value });
const timeAt = (at: number): Data => ({ type: 'octetString', value: encode(dateTimeCodec, fromEpochMs(at, DEVIATION)) });
const valueOf = (object: PushedObject, data: Data): PushedValue => ({ object, octets: encode(dataCodec, data) });

interface Stored {
  count: number;
  /** Calls of the writer, and the watermarks, in their order. */
  calls: unknown[];
  device: MeterDevice;
}
async function store(
  values: PushedValue[],
  {
    madeAt,
    metadata = SCALED,
    watermarks = {},
    objectMap = new Map(),
  }: Partial<Pick<MeterPush, 'madeAt'>> & {
    metadata?: Record<string, unknown>;
    watermarks?: Record<string, number>;
    objectMap?: ObjectMap;
  } = {},
): Promise<Stored> {
  const calls: unknown[] = [];
  const device = {
    id: '7',
    sn: 'M7',
    metadata: new MeterMetadata(JSON.stringify(metadata)),
    metadataLosses: 3,
    watermarks,
    objectMap,
    periodSeconds: { lpa: 900, lpb: 900 },
  } as unknown as MeterDevice; // as: nothing else is read
  const record = (call: unknown): Promise<void> => Promise.resolve(void calls.push(call));
  const tools = {
    ctx: { pool: database.pool, log: createLog('silent') },
    zone: new Zone('Asia/Shanghai'),
    anchors: { load: () => Promise.resolve(undefined) },
    devices: {
      flushMetadata: (_: unknown, losses: number) => record(`flushed ${losses}`),
      setWatermark: (_: unknown, key: string, at: number) => void calls.push({ [key]: at }),
    },
    writer: {
      storeValues: (meterId: string, newest: unknown) => record({ meterId, newest }),
      storeProfile: ({ stamps, source, readAt }: { stamps: Float64Array; source: string; readAt: number }, urgent: boolean) =>
        record({ stamps: [...stamps], source, readAt, urgent }),
    },
  } as unknown as PushTools; // as: nothing else is called
  const count = await storePushed(tools, { device, dcuId: '3', traceId: 't', now: NOW, madeAt, values });
  return { count, calls, device };
}
const newestOf = ({ calls }: Stored) => (calls[0] as { newest: Record<string, unknown> } | undefined)?.newest; // as: see storeValues

test('a pushed register with a known scaler is stored as the newest value of its item, in its unit', async () => {
  const stored = await store([valueOf(E_PLUS, number(123))]);
  expect(stored.count).toBe(1);
  expect(stored.calls).toEqual([
    { meterId: '7', newest: { E_PLUS: { value: 1_230, unit: 'Wh', at: new Date(NOW).toISOString(), traceId: 't' } } },
  ]);
});

test('a register whose scaler is unknown is not stored, while an object without scaler is', async () => {
  const stored = await store([
    valueOf(E_PLUS, number(123)),
    valueOf(E_MINUS, number(5)),
    valueOf(SERIAL, { type: 'visibleString', value: 'SN1' }),
  ]);
  expect(Object.keys(newestOf(stored) ?? {}).toSorted()).toEqual(['E_PLUS', 'SN']);
  expect(stored.count).toBe(2);
  expect(await store([valueOf(E_MINUS, number(5))])).toMatchObject({ count: 0, calls: [] });
});

test.each<[string, PushedValue, ObjectMap?]>([
  ['another attribute', valueOf({ ...E_PLUS, attributeId: 3 }, number(5))],
  ['a part of an attribute', valueOf({ ...E_PLUS, dataIndex: 1 }, number(5))],
  ['an object that is no reading item', valueOf({ ...SERIAL, instance: obis('0.0.96.99.99.255') }, number(5))],
  ['a register without value', valueOf(E_PLUS, number(0xffff_ffff))],
  ['null', valueOf(E_PLUS, { type: 'null' })],
  ['an object that the meter type has elsewhere', valueOf(E_PLUS, number(5)), new Map([['E_PLUS', { ...E_MINUS, attribute: 2 }]])],
])('%s is not stored as a newest value', async (_, value, objectMap) => {
  expect(await store([value], objectMap && { objectMap })).toMatchObject({ count: 0, calls: [] });
});

test('the time of a newest value is that of the pushed clock, else of the notification, else of the arrival', async () => {
  const value = valueOf(E_PLUS, number(5));
  const timeOf = async (...of: Parameters<typeof store>) => {
    const [newest] = Object.values(newestOf(await store(...of)) ?? {}) as { at: string }[]; // as: see storeValues
    return newest && NOW - Date.parse(newest.at);
  };
  expect(await timeOf([value, valueOf(CLOCK, timeAt(NOW - 2_000))], { madeAt: NOW - 1_000 })).toBe(2_000);
  expect(await timeOf([value], { madeAt: NOW - 1_000 })).toBe(1_000);
  expect(await timeOf([value, valueOf(CLOCK, number(5))])).toBe(0);
  expect(await timeOf([value], { madeAt: NOW - HOUR_MS })).toBe(HOUR_MS);
  expect(await timeOf([value], { madeAt: NOW - HOUR_MS - 1 }), 'too old').toBeUndefined();
  expect(await timeOf([value], { madeAt: NOW + 1 }), 'not yet').toBeUndefined();
});

const KNOWN = {
  ...SCALED,
  [`profile:${LPA.instance}`]: {
    columns: [
      { ...CLOCK, dataIndex: 0 },
      { ...E_PLUS, dataIndex: 0 },
    ],
    periodSeconds: 900,
  },
};
const CHECKED = { [checkedKeyOf(LPA.instance)]: NOW - HOUR_MS };
const row = (at: number, plus: number): Data => ({ type: 'structure', value: [timeAt(at), number(plus)] });
const rows = valueOf(LPA, { type: 'array', value: [row(CAPTURED - QUARTER_MS, 10), row(CAPTURED, 11)] });

test('pushed rows are stored after their metadata, and the watermark advances after them', async () => {
  const through = watermarkKey('lpa');
  const watermarks = { ...CHECKED, [through]: CAPTURED - 2 * QUARTER_MS };
  expect(await store([rows], { metadata: KNOWN, watermarks })).toMatchObject({
    count: 2,
    calls: [
      'flushed 3',
      { stamps: [CAPTURED - QUARTER_MS, CAPTURED], source: 'push', readAt: NOW, urgent: false },
      { [through]: CAPTURED },
    ],
  });
});

test('rows that cannot be decoded reliably, parts of rows, and other profiles are left to the next read', async () => {
  const known = { metadata: KNOWN, watermarks: CHECKED };
  const columns = [{ ...E_PLUS, dataIndex: 0 }] as unknown as PushedObject['columns']; // as: only their number matters
  expect(await store([rows], { metadata: KNOWN })).toMatchObject({ count: 0, calls: [] });
  expect(await store([{ ...rows, object: { ...LPA, columns } }], known)).toMatchObject({ count: 0, calls: [] });
  expect(await store([{ ...rows, object: { ...LPA, columns: [] } }], known)).toMatchObject({ count: 2 });
  expect(await store([{ ...rows, object: { ...LPA, instance: obis('1.0.99.77.0.255') } }], known)).toMatchObject({ count: 0, calls: [] });
});

test('an alarm is a set alarm register or unknown objects', () => {
  const alarm = { ...SERIAL, instance: obis('0.0.97.98.0.255') };
  expect(isAlarm(undefined)).toBe(true);
  expect([isAlarm([]), isAlarm([valueOf(SERIAL, number(1))])]).toEqual([false, false]);
  expect([isAlarm([valueOf(alarm, number(0))]), isAlarm([valueOf(SERIAL, number(1)), valueOf(alarm, number(4))])]).toEqual([false, true]);
});
