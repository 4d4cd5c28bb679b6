import type { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { InFlight } from './in-flight.ts';
import type { ClaimedItem } from './operation.ts';
import { ClaimBuffer, type ClaimBufferTools } from './claim-buffer.ts';

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
    .mockResolvedValueOnce({ rows: [ITEM], rowCount: 1 })
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
    parallelMeters: () => 1,
    prepare: () => Promise.resolve(),
    onReachable: () => () => undefined,
  },
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
