import { applyLater, findLater } from '#db/later-migrations.ts';
import type { Migration } from '#db/migration.ts';
import type { Log } from '#platform/log.ts';
import { startPeriodicJob } from '#platform/periodic-job.ts';
import type { RunningDatabase } from './database.ts';

const LOOK_MS = 30_000;

/**
 * Applies backfills and contractions in the background, from now on and whenever head-ends of earlier versions may have ended. Any head-end that
 * knows them does so, because one of an earlier version does not. Returns a function that ends it.
 */
export function startLaterMigrations(
  { pool, asOwner }: Pick<RunningDatabase, 'pool' | 'asOwner'>,
  migrations: readonly Migration[],
  log: Log,
): () => Promise<void> {
  const aborting = new AbortController();
  let isDone = false;
  let told = '';
  const look = async () => {
    if (isDone) return;
    const later = await findLater(pool, migrations);
    isDone = later.length === 0;
    if (isDone) return;
    await asOwner(async (owner) => {
      const waiting = await applyLater(owner, log, later, aborting.signal);
      const text = JSON.stringify(waiting ?? '');
      if (waiting !== undefined && text !== told)
        log.warn('A contraction of the database waits for head-ends of earlier versions', { ...waiting });
      told = text;
    });
  };
  const job = startPeriodicJob(LOOK_MS, look, (error) =>
    log.error('A migration on the running system failed and is tried again', { error }),
  );
  void job.runNow();
  return async () => {
    aborting.abort();
    await job.stop();
  };
}
