import type { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import type { Epoch } from '#nodes/epoch.ts';
import { errorIn, recordedLog } from '../../test/recorded-log.ts';
import { InFlight } from './in-flight.ts';
import type { ClaimedItem } from './operation.ts';
import { ClaimBuffer, lanesBetween, type ClaimBufferTools } from './claim-buffer.ts';

const ITEM: ClaimedItem = {
  id: '1',
  taskId: '1',
  kind: 'lpa',
  source: 'user',
  priority: 3,
  deviceKind: 'meter',
  dcuId: '1',
  meterId: '1',
  attempts: 1,
  params: {},
};

/** A database that answers one claim and then fails, also for the release of the item. */
function goneAfterClaim(): Pool {
  const query = vi
    .fn()
    .mockResolvedValueOnce({ rows: [{ ...ITEM, meterIds: null }], rowCount: 1 })
    .mockRejectedValue(new Error('connect ECONNREFUSED'));
  return { query } as unknown as Pool; // as: the buffer only calls query
}

const nothing = () => undefined;

const toolsOf = (pool: Pool, inFlight: InFlight): ClaimBufferTools => ({
  pool,
  inFlight,
  log: createLog('silent'),
  owner: 'server',
  reach: {
    connect: () => Promise.resolve(true),
    isOnline: () => true,
    epochOf: () => '1' as Epoch, // as: the answers of the database are given
    parallelMeters: () => 1,
    prepare: () => Promise.resolve(),
    onDatabaseBack: () => undefined,
    onReachable: () => () => undefined,
  },
  resultWriter: { addMember: () => undefined },
  onChanged: () => undefined,
  stopping: () => false,
  isSuspended: () => true,
});

// Simulation, seed 3762: the database crashed before the items of a paused task were released, and the server process ended.
test('a failing release of items of a paused task does not end the process', async () => {
  const inFlight = new InFlight();
  const buffer = new ClaimBuffer(toolsOf(goneAfterClaim(), inFlight), '1', 'operator');
  await expect(buffer.next(() => false, nothing)).resolves.toBeUndefined();
  expect(inFlight.size).toBe(0);
  await expect(buffer.close()).resolves.toBeUndefined();
});

test('items of a suspended task are released although their meter is busy', async () => {
  const inFlight = new InFlight();
  const buffer = new ClaimBuffer(toolsOf(goneAfterClaim(), inFlight), '1', 'operator');
  await expect(buffer.next(() => true, nothing)).resolves.toBeUndefined();
  expect(inFlight.size).toBe(0);
});

/** A database that records claims and releases; each claim finds the next of the given batches. */
function recording(...batches: ClaimedItem[][]) {
  const claims: unknown[][] = [];
  const released: unknown[] = [];
  const query = (statement: string | { values: unknown[] }, values?: unknown[]) => {
    if (typeof statement === 'string') released.push(values?.[1]);
    else claims.push(statement.values);
    return Promise.resolve({
      rows: typeof statement === 'string' ? [] : (batches.shift() ?? []).map((item) => ({ meterIds: null, ...item })),
      rowCount: 0,
    });
  };
  return { pool: { query } as unknown as Pool, claims, released }; // as: the buffer only calls query
}

const itemsOf = (from: number, count: number): ClaimedItem[] =>
  Array.from({ length: count }, (_, index) => ({ ...ITEM, id: String(from + index), meterId: String(from + index) }));
const free = () => false;

test('a lane has the priorities of operators or those of collection', () => {
  expect([lanesBetween(1, 1), lanesBetween(4, 4), lanesBetween(5, 5), lanesBetween(9, 9), lanesBetween(4, 5), lanesBetween(1, 9)]).toEqual([
    ['operator'],
    ['operator'],
    ['bulk'],
    ['bulk'],
    ['operator', 'bulk'],
    ['operator', 'bulk'],
  ]);
});

test('an operator lane claims four items when it has none left, and announces them; after a claim that is not full it waits for notice', async () => {
  const { pool, claims } = recording(itemsOf(1, 4), itemsOf(5, 1), itemsOf(6, 1));
  const inFlight = new InFlight();
  const onChanged = vi.fn();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, inFlight), isSuspended: free, onChanged }, '7', 'operator');
  const taken: (string | undefined)[] = [];
  const take = async () => void taken.push((await buffer.next(free, nothing))?.id);
  await take();
  expect(claims).toEqual([['7', 1, 4, 4, 'server', '1']]);
  expect(onChanged.mock.calls).toEqual([[itemsOf(1, 4)]]);
  expect(inFlight.ids).toEqual(['1', '2', '3', '4']);
  for (let more = 0; more < 3; more++) await take();
  expect(claims).toHaveLength(1);
  await take();
  await take();
  expect(claims).toHaveLength(2);
  buffer.allowClaim();
  await take();
  await take();
  expect([claims.length, taken]).toEqual([3, ['1', '2', '3', '4', '5', undefined, '6', undefined]]);
});

test('a bulk lane claims 64 items, and the next when half of them are left, without announcing them', async () => {
  const { pool, claims } = recording(itemsOf(1, 64), itemsOf(65, 3));
  const onChanged = vi.fn();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, new InFlight()), isSuspended: free, onChanged }, '7', 'bulk');
  for (let taken = 1; taken <= 32; taken++) {
    expect((await buffer.next(free, nothing))?.id).toBe(String(taken));
    expect(claims).toEqual([['7', 5, 9, 64, 'server', '1']]);
  }
  await buffer.next(free, nothing);
  expect(claims).toHaveLength(2);
  expect(onChanged).not.toHaveBeenCalled();
});

test('items of a busy meter stay in the buffer, and are released when it is closed', async () => {
  const { pool, released } = recording(itemsOf(1, 2));
  const inFlight = new InFlight();
  const onChanged = vi.fn();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, inFlight), isSuspended: free, onChanged }, '7', 'operator');
  const isBusy = ({ meterId }: ClaimedItem) => meterId === '1';
  expect((await buffer.next(isBusy, nothing))?.id).toBe('2');
  expect(await buffer.next(isBusy, nothing)).toBeUndefined();
  await buffer.close();
  expect([released, inFlight.ids]).toEqual([[['1']], ['2']]);
  expect(onChanged).toHaveBeenLastCalledWith([expect.objectContaining({ id: '1' })]);
  await buffer.close();
  expect(released).toHaveLength(1);
});

test('items of a paused task are released, and others are executed', async () => {
  const { pool, released } = recording(itemsOf(1, 3));
  const inFlight = new InFlight();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, inFlight), isSuspended: ({ id }) => id !== '2' }, '7', 'operator');
  expect((await buffer.next(free, nothing))?.id).toBe('2');
  expect([released, inFlight.ids]).toEqual([[['1', '3']], ['2']]);
});

test('nothing is claimed for a DCU that is offline, or while the server stops', async () => {
  const { pool, claims } = recording(itemsOf(1, 1));
  const tools = { ...toolsOf(pool, new InFlight()), isSuspended: free };
  const offline = { ...tools, reach: { ...tools.reach, isOnline: free } };
  expect(await new ClaimBuffer(offline, '7', 'bulk').next(free, nothing)).toBeUndefined();
  expect(await new ClaimBuffer({ ...tools, stopping: () => true }, '7', 'bulk').next(free, nothing)).toBeUndefined();
  expect(claims).toEqual([]);
});

test('items that cannot be prepared are not executed, and return to the queue with their lease', async () => {
  const { pool, claims } = recording(itemsOf(1, 4), itemsOf(5, 1));
  const inFlight = new InFlight();
  const tools = { ...toolsOf(pool, inFlight), isSuspended: free };
  const prepare = vi.fn().mockRejectedValueOnce(new Error('no database')).mockResolvedValue(undefined);
  const buffer = new ClaimBuffer({ ...tools, reach: { ...tools.reach, prepare } }, '7', 'operator');
  expect(await buffer.next(free, nothing)).toBeUndefined();
  expect([claims.length, inFlight.size]).toEqual([1, 0]);
  buffer.allowClaim();
  expect((await buffer.next(free, nothing))?.id).toBe('5');
  expect(prepare).toHaveBeenLastCalledWith([expect.objectContaining({ id: '5' })]);
});

test('a taken item is announced before it is returned', async () => {
  const { pool } = recording(itemsOf(1, 1));
  const onTaken = vi.fn();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, new InFlight()), isSuspended: free }, '7', 'operator');
  const item = await buffer.next(free, onTaken);
  expect(onTaken.mock.calls).toEqual([[item]]);
});

test('nothing is claimed without the proof that this node holds the connection', async () => {
  const { pool, claims } = recording(itemsOf(1, 1));
  const tools = { ...toolsOf(pool, new InFlight()), isSuspended: free };
  const lost = { ...tools, reach: { ...tools.reach, epochOf: () => undefined } };
  expect(await new ClaimBuffer(lost, '7', 'operator').next(free, nothing)).toBeUndefined();
  expect(claims).toEqual([]);
});

test('closing waits for a claim that is under way and releases its items, and nothing is claimed after it', async () => {
  const { pool, claims, released } = recording(itemsOf(1, 4), itemsOf(5, 4));
  const inFlight = new InFlight();
  const buffer = new ClaimBuffer({ ...toolsOf(pool, inFlight), isSuspended: free }, '7', 'operator');
  const taken = buffer.next(free, nothing);
  await buffer.close();
  expect((await taken)?.id).toBe('1');
  expect([released, inFlight.ids]).toEqual([[['2', '3', '4']], ['1']]);
  expect(await buffer.next(free, nothing)).toBeUndefined();
  expect(claims).toHaveLength(1);
});

test('a claim and a release that fail are in the log', async () => {
  const { log, lines } = recordedLog();
  const releasing = new ClaimBuffer({ ...toolsOf(goneAfterClaim(), new InFlight()), log }, '7', 'operator');
  await releasing.next(free, nothing);
  releasing.allowClaim();
  await releasing.next(free, nothing);
  const error = errorIn('connect ECONNREFUSED');
  expect(lines).toEqual([
    { level: 'warn', message: 'Claimed items could not be released and return to the queue later', error, items: 1 },
    { level: 'error', message: 'Items could not be claimed', error, dcuId: '7', lane: 'operator' },
  ]);
});
