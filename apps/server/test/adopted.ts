import type { Pool } from 'pg';
import type { Epoch } from '#nodes/epoch.ts';
import { openSessionRow } from '../src/field/queries.ts';

/** Makes a node the holder of an endpoint, as a connection does, and returns the proof. */
export const adopted = (pool: Pool, dcuId: string, nodeId = '1'): Promise<Epoch> =>
  openSessionRow(pool, { dcuId, claimedName: 'TEST', direction: 'dial_in', remote: 'here', openMs: 0, nodeId });
