import { sql } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import type { Db } from '#db/context.ts';

/** The analysis job recomputes days up to this age. Users recompute older days by a calculation. */
const LOOK_BACK_DAYS = 40;
/** Maximum distance of two freezes between which days are interpolated. */
const GAP_DAYS = 31;

interface Touched {
  day: string;
  transformers: string[];
}

/**
 * Days to recompute. A new freeze affects all days from the previous to the next freeze, because they may have been interpolated.
 * Changed limits of a meter affect the days that were judged by the old limits.
 */
export async function findTouched(db: Db, since: Date, now: Date, zone: string): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    select day::text as day, array_agg(distinct transformer_id) as transformers from (
      select day::date as day, m.transformer_id from freezes_read_since(${since}, ${now}::date - ${LOOK_BACK_DAYS}::int, 'infinity') r join meter m on m.id = r.meter_id
      left join lateral (select b.freeze_date from freezes_of(r.meter_id, r.freeze_date - ${GAP_DAYS}::int, r.freeze_date - 1) b order by b.freeze_date desc limit 1) before on true
      left join lateral (select a.freeze_date from freezes_of(r.meter_id, r.freeze_date + 1, r.freeze_date + ${GAP_DAYS}::int) a order by a.freeze_date limit 1) after on true
      cross join lateral generate_series(coalesce(before.freeze_date, r.freeze_date - 1)::timestamp, (coalesce(after.freeze_date, r.freeze_date + 1) - 1)::timestamp,
        interval '1 day') day
      where m.transformer_id is not null
      union all
      select b.day, b.transformer_id from meter_limit l join meter m on m.id = l.meter_id join energy_balance b on b.transformer_id = m.transformer_id
      where l.changed_at >= ${since} and b.day >= ${now}::date - ${LOOK_BACK_DAYS}::int
    ) touched
    where ${localDayBegins(sql`day + 1`, zone)} <= ${now}
    group by day order by day`.execute(db);
  return rows;
}

/** Watermark of the analysed readings by read time; undefined before the first run. */
export async function findReadUntil(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ readUntil: Date }>`select read_until from analysis_mark`.execute(db);
  return rows[0]?.readUntil;
}

export const markReadUntil = (db: Db, until: Date) =>
  sql`insert into analysis_mark (read_until) values (${until}) on conflict (id) do update set read_until = excluded.read_until`.execute(db);
