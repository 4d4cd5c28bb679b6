import type { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { Held } from './held.ts';
import type { ClaimedItem } from './operation.ts';
import { Supply, type SupplyTools } from './supply.ts';

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

/** A database that gives one item, and is gone when the item is to be given back. */
function goneAfterClaim(): Pool {
  const query = vi
    .fn()
    .mockResolvedValueOnce({ rows: [ITEM], rowCount: 1 })
    .mockRejectedValue(new Error('connect ECONNREFUSED'));
  return { query } as unknown as Pool; // as: nothing else is asked of it
}

const toolsOf = (pool: Pool, held: Held): SupplyTools => ({
  pool,
  held,
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
  isHeld: () => true,
});

// Simulation, seed 3762: a task was paused, and the database crashed before its items were given back. The head-end ended.
test('work of a paused task that cannot be given back ends no process: its lease runs out', async () => {
  const held = new Held();
  const supply = new Supply(toolsOf(goneAfterClaim(), held), '1', 'operator');
  await expect(supply.next()).resolves.toBeUndefined();
  expect(held.size).toBe(0);
  await expect(supply.close()).resolves.toBeUndefined();
});
