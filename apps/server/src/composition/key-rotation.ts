import { endRotation } from '#db/master-keys.ts';
import type { Context } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { hasFormerOrders } from './reseal-queries.ts';
import { resealAll } from './reseal.ts';

const EVERY_MS = 10_000;
/** Pause between batches, so that requests and DCU connections get their turn. */
const PAUSE_MS = 20;

/**
 * Reseals stored secrets with the current master key in the background while a previous key is configured. It ends when a pass
 * finds no secret of the previous key and no relay command from before the rotation may still be executed.
 */
export function startKeyRotation(ctx: Context): PeriodicJob {
  let isStopping = false;
  const goOn = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (isStopping) return resolve(false);
      setTimeout(() => resolve(!isStopping), PAUSE_MS);
    });
  async function look(): Promise<void> {
    if (ctx.secrets.previous === undefined) return;
    const found = await resealAll({ db: ctx.db, secrets: ctx.secrets, goOn });
    if (found === undefined) return;
    if (found.unreadable > 0)
      ctx.log.warn('Stored secrets are opened neither by the master key nor by the previous one', { number: found.unreadable });
    if (found.renewed > 0) return ctx.log.info('Stored secrets were sealed with the new master key', { number: found.renewed });
    if (await hasFormerOrders(ctx.db))
      return ctx.log.info('The rotation of the master key waits for relay commands that were ordered before it');
    if (await endRotation(ctx))
      ctx.log.info(
        'The rotation of the master key is finished: take HES_MASTER_KEY_PREVIOUS and master.key.previous away, and destroy the former key',
      );
  }
  const watching = startPeriodicJob(EVERY_MS, look, (error) =>
    ctx.log.warn('Stored secrets could not be sealed with the new master key', { error }),
  );
  void watching.runNow();
  return {
    runNow: watching.runNow,
    async stop() {
      isStopping = true;
      await watching.stop();
    },
  };
}
