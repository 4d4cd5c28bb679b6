import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { unconfirmedBlocks } from '@hes/dlms/association/block-stream.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
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
const ALARMS = { classId: 1, instance: obis('0.0.97.98.0.255'), attributeId: 2 };

/** Until what must come has come, however busy the machine is. */
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
  object: { classId: number; instance: Obis; attributeId: number };
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
  // It is a while ago, in the middle of a quarter, so that none begins meanwhile; all but the last meter are read.
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
  return (await bench.database.pool.query(text, values)).rows as T[]; // as: what the caller's text selects
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
    "select state, (result->>'rows')::int as rows from task_item where task_id = $1 order by id",
    [id],
  );
}

const nth = (index: number) => ({ meter: meters[index] as TinyMeter, id: meterIds[index] ?? '' }); // as: so many were registered

/** What the meter captured in the last hour; the last two rows at least were not read. */
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
      pushSetup.attributes.pushObjectList.codec,
      [PUSH_SETUP, ...parts.map(({ object }) => object)].map((object) => ({ ...object, dataIndex: 0 })),
    ),
    ...parts.map(({ octets }) => octets),
  );

interface Sent {
  meter: TinyMeter;
  body: Uint8Array;
  longInvokeId: number;
  /** Of another meter than the one that sends it; null: in the clear. */
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

/** What was captured since the meters were read. */
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

test('rows that a meter pushes are stored as its own before they are confirmed, and open to the bytes that brought them', async () => {
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

test('what came by push is not asked for again', async () => {
  const { meter, id } = nth(0);
  const { opened } = meter;
  const [item] = await collect([id]);
  expect(item?.state).toBe('read_success');
  // A quarter of an hour may have begun since.
  expect(item?.rows).toBeLessThanOrEqual(1);
  expect(meter.opened - opened).toBeLessThanOrEqual(item?.rows ?? 0);
});

test('one that is sent again is confirmed again and changes nothing; the very same octets are a replay, and nobody answers them', async () => {
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

test('nothing is stored of a push that is forged, changed, in the clear or of another meter: it is an event, and not confirmed', async () => {
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
  // Within the hour it is told once.
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

test('a push may name its push setup, whose list the template of the meter has; and rows of another width are given to no quantity', async () => {
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

test('a capture list that is sent along and is not the one that was read gives no value to anything', async () => {
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

test('rows that do not go on from what is stored give no value to anything, because the meter cannot be asked about them', async () => {
  const { meter, id } = nth(5);
  const rows = lastRows(meter);
  const data = decode(dataCodec, rows.octets);
  const fallen = data.type === 'array' ? data.value.at(-1) : undefined;
  if (fallen?.type !== 'structure') throw new Error('No rows');
  // Its E+ has fallen to 1 since the row that is stored.
  fallen.value[2] = { type: 'doubleLongUnsigned', value: 1 };
  send(meter, notification({ meter, body: described({ ...rows, octets: encode(dataCodec, data) }), longInvokeId: 31 }));
  await untilConfirmed(31);
  expect(await freshSlots(id)).toEqual([]);
});

test('a meter that was never read says what nobody can understand yet: it is confirmed, and read when its plan comes to it', async () => {
  const { meter, id } = nth(7);
  send(meter, notification({ meter, body: described(lastRows(meter)), longInvokeId: 12 }));
  await untilConfirmed(12);
  expect(await freshSlots(id)).toEqual([]);
  await collect([id]);
  expect(new Set((await freshSlots(id)).map(({ source }) => source))).toEqual(new Set(['meter']));
});

test('a register is the newest of its meter; an alarm beside it makes the logs be read, one that is not up does not', async () => {
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

test('whatever octets a meter wraps in its own keys, the head-end stays up and stores nothing of them', async () => {
  const { meter } = nth(1);
  const whole = described(lastRows(meter));
  const before = await storedEver();
  const bodies = [whole.subarray(0, whole.length - 1), structureOf(), structureOf(encode(doubleLongUnsigned, 1)), Uint8Array.of(0x01, 0)];
  for (const body of bodies) send(meter, notification({ meter, body, longInvokeId: 15 }));
  send(meter, notification({ meter, body: encode(doubleLongUnsigned, 1), longInvokeId: 16 }));
  await untilConfirmed(16);
  expect(await storedEver()).toEqual(before);
});

/** Blocks of what is sent to somebody who takes 60 octets at once; nobody is to acknowledge them. */
const inBlocks = (sent: Sent): Uint8Array[] => unconfirmedBlocks(notification(sent), 60);
const sendAll = (meter: TinyMeter, blocks: Uint8Array[]): void => {
  for (const block of blocks) send(meter, block);
};

test('rows in blocks that come between the answers of a collection are stored, and the collection goes on', async () => {
  const { meter, id } = nth(5);
  const blocks = inBlocks({ meter, body: described(lastRows(meter)), longInvokeId: 20 });
  expect(blocks.length).toBeGreaterThan(2);
  // The meter that is collected tells something, too: its blocks come from where its answers come from, and those have later counters.
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

test('rows in blocks that nothing seals are not stored: it is an event, and not confirmed', async () => {
  const before = await storedEver();
  const { meter } = nth(6);
  sendAll(meter, inBlocks({ meter, body: described(lastRows(meter)), longInvokeId: 32, keysOf: null }));
  await vi.waitFor(async () => expect(await unproved(meter.sn)).toMatchObject([{ message: `${meter.sn} · PLAIN` }]), WITHIN);
  expect(await storedEver()).toEqual(before);
  expect(confirmed).not.toContain(32);
});

test('of blocks that got lost, were changed or came in another order nothing is stored; why is an event of the DCU with what came, and the next push is taken', async () => {
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
  // What the log of the DCU calls them.
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

test('a whole push that comes again in blocks is confirmed again and changes nothing', async () => {
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

test('what the DCU tells in blocks without a seal is an event, and so is what it had begun to tell when it left', async () => {
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
