import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { Connections, isKnown, periodOf } from './connections.ts';
import { deliver } from './deliver.ts';
import type { DeliveryReach } from './kinds/kind.ts';
import { findActiveSenders, storeRun, type StoredSender } from './queries.ts';

const EVERY_MS = 1000;

type Tools = Pick<Context, 'db' | 'settings' | 'secrets' | 'clock' | 'log'>;

/** Whether a sender runs now: always, or, on a schedule, until one run in the present period has left nothing behind. */
function isDue(sender: StoredSender, now: number): boolean {
  const periodMs = periodOf(sender);
  return periodMs === undefined || Math.floor(now / periodMs) > Math.floor(sender.lastRunAt.getTime() / periodMs);
}

/** One run of a sender. */
async function run(ctx: Tools, connections: Connections, sender: StoredSender, mustStop: () => boolean): Promise<void> {
  const beganAt = new Date(ctx.clock.now());
  if (!isDue(sender, beganAt.getTime())) return;
  const after = await deliver({ ctx, connections }, sender, mustStop);
  if (after !== undefined && after.failures === 0 && periodOf(sender) !== undefined) await storeRun(ctx.db, after, beganAt);
}

/** Starts the deliveries of all senders, on the node that has their turn. A slow receiver delays no other one. */
export function startDeliveries(ctx: Tools, turns: Turns, reach: DeliveryReach): PeriodicJob {
  const connections = new Connections(ctx, reach);
  const running = new Map<string, Promise<void>>();
  let isStopping = false;
  let active = new Set<string>();
  const start = async () => {
    const senders = (await findActiveSenders(ctx.db)).filter(isKnown);
    active = new Set(senders.map(({ id }) => id));
    for (const sender of senders) {
      if (running.has(sender.id)) continue;
      const ended = run(ctx, connections, sender, () => isStopping)
        .catch((error: unknown) => ctx.log.warn('A delivery failed; the next attempt follows', { error, sender: sender.name }))
        .finally(() => running.delete(sender.id));
      running.set(sender.id, ended);
    }
  };
  const startInTurn = inTurn(turns, 'deliveries', start);
  const tick = async () => {
    // Without the turn no sender is active, and the other node opens connections of its own.
    active = new Set();
    await startInTurn();
    await connections.closeIdle(active, (id) => running.has(id));
  };
  const job = startPeriodicJob(EVERY_MS, tick, (error) =>
    ctx.log.warn('The senders could not be read; the next attempt follows', { error }),
  );
  return {
    async runNow() {
      await job.runNow();
      await Promise.all(running.values());
    },
    async stop() {
      isStopping = true;
      await job.stop();
      await connections.close();
      await Promise.all(running.values());
      await connections.close();
    },
  };
}
