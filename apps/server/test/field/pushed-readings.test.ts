import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { unconfirmedBlocks } from '@hes/dlms/association/block-stream.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { pushSetupV1 } from '@hes/dlms/cosem/classes/push-setup.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { dataCodec, doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis, obisOctets, type Obis } from '@hes/dlms/cosem/obis.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { explainFrame } from '../../src/storage/explain-frame.ts';
import { unpackFrames } from '../../src/storage/frames.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { truth, type TinyDcu, type TinyMeter } from './tiny-dcu.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DEVIATION = -480;
const SN = 'PUSHDCU002';
const LPA = { classId: 7, instance: obis('1.0.99.1.0.255') };
const E_PLUS = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const PUSH_SETUP = { classId: 40, instance: obis('0.0.25.9.0.255'), attributeId: 2 };
const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2 };
const ALARMS = { classId: 1, instance: obis('0.0.97.98.0.255'), attributeId: 2 };

/** Long enough for a busy machine. */
const WITHIN = { timeout: 60_000 };
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let bench: Bench;
let headEnd: HeadEnd;
let dcu: TinyDcu;
let dcuId: string;
let meters: TinyMeter[];
let meterIds: string[];
let learntUntil: number;
const confirmed: number[] = [];

interface Part {
  object: { classId: number; instance: Obis; attributeId: number; columns?: CaptureObject[] };
  octets: Uint8Array;
}

beforeAll(async () => {
  bench = await fieldBench();
  const place = ({ classId, instance, attributeId }: Part['object']) => ({ classId, obis: instance, attribute: attributeId });
  const objects = { LPA: place({ ...LPA, attributeId: 2 }), PUSH: { ...place(PUSH_SETUP), captures: ['LPA'] } };
  await bench.database.pool.query("update southbound_profile set body = $1 where key = 'tiny'", [JSON.stringify({ objects })]);
  headEnd = await bench.headEnd({ timeoutLimits: { longestMs: 20_000 } });
  ({ dcuId, meters, meterIds } = await bench.register(SN, 8));
  dcu = headEnd.dial(SN, meters);
  const deframer = new WrapperDeframer();
  dcu.socket.on('data', (chunk: Buffer) => {
    for (const { apdu } of deframer.push(chunk)) {
      const payload = decodeGateway(apdu)?.apdu ?? apdu;
      if (payload[0] !== 0x10) continue;
      for (let id = 1; id < 100; id++) if (isConfirmation(payload, id, () => undefined)) confirmed.push(id);
    }
  });
  await vi.waitFor(
    async () => expect(await query("select from dcu where sn = $1 and online_status = 'online'", [SN])).toHaveLength(1),
    WITHIN,
  );
  // In the middle of a quarter of an hour, so that no capture occurs meanwhile; all meters but the last one are read.
  learntUntil = Math.floor(Date.now() / QUARTER_MS - 3) * QUARTER_MS + QUARTER_MS / 2;
  setClock(learntUntil - Date.now());
  expect((await collect(meterIds.slice(0, -1))).every(({ state }) => state === 'read_success')).toBe(true);
  setClock(0);
});
afterAll(async () => {
  await headEnd.stop();
  await bench.close();
});

const setClock = (aheadMs: number) => void Object.assign(bench.ctx.clock, { now: () => Date.now() + aheadMs });

async function query<T>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await bench.database.pool.query(text, values)).rows as T[]; // as: the columns of the statement
}

async function collect(ids: readonly string[]) {
  const { id, ended } = await headEnd.order({
    kind: 'collect',
    source: 'plan',
    priority: 5,
    params: { profiles: ['lpa'], lookBackDays: 2 },
    items: ids.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
  });
  await ended;
  return query<{ state: string; rows: number }>(
    "select state, (result->>'rows')::int as rows from task_item_device where task_id = $1 order by id",
    [id],
  );
}

const nth = (index: number) => ({ meter: meters[index] as TinyMeter, id: meterIds[index] ?? '' }); // as: the index is below the number of meters

/** Rows of the last hour; at least the last two were not read. */
function lastRows(meter: TinyMeter): Part {
  const now = Date.now();
  const range = rangeSelection({ from: fromEpochMs(now - HOUR_MS, DEVIATION), to: fromEpochMs(now, DEVIATION) });
  const octets = meter.objects.get(objectKey(LPA.classId, LPA.instance))?.read(2, range);
  if (!(octets instanceof Uint8Array)) throw new Error('No rows');
  return { object: { ...LPA, attributeId: 2 }, octets };
}

const structureOf = (...parts: Uint8Array[]): Uint8Array => Buffer.concat([Uint8Array.of(0x02, parts.length), ...parts]);
/** A body that begins with its own object list. */
const described = (...parts: Part[]): Uint8Array =>
  structureOf(
    encode(
      pushSetupV1.attributes.pushObjectList.codec,
      [PUSH_SETUP, ...parts.map(({ object }) => object)].map((object) => ({ ...object, dataIndex: 0 })),
    ),
    ...parts.map(({ octets }) => octets),
  );

interface Sent {
  meter: TinyMeter;
  body: Uint8Array;
  longInvokeId: number;
  /** Meter whose keys protect the push; null: unprotected. */
  keysOf?: TinyMeter | null;
}
const notification = ({ meter, body, longInvokeId, keysOf = meter }: Sent): Uint8Array =>
  encodeNotification({
    longInvokeId,
    confirmed: true,
    body,
    ...(keysOf === null
      ? {}
      : {
          protection: {
            cipher: nodeCipher,
            keys: keysOf.keys,
            policy: 'authEnc' as const,
            systemTitle: keysOf.systemTitle,
            counter: keysOf.nextCounter(),
          },
        }),
  });
const frameOf = (meter: TinyMeter, apdu: Uint8Array): Uint8Array =>
  encodeWrapper({ source: 1, destination: 1 }, encodeGateway({ networkId: 0, address: Buffer.from(meter.sn, 'ascii') }, apdu));
const send = (meter: TinyMeter, apdu: Uint8Array): void => void dcu.socket.write(frameOf(meter, apdu));

const untilConfirmed = (longInvokeId: number, times = 1) =>
  vi.waitFor(() => expect(confirmed.filter((id) => id === longInvokeId)).toHaveLength(times), WITHIN);

/** Rows captured after the last read. */
const freshSlots = async (meterId: string) => {
  const slots = await query<{ at: string; ePlus: string; source: string; traceId: string }>(
    `select extract(epoch from r.day)::bigint * 1000 + r.lead_s * 1000 + (k - 1) * r.period_s * 1000 as at, e_plus_wh[k] as "ePlus", source, trace_id as "traceId"
     from reading_profile r, generate_subscripts(r.status, 1) k where meter_id = $1 and profile = 'lpa' and r.status[k] is not null order by 1`,
    [meterId],
  );
  return slots.filter(({ at }) => Number(at) > learntUntil);
};
const unproved = (sn: string) => told(60_006, sn);
const incomplete = (sn: string) => told(60_007, sn);
const told = (code: number, sn: string) =>
  query<{ message: string; traceId: string }>('select message, trace_id as "traceId" from event where code = $1 and message like $2', [
    code,
    `${sn} %`,
  ]);
const framesOf = (traceId: string | undefined) =>
  vi.waitFor(async () => {
    const [trace] = await query<{ frames: Buffer }>('select frames from trace where id = $1', [traceId]);
    return unpackFrames(trace?.frames ?? Buffer.alloc(0), bench.ctx.secrets);
  }, WITHIN);
const storedEver = async () =>
  (await query<{ version: string }>('select xmin::text as version from reading_profile order by meter_id, day')).map(
    ({ version }) => version,
  );

test('pushed rows are stored before they are confirmed, and lead to their trace', async () => {
  const { meter, id } = nth(0);
  const apdu = notification({ meter, body: described(lastRows(meter)), longInvokeId: 1 });
  send(meter, apdu);
  await untilConfirmed(1);
  const slots = await freshSlots(id);
  expect(slots.length).toBeGreaterThanOrEqual(2);
  for (const { at, ePlus, source } of slots) expect([Number(ePlus), source]).toEqual([truth.ePlus(Number(at)), 'push']);
  const traceId = slots.at(-1)?.traceId;
  const frames = await framesOf(traceId);
  expect(frames.map(({ direction }) => direction)).toEqual(['up', 'down']);
  expect(Buffer.from(frames[0]?.octets ?? [])).toEqual(Buffer.from(frameOf(meter, apdu)));
  expect(frames[0]?.plain?.[0]).toBe(0x0f);
  expect(await query("select from task where kind = 'events' and params->>'source' = 'push'")).toEqual([]);
});

test('pushed rows are not read again', async () => {
  const { meter, id } = nth(0);
  const { opened } = meter;
  const [item] = await collect([id]);
  expect(item?.state).toBe('read_success');
  // A quarter of an hour may have begun meanwhile.
  expect(item?.rows).toBeLessThanOrEqual(1);
  expect(meter.opened - opened).toBeLessThanOrEqual(item?.rows ?? 0);
});

test('a retransmitted push is confirmed again and changes nothing; the very same octets are a replay and get no answer', async () => {
  const { meter } = nth(1);
  const body = described(lastRows(meter));
  const apdu = notification({ meter, body, longInvokeId: 2 });
  send(meter, apdu);
  await untilConfirmed(2);
  const before = await storedEver();
  send(meter, apdu);
  send(meter, notification({ meter, body, longInvokeId: 2 }));
  await untilConfirmed(2, 2);
  expect(await storedEver()).toEqual(before);
  expect(await query('select from push_receipt r join meter m on m.id = r.meter_id where m.sn = $1', [meter.sn])).toHaveLength(1);
});

test('a forged, changed or unprotected push, or one of another meter, stores nothing, raises an event and is not confirmed', async () => {
  const before = await storedEver();
  const { meter } = nth(2);
  const { meter: other } = nth(3);
  const body = described(lastRows(meter));
  const changed = notification({ meter, body, longInvokeId: 3 });
  changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1;
  send(meter, changed);
  await vi.waitFor(async () => expect(await unproved(meter.sn)).toHaveLength(1), WITHIN);
  send(other, notification({ meter: other, body, longInvokeId: 4, keysOf: null }));
  await vi.waitFor(async () => expect(await unproved(other.sn)).toHaveLength(1), WITHIN);
  const { meter: victim } = nth(4);
  send(victim, notification({ meter: victim, body, longInvokeId: 5, keysOf: other }));
  await vi.waitFor(async () => expect(await unproved(victim.sn)).toHaveLength(1), WITHIN);
  // At most one event is raised per hour.
  send(meter, notification({ meter, body, longInvokeId: 6, keysOf: null }));
  send(meter, notification({ meter, body: described({ object: E_PLUS, octets: encode(doubleLongUnsigned, 7) }), longInvokeId: 7 }));
  await untilConfirmed(7);
  expect(await unproved(meter.sn)).toHaveLength(1);
  expect(await storedEver()).toEqual(before);
  expect(confirmed.filter((id) => id >= 3 && id <= 6)).toEqual([]);
  const [event] = await unproved(other.sn);
  await vi.waitFor(async () => expect(await query('select from trace where id = $1', [event?.traceId])).toHaveLength(1), {
    timeout: 20_000,
  });
});

test('a push may name its push setup, whose list is in the profile of the meter type; rows with another number of columns are not stored', async () => {
  const { meter, id } = nth(3);
  const name = Uint8Array.of(0x09, 6, ...obisOctets(PUSH_SETUP.instance));
  const { octets } = lastRows(meter);
  const before = await storedEver();
  meter.columns = ['ePlus', 'eMinus'];
  send(meter, notification({ meter, body: structureOf(name, lastRows(meter).octets), longInvokeId: 8 }));
  await untilConfirmed(8);
  expect(await storedEver()).toEqual(before);
  meter.columns = ['status', 'ePlus', 'eMinus'];
  send(meter, notification({ meter, body: structureOf(name, octets), longInvokeId: 9 }));
  await untilConfirmed(9);
  expect((await freshSlots(id)).length).toBeGreaterThanOrEqual(2);
});

test('a capture list that is sent along and differs from the cached one stores no value', async () => {
  const { meter, id } = nth(4);
  const rows = lastRows(meter);
  const listNow = () => {
    const octets = meter.objects.get(objectKey(LPA.classId, LPA.instance))?.read(3, undefined);
    if (!(octets instanceof Uint8Array)) throw new Error('No list');
    return { object: { ...LPA, attributeId: 3 }, octets };
  };
  meter.columns = ['status', 'eMinus', 'ePlus'];
  send(meter, notification({ meter, body: described(listNow(), rows), longInvokeId: 10 }));
  await untilConfirmed(10);
  expect(await freshSlots(id)).toEqual([]);
  meter.columns = ['status', 'ePlus', 'eMinus'];
  send(meter, notification({ meter, body: described(listNow(), rows), longInvokeId: 11 }));
  await untilConfirmed(11);
  expect((await freshSlots(id)).length).toBeGreaterThanOrEqual(2);
});

test('pushed rows that do not continue the stored ones are not stored, because a push cannot be verified by reads', async () => {
  const { meter, id } = nth(5);
  const rows = lastRows(meter);
  const data = decode(dataCodec, rows.octets);
  const fallen = data.type === 'array' ? data.value.at(-1) : undefined;
  if (fallen?.type !== 'structure') throw new Error('No rows');
  // E+ has fallen to 1 after the stored row.
  fallen.value[2] = { type: 'doubleLongUnsigned', value: 1 };
  send(meter, notification({ meter, body: described({ ...rows, octets: encode(dataCodec, data) }), longInvokeId: 31 }));
  await untilConfirmed(31);
  expect(await freshSlots(id)).toEqual([]);
});

test('a push of a meter that was never read cannot be decoded; it is confirmed, and the plan reads the rows', async () => {
  const { meter, id } = nth(7);
  send(meter, notification({ meter, body: described(lastRows(meter)), longInvokeId: 12 }));
  await untilConfirmed(12);
  expect(await freshSlots(id)).toEqual([]);
  await collect([id]);
  expect(new Set((await freshSlots(id)).map(({ source }) => source))).toEqual(new Set(['meter']));
});

test('a pushed register is stored as newest value; a set alarm in the push orders a read of the event logs, a cleared one does not', async () => {
  const { meter, id } = nth(0);
  const energy = { object: E_PLUS, octets: encode(doubleLongUnsigned, 123_456) };
  const alarms = (up: number) => ({ object: ALARMS, octets: encode(doubleLongUnsigned, up) });
  const orders = () =>
    query(
      "select from task t join task_item i on i.task_id = t.id where t.kind = 'events' and t.params->>'source' = 'push' and i.meter_id = $1",
      [id],
    );
  send(meter, notification({ meter, body: described(energy, alarms(0)), longInvokeId: 13 }));
  await untilConfirmed(13);
  const [latest] = await query<{ value: { value: number; unit: string; traceId: string } }>(
    "select values->'E_PLUS' as value from meter_latest where meter_id = $1",
    [id],
  );
  expect(latest?.value).toMatchObject({ value: 123_456, unit: 'Wh' });
  expect(latest?.value.traceId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await orders()).toHaveLength(0);
  send(meter, notification({ meter, body: described(energy, alarms(1)), longInvokeId: 14 }));
  await untilConfirmed(14);
  expect(await orders()).toHaveLength(1);
});

const newestOf = async (id: string) =>
  (
    await query<{ value: { value: number; at: string } | null }>("select values->'E_PLUS' as value from meter_latest where meter_id = $1", [
      id,
    ])
  )[0]?.value;

test('a pushed register is no newest value if it has no value, or if the pushed clock is ahead or older than an hour', async () => {
  const { meter, id } = nth(2);
  const now = Date.now();
  const clockAt = (at: number) => ({ object: CLOCK, octets: encode(clock.attributes.time.codec, fromEpochMs(at, DEVIATION)) });
  const energy = (value: number) => ({ object: E_PLUS, octets: encode(doubleLongUnsigned, value) });
  const before = await newestOf(id);
  const bodies = [
    described({ object: E_PLUS, octets: encode(dataCodec, { type: 'null' }) }),
    described(energy(0xffff_ffff)),
    described(energy(1_001), clockAt(now + 600_000)),
    described(energy(1_002), clockAt(now - HOUR_MS - 60_000)),
    described({ ...energy(1_003), object: { ...E_PLUS, attributeId: 5 } }),
  ];
  for (const [index, body] of bodies.entries()) {
    send(meter, notification({ meter, body, longInvokeId: 40 + index }));
    await untilConfirmed(40 + index);
    expect(await newestOf(id)).toEqual(before);
  }
  const at = Math.floor(Date.now() / 1000) * 1000;
  send(meter, notification({ meter, body: described(energy(1_004), clockAt(at)), longInvokeId: 45 }));
  await untilConfirmed(45);
  expect(await newestOf(id)).toMatchObject({ value: 1_004, at: new Date(at).toISOString() });
});

test('a pushed buffer of an unknown profile, or of selected columns, stores no row and does not affect other values', async () => {
  const { meter, id } = nth(2);
  const rows = lastRows(meter);
  const energy = { object: E_PLUS, octets: encode(doubleLongUnsigned, 1_005) };
  const unknown = { ...rows, object: { ...rows.object, instance: obis('1.0.99.77.0.255') } };
  send(meter, notification({ meter, body: described(unknown, energy), longInvokeId: 46 }));
  await untilConfirmed(46);
  expect(await newestOf(id)).toMatchObject({ value: 1_005 });
  const columns = [{ classId: 3, instance: E_PLUS.instance, attributeId: 2, dataIndex: 0 }];
  send(meter, notification({ meter, body: described({ ...rows, object: { ...rows.object, columns } }, energy), longInvokeId: 47 }));
  await untilConfirmed(47);
  expect(await freshSlots(id)).toEqual([]);
});

test('random octets protected with valid keys neither stop the head-end nor store anything', async () => {
  const { meter } = nth(1);
  const whole = described(lastRows(meter));
  const before = await storedEver();
  const bodies = [whole.subarray(0, whole.length - 1), structureOf(), structureOf(encode(doubleLongUnsigned, 1)), Uint8Array.of(0x01, 0)];
  for (const body of bodies) send(meter, notification({ meter, body, longInvokeId: 15 }));
  send(meter, notification({ meter, body: encode(doubleLongUnsigned, 1), longInvokeId: 16 }));
  await untilConfirmed(16);
  expect(await storedEver()).toEqual(before);
});

/** Unconfirmed blocks of a push for a receiver with 60 octets per APDU. */
const inBlocks = (sent: Sent): Uint8Array[] => unconfirmedBlocks(notification(sent), 60);
const sendAll = (meter: TinyMeter, blocks: Uint8Array[]): void => {
  for (const block of blocks) send(meter, block);
};

test('pushed blocks between the responses of a collection are stored, and the collection continues', async () => {
  const { meter, id } = nth(5);
  const blocks = inBlocks({ meter, body: described(lastRows(meter)), longInvokeId: 20 });
  expect(blocks.length).toBeGreaterThan(2);
  // The collected meter pushes, too: its blocks have the same address as its responses, which have later counters.
  const collected = nth(6).meter;
  const others = inBlocks({ meter: collected, body: described(lastRows(collected)), longInvokeId: 21 });
  const count = others.length;
  dcu.onAsked = () => {
    sendAll(meter, blocks.splice(0, 1));
    if (others.length === count) sendAll(collected, others.splice(0, 1));
  };
  const [item] = await collect([nth(6).id]);
  dcu.onAsked = () => undefined;
  expect([item?.state, others.length]).toEqual(['read_success', count - 1]);
  sendAll(meter, blocks);
  sendAll(collected, others);
  await Promise.all([untilConfirmed(20), untilConfirmed(21)]);
  const slots = await freshSlots(id);
  expect(slots.length).toBeGreaterThanOrEqual(2);
  for (const { at, ePlus, source } of slots) expect([Number(ePlus), source]).toEqual([truth.ePlus(Number(at)), 'push']);
  expect(await incomplete(meter.sn)).toEqual([]);
});

test('rows in unprotected blocks are not stored, raise an event, and are not confirmed', async () => {
  const before = await storedEver();
  const { meter } = nth(6);
  sendAll(meter, inBlocks({ meter, body: described(lastRows(meter)), longInvokeId: 32, keysOf: null }));
  await vi.waitFor(async () => expect(await unproved(meter.sn)).toMatchObject([{ message: `${meter.sn} · PLAIN` }]), WITHIN);
  expect(await storedEver()).toEqual(before);
  expect(confirmed).not.toContain(32);
});

test('lost, changed or reordered blocks store nothing and raise an event of the DCU with the received frames; the next push is processed', async () => {
  const before = await storedEver();
  const { meter } = nth(5);
  const body = described(lastRows(meter));
  const lost = inBlocks({ meter, body, longInvokeId: 22 });
  sendAll(meter, lost.toSpliced(1, 1));
  await vi.waitFor(async () => expect(await incomplete(meter.sn)).toHaveLength(1), WITHIN);
  const [event] = await incomplete(meter.sn);
  expect(event?.message).toBe(`${meter.sn} · BLOCK_MISSING`);
  const came = await framesOf(event?.traceId);
  expect(came.map(({ octets }) => Buffer.from(octets))).toEqual([0, 2].map((at) => Buffer.from(frameOf(meter, lost[at] as Uint8Array))));
  // Reasons in the event log of the DCU.
  expect(came.map(explainFrame)).toEqual(came.map(() => ({ service: 'generalBlockTransfer', isPush: true, result: null })));
  const { meter: other } = nth(6);
  const [first, second, ...rest] = inBlocks({ meter: other, body, longInvokeId: 23 }) as [Uint8Array, Uint8Array];
  sendAll(other, [first, ...rest, second]);
  await vi.waitFor(async () => expect(await incomplete(other.sn)).toHaveLength(1), WITHIN);
  const changed = inBlocks({ meter, body, longInvokeId: 24 }).map((block) => Uint8Array.from(block));
  const middle = changed[1] as Uint8Array;
  middle[30] = (middle[30] ?? 0) ^ 1;
  sendAll(meter, changed);
  await vi.waitFor(async () => expect(await unproved(meter.sn)).toMatchObject([{ message: `${meter.sn} · NOT_AUTHENTIC` }]), WITHIN);
  expect(await storedEver()).toEqual(before);
  const repeated = inBlocks({ meter, body, longInvokeId: 25 });
  sendAll(
    meter,
    repeated.flatMap((block) => [block, block]),
  );
  await untilConfirmed(25);
  expect(confirmed.filter((id) => id >= 22 && id <= 24)).toEqual([]);
});

test('a push that is retransmitted in blocks is confirmed again and changes nothing', async () => {
  const { meter } = nth(5);
  const body = described(lastRows(meter));
  send(meter, notification({ meter, body, longInvokeId: 26 }));
  await untilConfirmed(26);
  const before = await storedEver();
  const receipts = () => query('select from push_receipt');
  const known = (await receipts()).length;
  sendAll(meter, inBlocks({ meter, body, longInvokeId: 26 }));
  await untilConfirmed(26, 2);
  expect([await storedEver(), (await receipts()).length]).toEqual([before, known]);
});

test('an unprotected push in blocks of the DCU raises an event, and so does an incomplete one when the DCU disconnects', async () => {
  const alarm = encodeNotification({ longInvokeId: 27, confirmed: true, body: Uint8Array.of(0x09, 0x81, 200, ...new Uint8Array(200)) });
  const [first, ...rest] = unconfirmedBlocks(alarm, 60) as [Uint8Array];
  const write = (apdu: Uint8Array) => dcu.socket.write(encodeWrapper({ source: 1, destination: 1 }, apdu));
  for (const block of [first, ...rest]) write(block);
  await vi.waitFor(async () => expect(await unproved(SN)).toMatchObject([{ message: `${SN} · PLAIN` }]), WITHIN);
  expect(confirmed).not.toContain(27);
  write(first);
  const { meter } = nth(6);
  send(meter, notification({ meter, body: structureOf(encode(doubleLongUnsigned, 1)), longInvokeId: 28 }));
  await untilConfirmed(28);
  dcu.close();
  await vi.waitFor(async () => expect(await incomplete(SN)).toMatchObject([{ message: `${SN} · BLOCKS_UNFINISHED` }]), WITHIN);
});
