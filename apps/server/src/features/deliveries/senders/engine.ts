import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { deliver } from './deliver.ts';
import { findActiveSenders } from './queries.ts';
import { WebhookClient } from './webhook.ts';

const EVERY_MS = 1000;

/** Starts the deliveries of all senders, on the node that has their turn. A slow receiver delays no other one. */
export function startDeliveries(
  ctx: Pick<Context, 'db' | 'settings' | 'secrets' | 'clock' | 'log'>,
  turns: Turns,
  networks: readonly string[],
): PeriodicJob {
  const client = new WebhookClient();
  const running = new Map<string, Promise<void>>();
  let isStopping = false;
  const start = async () => {
    for (const sender of await findActiveSenders(ctx.db)) {
      if (running.has(sender.id)) continue;
      const run = deliver({ ctx, client, networks }, sender, () => isStopping)
        .catch((error: unknown) => ctx.log.warn('A delivery failed; the next attempt follows', { error, sender: sender.name }))
        .finally(() => running.delete(sender.id));
      running.set(sender.id, run);
    }
  };
  const job = startPeriodicJob(EVERY_MS, inTurn(turns, 'deliveries', start), (error) =>
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
      client.close();
      await Promise.all(running.values());
    },
  };
}
