import { sql } from 'kysely';
import type { Db } from '#platform/context.ts';

/** Older days are made anew when somebody calculates them. */
const LOOK_BACK_DAYS = 40;

interface Touched {
  day: string;
  transformers: string[];
}

/** Days that readings touch: a freeze ends one day and begins the next. */
export async function findTouched(db: Db, since: Date, now: Date, zone: string): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    select day::text as day, array_agg(distinct transformer_id) as transformers from (
      select r.freeze_date - k as day, m.transformer_id from reading_daily r join meter m on m.id = r.meter_id cross join generate_series(0, 1) k
      where r.read_at >= ${since} and r.freeze_date >= ${now}::date - ${LOOK_BACK_DAYS}::int and m.transformer_id is not null
    ) touched
    where (day + 1)::timestamp at time zone ${zone} <= ${now}
    group by day order by day`.execute(db);
  return rows;
}

/** Up to when arrivals have been looked at; undefined before the first look. */
export async function findReadUntil(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ readUntil: Date }>`select read_until from analysis_mark`.execute(db);
  return rows[0]?.readUntil;
}

export const markReadUntil = (db: Db, until: Date) =>
  sql`insert into analysis_mark (read_until) values (${until}) on conflict (id) do update set read_until = excluded.read_until`.execute(db);
