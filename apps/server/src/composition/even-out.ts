import type { Pool } from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import type { Field } from '#field/start-field.ts';
import { findHeldPerNode, findDialInIds } from '#nodes/queries.ts';
import type { Log } from '#platform/log.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import type { Dispatcher } from '#tasks/dispatcher.ts';

const LOOK_EVERY_MS = 60_000;
const ROUND_MS = 50;
/** A node lets devices go when it holds more than this, in relation to the mean. */
const UNEVEN = 1.1;
/** Smaller differences cost more reconnections than they save. */
const LEAST_SURPLUS = 10;

export interface EvenOutParts {
  pool: Pool;
  field: Pick<Field, 'node' | 'connected'>;
  dispatcher: Pick<Dispatcher, 'isBusy'>;
  log: Log;
  /** Smallest number of devices that are let go. Default: 10. */
  leastSurplus?: number;
}

/** Number of devices to let go, given how many this node and each node that takes work hold. */
export function surplusOf(own: number, held: readonly number[], least = LEAST_SURPLUS): number {
  const mean = held.reduce((sum, each) => sum + each, 0) / held.length;
  const surplus = Math.floor(own - mean);
  return own > UNEVEN * mean && surplus >= least ? surplus : 0;
}

/**
 * Closes connections of devices that dial in, one per round and only idle ones, while this node holds more of them than the others do: a
 * balancer before the nodes sends them to one that holds fewer. A new node would otherwise stay empty until devices reconnect by themselves.
 * Returns the number of devices let go.
 */
export async function evenOut({ pool, field, dispatcher, log, leastSurplus }: EvenOutParts): Promise<number> {
  const { node, connected } = field;
  if (node.isDraining || node.alive.length < 2) return 0;
  const held = await findHeldPerNode(pool);
  const surplus = surplusOf(held.get(node.id) ?? 0, [...held.values()], leastSurplus);
  if (surplus === 0) return 0;
  let gone = 0;
  for (const id of await findDialInIds(pool, node.id)) {
    if (gone === surplus || node.isDraining) break;
    if (dispatcher.isBusy(id)) continue;
    connected.handOver(id);
    gone++;
    await wait(ROUND_MS);
  }
  log.info('This node held more devices than others: some connect again', { devices: gone });
  return gone;
}

/** Evens out every minute. */
export const startEvenOut = (parts: EvenOutParts): PeriodicJob =>
  startPeriodicJob(
    LOOK_EVERY_MS,
    async () => void (await evenOut(parts)),
    (error) => parts.log.warn('The devices of the nodes could not be compared', { error }),
  );
