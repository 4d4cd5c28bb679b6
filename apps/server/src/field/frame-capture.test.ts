import { randomUUIDv7 } from 'node:crypto';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import type { KeptFrame } from '#storage/frames.ts';
import type { EndedTrace } from '#storage/trace-writer.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { FrameCapture } from './frame-capture.ts';

const AT = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const wrapped = (apdu: Uint8Array) => encodeWrapper({ source: 1, destination: 1 }, apdu);
const hex = (text: string) => wrapped(Buffer.from(text, 'hex'));
const frame = (direction: KeptFrame['direction'], octets: Uint8Array, at = AT): KeptFrame => ({ at, direction, octets, plain: undefined });
/** A GET of the register 1.0.1.8.0, its response with the integer 7, and a refusal. */
const REQUEST = frame('down', hex('c001c100030100010800ff0200'));
const RESPONSE = frame('up', hex('c401c1000f07'), AT + 120);
const REFUSAL = frame('up', hex('c401c10103'), AT + 80);
const PUSH = frame('up', wrapped(encodeNotification({ longInvokeId: 1, body: Uint8Array.of(0x0f, 7) })));

let database: TestDatabase;
let dcuId: string;
let meterId: string;
let stored: EndedTrace[];
let published: { frames: unknown[]; left: number }[];
let capture: FrameCapture;
beforeAll(async () => {
  database = await cloneDatabase();
  const { dcuTypeId, meterTypeId } = await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ dcu: string; meter: string }>(
    `with d as (insert into dcu (sn, name, dcu_type_id) values ('DCU01', 'D', $1) returning id),
       m as (insert into meter (sn, meter_type_id, communication_mode) values ('METER01', $2, 'plc') returning id)
     select d.id as dcu, m.id as meter from d, m`,
    [dcuTypeId, meterTypeId],
  );
  ({ dcu: dcuId, meter: meterId } = rows[0] ?? { dcu: '', meter: '' });
});
afterAll(() => database.drop());
beforeEach(() => {
  [stored, published] = [[], []];
});
afterEach(async () => {
  await capture.stop();
  await database.pool.query('delete from dcu_capture; delete from dcu_frame_log');
});

interface Chosen {
  level?: 'errors' | 'all';
  direction?: 'down' | 'up' | null;
  meterIds?: string[];
  /** Milliseconds that the clock of the head-end is ahead. */
  aheadMs?: number;
}
/** Starts the store with the frames of the DCU chosen for an hour; undefined: not chosen. No routine trace is in the share. */
async function start(chosen: Chosen | undefined): Promise<void> {
  const { level = 'all', direction = null, meterIds = [], aheadMs = 0 } = chosen ?? {};
  if (chosen !== undefined)
    await database.pool.query(
      "insert into dcu_capture (dcu_id, level, ends_at, direction, meter_ids) values ($1, $2, now() + interval '1 hour', $3, $4)",
      [dcuId, level, direction, meterIds],
    );
  const bus = createBus();
  bus.subscribe(({ topic, message }) => {
    if (message.type === 'dculog.frame' && topic === `dculog:${dcuId}`) published.push(message.data);
  });
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const inner = { storeTrace: (trace: EndedTrace) => void stored.push(trace) };
  capture = new FrameCapture({ pool: database.pool, bus, clock, log: createLog('silent') }, inner, 0);
  await capture.settled();
}
function pass(frames: KeptFrame[], trace: Partial<EndedTrace> = {}): string {
  const id = randomUUIDv7();
  const owner = { dcuId, meterId, sessionId: null, taskId: '9' };
  capture.storeTrace({ id, ...owner, begunAt: AT, durationMs: 1, bytes: 1, frames, opener: undefined, ...trace });
  return id;
}
async function written() {
  await capture.stop();
  const { rows } = await database.pool.query<Record<string, unknown>>(
    'select direction, channel, meter_id as meter, latency_ms as latency, result, trace_id as trace, task_id as task from dcu_frame_log order by id',
  );
  return rows;
}
const resultsOf = async () => (await written()).map(({ direction, result }) => [direction, result]);

test('of routine traces outside of the share, only those are stored that an event refers to; all others are stored', async () => {
  await start(undefined);
  pass([REQUEST], { isRoutine: true });
  const failure = pass([REQUEST], { isRoutine: false });
  const kept = randomUUIDv7();
  capture.keep(kept);
  pass([REQUEST], { id: kept, isRoutine: true });
  expect(stored.map(({ id }) => id)).toEqual([failure, kept]);
  expect([await written(), published]).toEqual([[], []]);
});

test('all frames of a chosen DCU are written with their latency, trace and task, and published; its traces are stored', async () => {
  await start({});
  const trace = pass([REQUEST, RESPONSE], { isRoutine: true });
  expect(stored.map(({ id }) => id)).toEqual([trace]);
  expect(published).toMatchObject([
    {
      left: 0,
      frames: [
        { direction: 'down', latencyMs: null },
        { direction: 'up', latencyMs: 120 },
      ],
    },
  ]);
  const common = { channel: 'M', meter: meterId, trace, task: '9', result: null };
  expect(await written()).toEqual([
    { ...common, direction: 'down', latency: null },
    { ...common, direction: 'up', latency: 120 },
  ]);
});

test('a frame of the DCU itself, a push, and a request without response are recognised', async () => {
  await start({});
  pass([REQUEST, RESPONSE, RESPONSE], { meterId: null });
  pass([PUSH]);
  pass([REQUEST, REQUEST]);
  expect((await written()).map(({ channel, latency, result }) => [channel, latency, result])).toEqual([
    ['D', null, null],
    ['D', 120, null],
    ['D', null, null],
    ['P', null, null],
    ['M', null, null],
    ['M', null, 'noAnswer'],
  ]);
});

test('with the level of errors, dialogues with a refusal or a timeout are captured, and no others', async () => {
  await start({ level: 'errors' });
  pass([REQUEST, RESPONSE]);
  expect(published).toEqual([]);
  pass([REQUEST, REFUSAL]);
  pass([REQUEST]);
  expect(await resultsOf()).toEqual([
    ['down', null],
    ['up', expect.any(String)],
    ['down', 'noAnswer'],
  ]);
});

test('one direction may be chosen', async () => {
  await start({ direction: 'up' });
  pass([REQUEST, RESPONSE]);
  pass([REQUEST]);
  expect([(await resultsOf()).map(([direction]) => direction), published.length]).toEqual([['up'], 1]);
});

test('chosen meters are captured, and neither other ones nor the DCU itself', async () => {
  await start({ meterIds: [meterId] });
  pass([REQUEST], { meterId: null });
  pass([REQUEST], { meterId: '999' });
  pass([REQUEST]);
  expect((await written()).map(({ meter }) => meter)).toEqual([meterId]);
});

test('a capture ends with its time, and does not concern other DCUs', async () => {
  await start({ aheadMs: HOUR_MS + 60_000 });
  pass([REQUEST], { isRoutine: true });
  await capture.stop();
  await database.pool.query('delete from dcu_capture');
  await start({});
  pass([REQUEST], { dcuId: '999', isRoutine: true });
  expect([stored, await written()]).toEqual([[], []]);
});

test('consoles get 50 frames a second and the number of the others, which are written', async () => {
  await start({});
  pass(Array.from({ length: 40 }, () => REQUEST));
  pass(Array.from({ length: 40 }, () => REQUEST));
  expect(published.map(({ frames, left }) => [frames.length, left])).toEqual([
    [40, 0],
    [10, 30],
  ]);
  expect(await written()).toHaveLength(80);
});
