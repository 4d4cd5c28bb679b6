import type { Context } from '#db/context.ts';
import { createPartitions } from '#db/partitions.ts';
import { deleteExpiredRows, findRetention } from '#db/retention.ts';
import { deleteOldAlarms } from '#features/alarms/port.ts';
import { clearOutbox, clearSenders } from '#features/deliveries/port.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';

const EVERY_MS = 6 * 3_600_000;
const YEAR_MS = 366 * 86_400_000;

/** Starts the periodic job that creates the partitions of the coming months and deletes old rows. */
export function startRetention({ db, pool, clock, log }: Pick<Context, 'db' | 'pool' | 'clock' | 'log'>, turns: Turns): PeriodicJob {
  const keep = async () => {
    await createPartitions(pool, clock.now());
    const { outboxDays, eventYears } = await findRetention(pool);
    await clearOutbox(db, outboxDays);
    await clearSenders(db, outboxDays);
    await deleteOldAlarms(db, new Date(clock.now() - eventYears * YEAR_MS));
    const forgotten = await deleteExpiredRows(pool, clock.now());
    log.info('Old data was let go', { ...forgotten });
  };
  return startPeriodicJob(EVERY_MS, inTurn(turns, 'retention', keep), (error) => log.error('The partitions were not kept', { error }));
}
