import { failed, ok } from '@hes/contract/core/outcome.ts';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { errorIn, recordedLog } from '../../test/recorded-log.ts';
import { StorageUnavailable } from '#platform/storage-unavailable.ts';
import type { Lane } from './claim-buffer.ts';
import type { Epoch } from '#nodes/epoch.ts';
import { InFlight } from './in-flight.ts';
import type { ClaimedItem, Operations, WorkItem, WorkReport } from './operation.ts';
import type { FinishedItem } from './finished-item.ts';
import type { ResultWriter } from './result-writer.ts';
import type { SharedClaim } from './shared-claim.ts';
import { runLane, type LaneRun, type WorkerTools } from './worker.ts';
import { claimedItem } from '../../test/dispatcher-bench.ts';

const FAIR_MS = 15_000;

/** Items that the next claim finds. */
let queued: (ClaimedItem & { meterIds?: string[] })[];
let claims: number;
let written: { item: FinishedItem; urgent: boolean }[];
/** Members of shared items, with the state of their result. */
let members: [meterId: string, state: string][];
let started: string[];
let finish: Map<string, (report: Partial<WorkReport>) => void>;
let tools: WorkerTools;
let isReachable: boolean;
const failedIds: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  [queued, claims, written, members, started, finish, isReachable] = [[], 0, [], [], [], new Map(), true];
  failedIds.length = 0;
  tools = {
    pool: { query } as unknown as Pool, // as: a lane only calls query
    log: createLog('silent'),
    owner: 'me',
    inFlight: new InFlight(),
    reach: {
      prepare: () => Promise.resolve(),
      connect: () => Promise.resolve(isReachable),
      isOnline: () => true,
      epochOf: () => '1' as Epoch, // as: the answers of the database are given
      parallelMeters: () => 2,
      onDatabaseBack: () => undefined,
      onReachable: () => () => undefined,
    },
    operations: { registers: operation, relay_disconnect: operation, clock_sync: operation, upgrade: operation } as Partial<Operations>,
    resultWriter: {
      add: (item: FinishedItem, urgent: boolean) => void written.push({ item, urgent }),
      addMember: (_claim: SharedClaim, meterId: string, item: FinishedItem) => void members.push([meterId, item.state]),
    } as unknown as ResultWriter, // as: a lane only adds
    onChanged: () => undefined,
    onFailed: (ids) => void failedIds.push(...ids),
    stopping: () => false,
    isSuspended: () => false,
    pace: { maintenanceMs: 10_000, offlineGraceS: 5, unreachableMs: 5_000, retryWait: 2, fairMs: FAIR_MS },
  };
});
afterEach(() => void vi.useRealTimers());

/** Answers claims, and the statement that fails the items of an unreachable DCU. */
const query = (statement: string | { name: string }) => {
  if (typeof statement === 'string') return Promise.resolve({ rows: [{ id: '77', taskId: '1' }], rowCount: 1 });
  claims++;
  return Promise.resolve({ rows: queued.splice(0).map((item) => ({ meterIds: null, ...item })), rowCount: 0 });
};

const operation = (item: WorkItem): Promise<WorkReport> => {
  const name = item.shared === undefined ? item.id : `meter ${item.meterId}`;
  started.push(name);
  return new Promise((resolve, reject) => {
    finish.set(name, (report) => {
      if (report.outcome === undefined) reject(report.stored as unknown as Error); // as: `fail` passes its error there
      else resolve({ traceId: 'trace', ...report } as WorkReport); // as: it has an outcome
    });
  });
};
const end = async (id: string, report: Partial<WorkReport> = { outcome: ok({ rows: 1 }) }) => {
  finish.get(id)?.(report);
  await settle();
};
const fail = (id: string, error: Error) => end(id, { stored: error as unknown as Promise<unknown> }); // as: a rejection
const settle = () => vi.advanceTimersByTimeAsync(0);

async function run(items: typeof queued, lane: Lane = 'operator'): Promise<LaneRun> {
  queued = items;
  const work = runLane(tools, '5', lane);
  await settle();
  return work;
}

/** The result of one item. */
async function resultOf(report: Partial<WorkReport>, values: Partial<ClaimedItem> = {}) {
  const { ended } = await run([claimedItem('1', values)]);
  await end('1', report);
  await ended;
  expect(written).toHaveLength(1);
  return written[0];
}
const base = { id: '1', attempts: 1, latencyMs: expect.any(Number), traceId: 'trace' };

test('the result of an item is written with its latency, trace and number of attempts; those of operators at once', async () => {
  expect(await resultOf({ outcome: ok({ rows: 7 }) })).toEqual({
    item: { ...base, state: 'read_success', reasonCode: null, reasonText: null, result: { rows: 7 }, againInMs: 0 },
    urgent: true,
  });
  written = [];
  expect(await resultOf({ outcome: ok({ rows: 7 }), traceId: undefined }, { priority: 5, attempts: 2 })).toMatchObject({
    item: { attempts: 2, traceId: null },
    urgent: false,
  });
});

test('the latency is that of the operation', async () => {
  const { ended } = await run([claimedItem('1')]);
  await vi.advanceTimersByTimeAsync(1_234);
  await end('1');
  await ended;
  expect(written[0]?.item.latencyMs).toBe(1_234);
});

test('an unfinished item returns to the queue with its result for as long as it says', async () => {
  expect(await resultOf({ outcome: ok({ rows: 2 }), againInMs: 900 })).toMatchObject({
    item: { ...base, state: 'waiting', reasonCode: null, reasonText: null, result: { rows: 2 }, againInMs: 900 },
  });
});

test('a failed item is retried after the wait of its reason, or ends with it', async () => {
  expect(await resultOf({ outcome: failed('METER_TIMEOUT', 'no answer') })).toMatchObject({
    item: { ...base, state: 'waiting', reasonCode: 'METER_TIMEOUT', reasonText: 'no answer', result: null, againInMs: 4_000 },
  });
  written = [];
  expect(await resultOf({ outcome: failed('KEYS_MISSING') })).toMatchObject({
    item: { ...base, state: 'read_fail', reasonCode: 'KEYS_MISSING', reasonText: null, result: null, againInMs: 0 },
  });
});

test('the retry rule of a task is obeyed', async () => {
  const params = { items: ['E_PLUS'], retry: { count: 1, intervalMinutes: 1 } };
  expect(await resultOf({ outcome: failed('DCU_OFFLINE') }, { params })).toMatchObject({ item: { state: 'waiting', againInMs: 120_000 } });
});

test('an item ends after its readings are stored; if they cannot be, it fails, and the channel is free meanwhile', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { ended } = await run([claimedItem('1'), claimedItem('2'), claimedItem('3')]);
  await end('1', { outcome: ok({ rows: 1 }), stored: promise });
  expect([started, written]).toEqual([['1', '2', '3'], []]);
  reject(new StorageUnavailable());
  await settle();
  expect(written.map(({ item }) => [item.id, item.state, item.reasonCode, item.reasonText])).toEqual([
    ['1', 'waiting', 'STORAGE_UNAVAILABLE', 'The readings could not be stored'],
  ]);
  await end('2', { outcome: ok({ rows: 1 }), stored: Promise.reject(new Error('null value in column')) });
  await end('3');
  await ended;
  expect(written.map(({ item }) => [item.id, item.reasonCode])).toContainEqual(['2', 'INTERNAL']);
});

const reasonAfter = async (error: Error, values: Partial<ClaimedItem> = {}) => {
  const { ended } = await run([claimedItem('1', values)]);
  await fail('1', error);
  await ended;
  return written.splice(0).map(({ item }) => item.reasonCode);
};

test('an operation that throws fails its item; without database it begins again unless a command may have been sent twice', async () => {
  expect(await reasonAfter(new Error('a bug'))).toEqual(['INTERNAL']);
  expect(await reasonAfter(new StorageUnavailable())).toEqual(['STORAGE_UNAVAILABLE']);
  expect(await reasonAfter(new StorageUnavailable(), { kind: 'relay_disconnect', params: {} })).toEqual(['STORAGE_UNAVAILABLE']);
  expect(await reasonAfter(new StorageUnavailable(), { kind: 'clock_sync', params: {} })).toEqual(['INTERNAL']);
});

test('an item of an unknown kind or with other params than declared fails without an operation', async () => {
  const { ended } = await run([
    claimedItem('1', { kind: 'unheard' }),
    claimedItem('2', { kind: 'events', params: {} }),
    claimedItem('3', { params: { items: 7 } }),
  ]);
  await ended;
  expect(started).toEqual([]);
  const texts = written.map(({ item }) => [item.state, item.reasonCode, item.reasonText]);
  expect(texts).toEqual([
    ['read_fail', 'INTERNAL', 'No operation is called unheard'],
    ['read_fail', 'INTERNAL', 'No operation is called events'],
    ['read_fail', 'INTERNAL', expect.stringContaining('items')],
  ]);
});

test('as many items run at once as the DCU serves, and never two of one meter', async () => {
  const { ended } = await run([claimedItem('1'), claimedItem('2', { meterId: 'meter of 1' }), claimedItem('3'), claimedItem('4')]);
  expect(started).toEqual(['1', '3']);
  await end('3');
  expect(started).toEqual(['1', '3', '4']);
  await end('1');
  expect(started).toEqual(['1', '3', '4', '2']);
  await end('4');
  await end('2');
  await ended;
  expect(written).toHaveLength(4);
});

test('the members of a shared item run as those of several, and those that were not started return when the DCU disconnects', async () => {
  let isOnline = true;
  tools.reach.isOnline = () => isOnline;
  const { ended } = await run([{ ...claimedItem('1', { priority: 5 }), meterIds: ['7', '8', '9', '10'] }], 'bulk');
  expect(started).toEqual(['meter 7', 'meter 8']);
  expect(tools.inFlight.size).toBe(1);
  await end('meter 8');
  expect(started).toEqual(['meter 7', 'meter 8', 'meter 9']);
  isOnline = false;
  await end('meter 7', { outcome: failed('METER_TIMEOUT') });
  await end('meter 9');
  await ended;
  expect(members).toEqual([
    ['8', 'read_success'],
    ['7', 'waiting'],
    ['9', 'read_success'],
    ['10', 'waiting'],
  ]);
  expect(written).toEqual([]);
});

test('items of the DCU itself do not wait for each other', async () => {
  const { ended } = await run([claimedItem('1', { meterId: null }), claimedItem('2', { meterId: null })]);
  expect(started).toEqual(['1', '2']);
  await end('1');
  await end('2');
  await ended;
});

test('a long-running item frees its slot after a while, and a worker too many ends', async () => {
  const { ended } = await run(
    [1, 2, 3, 4, 5].map((id) => claimedItem(String(id))),
    'bulk',
  );
  expect(started).toEqual(['1', '2']);
  await vi.advanceTimersByTimeAsync(FAIR_MS - 1);
  expect(started).toEqual(['1', '2']);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toEqual(['1', '2', '3', '4']);
  // Its slot is taken, so its worker takes no further item.
  await end('1');
  expect(started).toEqual(['1', '2', '3', '4']);
  await end('3');
  expect(started).toEqual(['1', '2', '3', '4', '5']);
  for (const id of ['2', '4', '5']) await end(id);
  await ended;
  expect(written).toHaveLength(5);
});

test('an order that takes long by declaration keeps its slot', async () => {
  const { ended } = await run([
    claimedItem('1', { kind: 'upgrade', params: { jobId: '1' } }),
    claimedItem('2'),
    claimedItem('3'),
    claimedItem('4'),
  ]);
  await vi.advanceTimersByTimeAsync(FAIR_MS);
  // Only the other item was replaced.
  expect(started).toEqual(['1', '2', '3']);
  for (const id of ['1', '2', '3', '4']) await end(id);
  await ended;
  expect(written).toHaveLength(4);
});

test('at most eight items run beside the slots', async () => {
  const { ended } = await run(
    Array.from({ length: 20 }, (_, index) => claimedItem(String(index))),
    'bulk',
  );
  for (let round = 0; round < 10; round++) await vi.advanceTimersByTimeAsync(FAIR_MS);
  expect(started).toHaveLength(10);
  for (let index = 0; index < 20; index++) await end(String(index));
  await ended;
  expect(written).toHaveLength(20);
});

test('new work starts in a free slot beside a long item, and an empty queue is not asked again without notice', async () => {
  const work = await run([claimedItem('1')]);
  const before = claims;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(claims).toBe(before);
  queued = [claimedItem('2')];
  work.notifyNewWork();
  await settle();
  expect(started).toEqual(['1', '2']);
  await end('1');
  await end('2');
  await work.ended;
});

test('an unreachable DCU fails its waiting items, and none is claimed', async () => {
  isReachable = false;
  const onChanged = vi.fn();
  const pool = { query: vi.fn(query) };
  tools = { ...tools, onChanged, pool: pool as unknown as Pool }; // as: a lane only calls query
  const { ended } = await run([claimedItem('1')]);
  await ended;
  expect([claims, started, failedIds]).toEqual([0, [], ['77']]);
  expect(pool.query.mock.lastCall?.slice(1)).toEqual([['5', 5]]);
  expect(onChanged.mock.calls).toEqual([[[{ id: '77', taskId: '1' }]]]);
});

test('a lane ends when the claim fails, or the statement that fails the items of an unreachable DCU', async () => {
  const { log, lines } = recordedLog();
  tools = { ...tools, log, pool: { query: () => Promise.reject(new Error('connect ECONNREFUSED')) } as unknown as Pool }; // as: a lane only calls query
  const { ended } = await run([claimedItem('1')]);
  await expect(ended).resolves.toBeUndefined();
  isReachable = false;
  await expect((await run([])).ended).resolves.toBeUndefined();
  const failure = { level: 'error', error: errorIn('connect ECONNREFUSED'), dcuId: '5', lane: 'operator' };
  expect(lines).toEqual([
    { ...failure, message: 'Items could not be claimed' },
    { ...failure, message: 'A worker failed' },
  ]);
});

test('a lane that has ended starts nothing more', async () => {
  const work = await run([claimedItem('1')]);
  await end('1');
  await work.ended;
  const before = claims;
  queued = [claimedItem('2')];
  work.notifyNewWork();
  await settle();
  expect([claims, started]).toEqual([before, ['1']]);
});

test('the items that a lane has claimed and not started return to the queue when the DCU disconnects', async () => {
  let isOnline = true;
  const released: unknown[] = [];
  const pool = {
    query: (statement: string | { name: string }, values?: unknown[]) => {
      if (typeof statement === 'string') released.push(values?.[1]);
      return query(statement);
    },
  };
  tools = { ...tools, pool: pool as unknown as Pool, reach: { ...tools.reach, isOnline: () => isOnline } }; // as: a lane only calls query
  const { ended } = await run([claimedItem('1'), claimedItem('2'), claimedItem('3')]);
  isOnline = false;
  await end('1');
  await end('2');
  await ended;
  expect([started, released]).toEqual([['1', '2'], [['3']]]);
});

test('a failure of an operation, and readings that are not stored, are in the log with their item', async () => {
  const { log, lines } = recordedLog();
  tools = { ...tools, log };
  const { ended } = await run([claimedItem('1'), claimedItem('2', { taskId: '9' })]);
  await fail('1', new Error('a bug'));
  await end('2', { outcome: ok({ rows: 1 }), stored: Promise.reject(new Error('no disk')) });
  await ended;
  expect(lines).toEqual([
    { level: 'error', message: 'An operation failed', error: errorIn('a bug'), taskId: '1', itemId: '1', kind: 'registers' },
    { level: 'error', message: 'Readings of an item were not stored', error: errorIn('no disk'), taskId: '9', itemId: '2' },
  ]);
});

test('readings that a stopping server does not store are no error: the item is read again', async () => {
  const { log, lines } = recordedLog();
  let isStopping = false;
  tools = { ...tools, log, stopping: () => isStopping };
  const { ended } = await run([claimedItem('1')]);
  isStopping = true;
  await end('1', { outcome: ok({ rows: 1 }), stored: Promise.reject(new Error('closed')) });
  await ended;
  expect(lines).toMatchObject([{ level: 'info', message: 'Readings of an item were not stored', itemId: '1' }]);
});
