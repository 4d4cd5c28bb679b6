import { sql } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface ManualLine {
  sn: string;
  date: string;
  /** kWh: total import and export, then tariffs 1 to 4 of each. */
  registers: (number | null)[];
}

export interface Neighbour {
  meterId: string;
  /** Total import of the readings before and after the day, and the source of an existing reading of that day. */
  before: number | null;
  after: number | null;
  source: string | null;
}

/** Neighbouring readings of each line by `sn/date`. Meters outside of the user's area are left out. */
export async function findNeighbours(db: Db, user: User, lines: ManualLine[]): Promise<Map<string, Neighbour>> {
  const { rows } = await sql<Neighbour & { sn: string; date: string }>`
    select n.sn, n.date::text as date, meter.id as meter_id, own.source,
      (select e_plus::float8 from freezes_of(meter.id, '-infinity', n.date - 1) r where e_plus is not null order by freeze_date desc limit 1) as before,
      (select e_plus::float8 from freezes_of(meter.id, n.date + 1, 'infinity') r where e_plus is not null order by freeze_date limit 1) as after
    from unnest(${lines.map(({ sn }) => sn)}::text[], ${lines.map(({ date }) => date)}::date[]) as n (sn, date)
    join meter on meter.sn = n.sn
    left join lateral freeze_of(meter.id, n.date) own on true
    where ${visible('meter.transformerId', user)}`.execute(db);
  return new Map(rows.map(({ sn, date, ...neighbour }) => [`${sn}/${date}`, neighbour]));
}

/** Stores manual readings and counts them as received. Readings from the meter are never overwritten. */
export async function storeManual(tx: Tx, lines: (ManualLine & { meterId: string })[], timeZone: string): Promise<void> {
  const column = (index: number) => lines.map(({ registers }) => registers[index] ?? null);
  await sql`
    with n as (
      select * from unnest(${lines.map(({ meterId }) => meterId)}::bigint[], ${lines.map(({ date }) => date)}::date[],
        ${column(0)}::numeric[], ${column(1)}::numeric[], ${column(2)}::numeric[], ${column(3)}::numeric[], ${column(4)}::numeric[], ${column(5)}::numeric[],
        ${column(6)}::numeric[], ${column(7)}::numeric[], ${column(8)}::numeric[], ${column(9)}::numeric[])
        as u (meter_id, freeze_date, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4, e_minus_t1, e_minus_t2, e_minus_t3, e_minus_t4)
    ), old as materialized (
      select meter_id, freeze_date from n join reading_daily using (meter_id, freeze_date)
    ), stored as (
      insert into reading_daily as t (meter_id, freeze_date, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4, e_minus_t1, e_minus_t2, e_minus_t3, e_minus_t4, read_at, source, quality)
      select n.*, now(), 'manual', 'manual' from n
      on conflict (meter_id, freeze_date) do update set e_plus = excluded.e_plus, e_minus = excluded.e_minus,
        e_plus_t1 = excluded.e_plus_t1, e_plus_t2 = excluded.e_plus_t2, e_plus_t3 = excluded.e_plus_t3, e_plus_t4 = excluded.e_plus_t4,
        e_minus_t1 = excluded.e_minus_t1, e_minus_t2 = excluded.e_minus_t2, e_minus_t3 = excluded.e_minus_t3, e_minus_t4 = excluded.e_minus_t4, read_at = excluded.read_at
      where t.source in ('manual', 'estimated')
      returning meter_id, freeze_date
    ), gained as (
      select m.dcu_id, ${localDayBegins(sql`s.freeze_date`, timeZone)} as at, count(*)::int as got
      from stored s join meter m on m.id = s.meter_id left join old using (meter_id, freeze_date)
      where old.meter_id is null and m.dcu_id is not null group by 1, 2
    ), counted as (
      insert into arrival_day as c (dcu_id, profile, begins, got)
      select dcu_id, 'daily', at - hour_of_day(at) * interval '1 hour', array_fill(0, array[hour_of_day(at)]) || got || array_fill(0, array[23 - hour_of_day(at)])
      from gained order by dcu_id, at
      on conflict (dcu_id, profile, begins) do update set got = add_counts(c.got, excluded.got)
    )
    select announce('readings', 'daily', array_agg(meter_id), array_agg(freeze_date - date '1970-01-01'), array_agg(0), array_agg(0)) from stored`.execute(
    tx,
  );
  await sql`update reading_gap g set state = 'filled', missing = 0, note = 'manual', changed_at = now()
    from unnest(${lines.map(({ meterId }) => meterId)}::bigint[], ${lines.map(({ date }) => date)}::date[]) as n (meter_id, day)
    where g.meter_id = n.meter_id and g.day = n.day and g.profile in ('daily', 'monthly')`.execute(tx);
}
