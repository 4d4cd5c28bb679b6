import { FAULT_KINDS, type FaultKind } from '@hes/simulator/control/faults.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, orderOf } from './simulated.ts';

const DAY_MS = 86_400_000;
const WITHIN = { timeout: 30_000, interval: 50 };
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * Faults of a DCU or an upgrade, of what a meter holds and of its blocks, which no connection changes, and faults that last longer than a test.
 */
const NOT_HERE: readonly FaultKind[] = [
  'refuse_archive',
  'bad_image',
  'lost_block',
  'activation_power_cut',
  'broken_version',
  'no_return',
  'lost_switch',
  'crossed',
  'quick_line',
  'mute_heartbeat',
  'absent',
  'half_open',
  'endless_blocks',
  'unprotected',
  'full_register',
  'rollover',
  'same_block',
  'no_last_block',
  'overlong',
  'trickle',
  'wrong_block',
  'stale_invoke',
  'wrong_stamps',
  'other_period',
  'other_layout',
  'other_scaler',
];
const KINDS = FAULT_KINDS.filter((kind) => !NOT_HERE.includes(kind));

interface Direct {
  id: string;
  sn: string;
  /** Id of its endpoint. */
  dcuId: string;
}

let bench: AppBench;
let admin: TestUser;
let meter: Direct;

beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: 2 }, directMeters: { count: 2 }, timeoutLimits: { longestMs: 1000 } });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  const { rows } = await bench.app.ctx.pool.query<Direct>(
    'select id, sn, dcu_id as "dcuId" from meter where communication_mode = $1 order by sn',
    ['direct'],
  );
  const [first] = rows;
  if (first === undefined) throw new Error('There are direct meters');
  meter = first;
  await untilOnline();
}, 60_000);
afterAll(() => bench.close());

const untilOnline = () =>
  vi.waitFor(async () => {
    const { rows } = await bench.app.ctx.pool.query("select from endpoint where kind = 'meter' and online_status <> 'online'");
    expect(rows).toEqual([]);
  }, WITHIN);

async function ask(method: 'GET' | 'POST', path: string, payload?: object) {
  const answer = await bench.app.call(admin, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return answer.json();
}

/** Orders a read and resolves with its item when the task has ended. */
async function read(order: object) {
  const { taskId } = await ask('POST', '/action/read/on-demand', { meterIds: [meter.id], ...order });
  return ended(taskId);
}

async function ended(taskId: string) {
  await vi.waitFor(async () => expect((await ask('GET', `/task/${taskId}`)).finishedAt).not.toBeNull(), WITHIN);
  const [item] = (await ask('GET', `/task/${taskId}/items`)).items;
  return item;
}

const days = () => ({ from: dayText(Date.now() - 2 * DAY_MS), to: dayText(Date.now()) });

/** Differences between what is stored and what the meter holds. */
async function audited() {
  const { taskId } = await ask('POST', '/reading/audit', { meterSn: meter.sn, ...days() });
  return (await ended(taskId)).result.audit;
}

test('a simulated direct meter dials in and delivers profiles, freezes, registers and events', async () => {
  for (const order of [
    { kind: 'lpa', ...days() },
    { kind: 'lpb', ...days() },
    { kind: 'energy', ...days() },
    { kind: 'daily', ...days() },
    { kind: 'registers', items: ['E_PLUS'] },
  ])
    expect(await read(order), order.kind).toMatchObject({ state: 'read_success', meterSn: meter.sn });
  expect(await audited()).toMatchObject({ different: 0, absent: 0 });
});

test.each(['events', 'clock_read', 'relay_read', 'real_time'] as const)('an order %s is executed as for any other meter', async (kind) => {
  expect(await orderOf(bench, [meter], { kind })).toMatchObject([{ state: 'read_success' }]);
});

test('a plan collects its profiles without asking a DCU for cached rows', async () => {
  const collected = await collectOf(bench, [meter], ['daily', 'lpa', 'lpb', 'energy']);
  expect(collected).toMatchObject([{ state: 'read_success' }]);
  expect(await audited()).toMatchObject({ different: 0, absent: 0 });
});

describe('a fault', () => {
  test.each(KINDS)('%s: strikes a direct meter, stores nothing wrong, and is over when it ends', async (kind) => {
    const { faults } = bench.simulation;
    const struckBefore = faults.strikes().find((one) => one.target === meter.sn && one.kind === kind)?.times ?? 0;
    // A second counter that is ahead would be believed a day later only.
    faults.add({ target: meter.sn, kind, count: kind === 'counter_ahead' ? 1 : 2, delayMs: 300 });
    await read({ kind: 'lpa', ...days() });
    await read({ kind: 'registers', items: ['E_PLUS'] });
    const times = faults.strikes().find((one) => one.target === meter.sn && one.kind === kind)?.times ?? 0;
    faults.clear();
    expect(times, 'the fault struck').toBeGreaterThan(struckBefore);
    // The meter may have to connect again first.
    await vi.waitFor(async () => expect(await read({ kind: 'lpa', ...days() })).toMatchObject({ state: 'read_success' }), WITHIN);
    expect(await audited()).toMatchObject({ different: 0 });
  });
});
