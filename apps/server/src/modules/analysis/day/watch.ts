import { sql } from 'kysely';
import { findThresholds } from '#modules/analysis/balance/api.ts';
import { endCutOff } from '#modules/analysis/bill/api.ts';
import type { Context } from '#platform/context.ts';
import { computeDay } from './compute.ts';

const EVERY_MS = 20_000;
/** A reading is committed a moment after it was read: what was read just now is looked at once more. */
const LATE_MS = 60_000;
/** Older days are made anew when somebody calculates them. */
const LOOK_BACK_DAYS = 40;
const TRANSFORMERS_AT_ONCE = 20;

interface Touched {
  day: string;
  transformers: string[];
}

type Parts = Pick<Context, 'db' | 'clock' | 'settings' | 'log'>;

/** Days that readings touch: a freeze ends one day and begins the next. */
async function findTouched(ctx: Parts, since: Date): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    select day::text as day, array_agg(distinct transformer_id) as transformers from (
      select r.freeze_date - k as day, m.transformer_id from reading_daily r join meter m on m.id = r.meter_id cross join generate_series(0, 1) k
      where r.read_at >= ${since} and r.freeze_date >= ${new Date(ctx.clock.now())}::date - ${LOOK_BACK_DAYS}::int and m.transformer_id is not null
    ) touched
    where (day + 1)::timestamp at time zone ${ctx.settings.timeZone} <= ${new Date(ctx.clock.now())}
    group by day order by day`.execute(ctx.db);
  return rows;
}

/** Makes the days anew that arrivals since the last look have touched. Answers how many days of transformers that were. */
export async function followArrivals(ctx: Parts): Promise<number> {
  const { db, clock, settings } = ctx;
  const now = clock.now();
  const { rows } = await sql<{ readUntil: Date }>`select read_until from analysis_mark`.execute(db);
  const touched = await findTouched(ctx, rows[0]?.readUntil ?? new Date(0));
  const limits = await findThresholds(db);
  let done = 0;
  for (const { day, transformers } of touched) {
    for (let at = 0; at < transformers.length; at += TRANSFORMERS_AT_ONCE) {
      const some = transformers.slice(at, at + TRANSFORMERS_AT_ONCE);
      await computeDay(db, { day, transformers: some, zone: settings.timeZone, limits });
      done += some.length;
    }
  }
  await sql`insert into analysis_mark (read_until) values (${new Date(now - LATE_MS)}) on conflict (id) do update set read_until = excluded.read_until`.execute(
    db,
  );
  return done;
}

/** Follows the arrivals until it is stopped. */
export async function startAnalysis(ctx: Parts): Promise<{ stop(): Promise<void> }> {
  await endCutOff(ctx.db);
  let running: Promise<void> = Promise.resolve();
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    running = followArrivals(ctx)
      .then(() => undefined)
      .catch((error: unknown) => ctx.log.warn('Arrivals could not be analysed', { error }))
      .finally(() => (isBusy = false));
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
