import { findThresholds } from '#features/balance/balance/queries.ts';
import type { JobKind } from '#jobs/job-queue.ts';
import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { computeDay } from './compute-queries.ts';
import { findReadUntil, findTouched, markReadUntil } from './queries.ts';

const EVERY_MS = 20_000;
/** Overlap of two runs, because a reading is committed some time after its read time. */
const LATE_MS = 60_000;
const TRANSFORMERS_AT_ONCE = 20;

type Parts = Pick<Context, 'db' | 'clock' | 'settings' | 'log'>;

/** Recomputes the days affected by readings since the last run. Returns the number of pairs of day and transformer. */
export async function followArrivals(ctx: Parts): Promise<number> {
  const { db, clock, settings } = ctx;
  const now = clock.now();
  const since = (await findReadUntil(db)) ?? new Date(0);
  const touched = await findTouched(db, since, new Date(clock.now()), settings.timeZone);
  const limits = await findThresholds(db);
  let done = 0;
  for (const { day, transformers } of touched) {
    for (let at = 0; at < transformers.length; at += TRANSFORMERS_AT_ONCE) {
      const some = transformers.slice(at, at + TRANSFORMERS_AT_ONCE);
      await computeDay(db, { day, transformers: some, zone: settings.timeZone, limits });
      done += some.length;
    }
  }
  await markReadUntil(db, new Date(now - LATE_MS));
  return done;
}

const ARRIVALS_JOB = 'arrivals';

/** One process at a time analyses new readings. After a crash the next run continues from the watermark. */
export const arrivalJobs = (ctx: Parts): JobKind => ({
  name: ARRIVALS_JOB,
  workers: 1,
  run: async () => void (await followArrivals(ctx)),
  giveUp: (_subject, error) => Promise.resolve(ctx.log.warn('Arrivals could not be analysed', { error })),
});

/** Starts the periodic job that orders the analysis of new readings. */
export const startAnalysis = (ctx: Pick<Context, 'db' | 'jobs' | 'log'>, turns: Turns): PeriodicJob =>
  startPeriodicJob(
    EVERY_MS,
    inTurn(turns, 'arrivals', async () => {
      await ctx.db.transaction().execute((tx) => ctx.jobs.order(tx, ARRIVALS_JOB, ARRIVALS_JOB));
      ctx.jobs.wake(ARRIVALS_JOB);
    }),
    (error) => ctx.log.warn('The analysis of arrivals could not be ordered', { error }),
  );
