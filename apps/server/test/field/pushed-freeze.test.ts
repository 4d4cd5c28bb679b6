import { readBlock } from '@hes/dlms/association/block-stream.ts';
import { isConfirmation } from '@hes/dlms/association/notification.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import type { DailyRow } from '@hes/contract/reading/reading.ts';
import { dailyTruth } from '@hes/simulator/control/truth.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { dayStart, dayText, localDay } from '@hes/simulator/world/calendar.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { scanGaps } from '../../src/storage/gaps.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import type { TestApp, TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

const HOUR_MS = 3_600_000;
const WRAPPER_OCTETS = 8;
const TODAY = localDay(Date.now());
/** Long enough for a busy machine. */
const WITHIN = { timeout: 60_000 };
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let bench: AppBench;
let app: TestApp;
let simulation: Simulation;
let admin: TestUser;
interface Known {
  id: string;
  sn: string;
  dcuId: string;
}
let meter: Known;
/** Meters that push in blocks. */
let inBlocks: Known[];

beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: 8 }, timeZone: 'Asia/Shanghai' });
  ({ app, simulation } = bench);
  admin = await app.addUser({ roles: ['ADMIN'] });
  const sns = simulation.world.plan.meters.filter((one) => !one.isSilent && one.kind !== 'master').map(({ sn }) => sn);
  const { rows } = await app.ctx.pool.query<Known>('select id, sn, dcu_id as "dcuId" from meter where sn = any($1) order by id', [sns]);
  const [found, ...others] = rows;
  if (found === undefined || others.length < 2) throw new Error('No three meters');
  meter = found;
  inBlocks = others.slice(0, 2);
  await vi.waitFor(async () => {
    const { rowCount } = await app.ctx.pool.query("select from dcu where id = $1 and online_status = 'online'", [meter.dcuId]);
    expect(rowCount).toBe(1);
  }, WITHIN);
  // The freezes of two days are read before midnight, so that the capture list is cached.
  simulation.clock.hold(dayStart(TODAY) - HOUR_MS);
  for (const one of [meter, ...inBlocks]) expect(await collect(one)).toEqual({ rows: 2, hasAsked: true });
  simulation.clock.release();
  expect(await gaps()).toEqual([{ state: 'open' }]);
});
afterAll(() => bench.close());

const get = async <T>(path: string) => (await app.call(admin, { url: `/api/${path}` })).json<T>();

/** Collects freezes as a plan does; returns the number of rows, and whether a request was sent. */
async function collect(from = meter): Promise<{ rows: number; hasAsked: boolean }> {
  const { id } = await createTask(app.ctx.db, {
    kind: 'collect',
    source: 'plan',
    title: 'Daily freeze',
    params: { profiles: ['daily'], lookBackDays: 3 },
    priority: 5,
    createdBy: null,
    items: [{ deviceKind: 'meter', dcuId: from.dcuId, meterId: from.id }],
  });
  return vi.waitFor(async () => {
    const { rows } = await app.ctx.pool.query<{ state: string; rows: number; hasAsked: boolean }>(
      `select state, (result->>'rows')::int as rows, trace_id is not null as "hasAsked" from task_item_device where task_id = $1`,
      [id],
    );
    expect(rows[0]?.state).toBe('read_success');
    return { rows: rows[0]?.rows ?? -1, hasAsked: rows[0]?.hasAsked ?? true };
  }, WITHIN);
}

const freezes = async (of = meter) =>
  (await get<{ items: DailyRow[] }>(`reading/daily?meterId=${of.id}&from=${dayText(TODAY - 3)}&to=${dayText(TODAY)}`)).items;
const freezeOfToday = async (of = meter) => (await freezes(of)).find(({ freezeDate }) => freezeDate === dayText(TODAY));

async function push(number: number, by = meter, blocks?: { maxPduSize: number; window: number }): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${simulation.controlPort}/push/${by.sn}`, {
    method: 'POST',
    body: JSON.stringify({ numbers: [number], blocks }),
  });
  expect(await answer.json()).toEqual({ sent: 1 });
}

const receipts = async (of = meter) => (await app.ctx.pool.query('select from push_receipt where meter_id = $1', [of.id])).rowCount;
const gaps = async () => {
  await scanGaps(app.ctx.pool, {
    profile: 'daily',
    from: dayStart(TODAY),
    to: Date.now(),
    timeZone: 'Asia/Shanghai',
    now: Date.now(),
    condition: 'm.id = any($6::bigint[])',
    ids: [meter.id],
  });
  return (
    await app.ctx.pool.query<{ state: string }>("select state from reading_gap where meter_id = $1 and profile = 'daily'", [meter.id])
  ).rows;
};

/** Resolves with the pushed freeze and compares it with the meter. */
async function pushedFreezeOf(one: Known): Promise<DailyRow> {
  const freeze = await vi.waitFor(async () => {
    const found = await freezeOfToday(one);
    // Before the push the day is listed as missing.
    expect(found?.traceId).toEqual(expect.any(String));
    return found as DailyRow; // as: the line before has checked it
  }, WITHIN);
  const { world } = simulation;
  const plan = world.meterBySn.get(one.sn);
  const truth = plan && dailyTruth(world, plan, TODAY);
  expect(freeze).toMatchObject({ source: 'push', quality: 'read', ePlus: (truth?.ePlus ?? 0) / 1000, eMinus: (truth?.eMinus ?? 0) / 1000 });
  expect([freeze.ePlusT1, freeze.ePlusT2, freeze.ePlusT3, freeze.ePlusT4]).toEqual(truth?.ePlusT.map((wh) => wh / 1000));
  return freeze;
}

interface TraceFrame {
  direction: string;
  hex: string;
  plainHex: string | null;
}
const framesOf = (traceId: string | null): Promise<TraceFrame[]> =>
  vi.waitFor(async () => {
    const { frames } = await get<{ frames?: TraceFrame[] }>(`trace/${traceId}`);
    if (frames === undefined) throw new Error('Not written yet');
    return frames;
  }, WITHIN);

test('a freeze that a meter pushes at midnight is stored with source push and trace, leaves no gap, and is not read again', async () => {
  await push(7);
  const freeze = await pushedFreezeOf(meter);
  const [told, confirmation] = await framesOf(freeze.traceId);
  expect([told?.direction, told?.plainHex?.slice(0, 2)]).toEqual(['up', '0F']);
  expect([confirmation?.direction, confirmation?.plainHex]).toEqual(['down', null]);
  const latest = await get<{ items: { item: string; unit: string; traceId: string }[] }>(`reading/${meter.id}/latest`);
  expect(latest.items).toContainEqual(expect.objectContaining({ item: 'E_PLUS', unit: 'Wh', traceId: freeze.traceId }));

  expect(await gaps()).toEqual([{ state: 'filled' }]);
  expect(await collect()).toEqual({ rows: 0, hasAsked: false });
});

const apduIn = ({ hex }: TraceFrame): Uint8Array => {
  const apdu = fromHex(hex).subarray(WRAPPER_OCTETS);
  return decodeGateway(apdu)?.apdu ?? apdu;
};

test('a freeze in unacknowledged blocks is stored; its trace contains every block and the confirmation', async () => {
  const [one] = inBlocks as [Known];
  await push(20, one, { maxPduSize: 100, window: 0 });
  const frames = await framesOf((await pushedFreezeOf(one)).traceId);
  const confirmation = frames.pop();
  expect(frames.map(({ direction }) => direction)).toEqual(frames.map(() => 'up'));
  expect(frames.map((frame) => readBlock(apduIn(frame)).blockNumber)).toEqual(frames.map((_, at) => at + 1));
  expect(frames.length).toBeGreaterThan(2);
  expect(frames.map(({ plainHex }) => plainHex?.slice(0, 2)).findIndex((tag) => tag === '0F')).toBe(frames.length - 1);
  expect([confirmation?.direction, confirmation && isConfirmation(apduIn(confirmation), 20, () => undefined)]).toEqual(['down', true]);
  expect(await receipts(one)).toBe(1);
});

test('a freeze in acknowledged blocks is requested window by window, and confirmed in a block', async () => {
  const [, one] = inBlocks as [Known, Known];
  await push(21, one, { maxPduSize: 100, window: 2 });
  const frames = await framesOf((await pushedFreezeOf(one)).traceId);
  const blocks = frames.map((frame) => ({ direction: frame.direction, ...readBlock(apduIn(frame)) }));
  const count = blocks.filter(({ direction }) => direction === 'up').length;
  const replies = blocks.filter(({ direction }) => direction === 'down');
  const confirmation = replies.pop();
  expect(count).toBeGreaterThan(2);
  expect(replies.map(({ blockNumberAck, data }) => [blockNumberAck, data.length])).toEqual(
    // The acknowledgement offers a larger window, so the rest is sent at once.
    [2, count].map((number) => [number, 0]),
  );
  expect([confirmation?.blockNumberAck, confirmation && isConfirmation(confirmation.data, 21, () => undefined)]).toEqual([count, true]);
  expect(await receipts(one)).toBe(1);
});

test('a retransmitted push changes nothing, and one with another key stores nothing', async () => {
  const before = await freezes();
  expect(await receipts()).toBe(1);
  await push(7);
  simulation.faults.add({ target: meter.sn, kind: 'wrong_key' });
  await push(8);
  await vi.waitFor(async () => {
    const { rowCount } = await app.ctx.pool.query('select from event where code = 60006 and message = $1', [`${meter.sn} · NOT_AUTHENTIC`]);
    expect(rowCount).toBe(1);
  }, WITHIN);
  simulation.faults.clear();
  expect(await receipts()).toBe(1);
  expect(await freezes()).toEqual(before);
});
