import type { Pool } from 'pg';
import { HourCalendar } from '../../apps/server/src/storage/arrivals.ts';
import { TIME_ZONE } from '../../apps/simulator/src/world/calendar.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { History, IntervalProfile, Line } from './history.ts';
import type { Subject } from './subject.ts';

const ROWS_AT_A_TIME = 500;
/** Event codes from here on are those of the head-end. */
const FIRST_FIELD_EVENT = 60_010;
/** A removed meter counts at its last DCU, a direct meter at itself. */
const DCU_OF_METER = `left join lateral (select e.dcu_id from meter_exchange e where e.old_meter_id = m.id order by e.at desc limit 1) x on true
       join endpoint d on d.id = coalesce(m.dcu_id, x.dcu_id)`;
const COLUMNS = CHANNELS.map(({ column }) => column);
const REGISTERS = ['e_plus', 'e_minus', ...['e_plus', 'e_minus'].flatMap((name) => [1, 2, 3, 4].map((tariff) => `${name}_t${tariff}`))];

interface StoredRow {
  sn: string;
  dcu: string;
  profile: IntervalProfile;
  day: string;
  periodS: number;
  leadS: number;
  status: (number | null)[];
  [column: string]: unknown;
}

const numbers = (values: unknown): (number | null)[] | null =>
  // int8 is transferred as text.
  Array.isArray(values) ? values.map((value) => (value === null ? null : Number(value))) : null;

/** Writes everything in the database that a judge can compare with the truth; of a large fleet the readings of one meter in `oneIn`, and no sums. */
export async function dump(pool: Pool, tell: History, endsAt = Date.now(), oneIn = 1): Promise<void> {
  tell({ t: 'end', at: endsAt });
  await dumpReadings(pool, tell, oneIn);
  if (oneIn === 1) await dumpCounts(pool, tell);
  const alarms = await pool.query<{ sn: string; kept: number }>(
    'select m.sn, count(*)::int as kept from push_receipt r join meter m on m.id = r.meter_id group by m.sn',
  );
  for (const row of alarms.rows) tell({ t: 'alarms', ...row });
  await dumpNotes(pool, tell);
  const commands = await pool.query<Omit<Extract<Line, { t: 'command' }>, 't'>>(
    `select c.id, m.sn, c.operation, c.state, s.command_id is not null as "isSent",
       exists (select from relay_sent later where later.meter_id = c.meter_id and later.sent_order > s.sent_order) as "isFollowed"
     from relay_command c join meter m on m.id = c.meter_id left join relay_sent s on s.command_id = c.id order by c.id`,
  );
  for (const row of commands.rows) tell({ t: 'command', ...row });
}

/** What the product has counted as captures arrived. */
async function dumpCounts(pool: Pool, tell: History): Promise<void> {
  const counted = await pool.query<{ dcu: string; profile: IntervalProfile | 'daily'; got: number }>(
    `select d.sn as dcu, a.profile, sum((select sum(n) from unnest(a.got) as n))::int as got
     from arrival_day a join endpoint d on d.id = a.dcu_id group by d.sn, a.profile`,
  );
  for (const row of counted.rows) tell({ t: 'counted', ...row });
}

/** Stored data other than readings: events, corrections, connections and reasons. */
async function dumpNotes(pool: Pool, tell: History): Promise<void> {
  const events = await pool.query<{ sn: string; log: string; code: number; at: Date; message: string; told: boolean }>(
    `select coalesce(m.sn, d.sn) as sn, e.log, e.code, e.occur_at as at, e.message, e.code >= ${FIRST_FIELD_EVENT} as told from event e
     left join meter m on m.id = e.meter_id left join dcu d on d.id = e.dcu_id and e.device_kind = 'dcu'
     where e.device_kind <> 'head_end' and (e.code >= ${FIRST_FIELD_EVENT} or e.source = 'pull' and e.device_kind = 'meter')`,
  );
  for (const { sn, log, code, at, message, told } of events.rows)
    tell(told ? { t: 'told', sn, code, message } : { t: 'event', sn, log, code, at: at.getTime() });
  const corrections = await pool.query<{ sn: string; profile: IntervalProfile; at: Date; column: string; former: string; value: string }>(
    'select m.sn, c.profile, c.ts as at, c.channel as column, c.former, c.value from reading_correction c join meter m on m.id = c.meter_id',
  );
  for (const { at, former, value, ...row } of corrections.rows)
    tell({ t: 'correction', ...row, at: at.getTime(), former: Number(former), value: Number(value) });
  const sessions = await pool.query<{ dcu: string; reason: string | null }>(
    'select d.sn as dcu, s.close_reason as reason from dcu_session s join endpoint d on d.id = s.dcu_id',
  );
  for (const row of sessions.rows) tell({ t: 'session', ...row });
  const ended = await pool.query<{ sn: string; reason: string; times: number }>(
    'select m.sn, i.reason_code as reason, count(*)::int as times from task_item_device i join meter m on m.id = i.meter_id where i.reason_code is not null group by 1, 2',
  );
  for (const row of ended.rows) tell({ t: 'ended', ...row });
}

/** The readings of one meter in this many. */
export async function dumpReadings(pool: Pool, tell: History, oneIn: number): Promise<void> {
  await dumpProfiles(pool, tell, oneIn);
  const daily = await pool.query<{ sn: string; dcu: string; day: string; [column: string]: string | null }>(
    `select m.sn, d.sn as dcu, r.freeze_date::text as day, ${REGISTERS.map((name) => `r.${name}::text`).join(', ')}
     from reading_daily r join meter m on m.id = r.meter_id ${DCU_OF_METER} where m.id % $1 = 0`,
    [oneIn],
  );
  for (const { sn, dcu, day, ...values } of daily.rows) tell({ t: 'daily', sn, dcu, day, values });
}

async function dumpProfiles(pool: Pool, tell: History, oneIn: number): Promise<void> {
  let after: [string, string, string] = ['0', '', '1970-01-01'];
  for (;;) {
    const found = await pool.query<StoredRow & { id: string }>(
      `select m.id, m.sn, d.sn as dcu, r.profile, r.day::text as day, r.period_s as "periodS", r.lead_s as "leadS", r.status, ${COLUMNS.map((name) => `r.${name}`).join(', ')}
       from reading_profile r join meter m on m.id = r.meter_id ${DCU_OF_METER}
       where m.id % $4 = 0 and (r.meter_id, r.profile, r.day) > ($1::bigint, $2, $3::date) order by r.meter_id, r.profile, r.day limit ${ROWS_AT_A_TIME}`,
      [...after, oneIn],
    );
    for (const row of found.rows) {
      const { sn, dcu, profile, day, periodS, leadS, status } = row;
      tell({
        t: 'row',
        sn,
        dcu,
        profile,
        day,
        periodS,
        leadS,
        status,
        columns: Object.fromEntries(COLUMNS.map((name) => [name, numbers(row[name])])),
      });
    }
    const last = found.rows.at(-1);
    if (last === undefined) return;
    after = [last.id, last.profile, last.day];
  }
}

/** Records the present content of the database: a later crash must lose none of it. Changed meters have another number of captures. */
export async function noteCommitted(product: Subject, tell: History, changed: ReadonlySet<string>): Promise<void> {
  const rows = await product.rows<{ sn: string; profile: IntervalProfile; day: string; present: number }>(
    'select m.sn, r.profile, r.day::text as day, r.present from reading_profile r join meter m on m.id = r.meter_id',
  );
  for (const row of rows) if (!changed.has(row.sn)) tell({ t: 'seen', ...row });
}

/** Records watermarks of collection without a stored capture, in one snapshot of the database: a watermark must follow the commit. */
export async function noteUnkept(product: Subject, tell: History, changed: ReadonlySet<string>): Promise<void> {
  const rows = await product.rows<{ sn: string; profile: IntervalProfile | 'daily'; through: string }>(
    `with mark as (select m.id, m.sn, substr(k.key, 9) as profile, k.value::numeric::bigint as through
       from meter m, jsonb_each_text(m.marks) k where k.key in ('through:lpa', 'through:lpb', 'through:energy', 'through:daily'))
     select sn, profile, through from mark where case when profile = 'daily'
       then not exists (select from reading_daily d where d.meter_id = mark.id
         and d.freeze_date = (to_timestamp(through / 1000) at time zone $1)::date)
       else not exists (select from reading_profile r where r.meter_id = mark.id and r.profile = mark.profile
         and r.day between (to_timestamp(through / 1000) at time zone 'UTC')::date - 1 and (to_timestamp(through / 1000) at time zone 'UTC')::date
         and r.status[((through / 1000 - extract(epoch from r.day)::bigint - r.lead_s) / r.period_s) + 1] is not null) end`,
    [TIME_ZONE],
  );
  for (const { sn, profile, through } of rows) if (!changed.has(sn)) tell({ t: 'unkept', sn, profile, through: Number(through) });
}

/** Watermarks of collection: everything in its look-back up to there is stored. */
export async function noteMarks(pool: Pool, tell: History, from: number): Promise<void> {
  const marks = await pool.query<{ sn: string; profile: IntervalProfile; through: string }>(
    `select m.sn, substr(k.key, 9) as profile, k.value as through from meter m, jsonb_each_text(m.marks) k
     where k.key in ('through:lpa', 'through:lpb', 'through:energy')`,
  );
  for (const { sn, profile, through } of marks.rows) tell({ t: 'mark', sn, profile, from, through: Number(through) });
}

interface SlotsOrder {
  /** Epoch milliseconds: captures between them are due. */
  from: number;
  to: number;
  timeZone: string;
  unreachable: ReadonlySet<string>;
}

const PERIOD_MS = { lpa: 900_000, energy: 3_600_000 } as const;

/** For each meter and profile: due slots, stored slots, and slots that the ledger of gaps records as missing. */
export async function noteSlots(pool: Pool, tell: History, { from, to, timeZone, unreachable }: SlotsOrder): Promise<void> {
  const calendar = new HourCalendar(timeZone);
  for (const profile of ['lpa', 'energy'] as const) {
    const stepMs = PERIOD_MS[profile];
    const lead = calendar.leadMs(from, stepMs);
    const due = Math.floor((to - lead) / stepMs) - Math.ceil((from - lead) / stepMs) + 1;
    const found = await pool.query<{ sn: string; got: number; explained: number }>(
      `select m.sn, coalesce(p.got, 0)::int as got, coalesce(g.missing, 0)::int as explained from meter m
       left join lateral (select count(*) as got from reading_profile r, generate_subscripts(r.status, 1) as k
         where r.meter_id = m.id and r.profile = $1 and r.status[k] is not null
           and r.day::timestamp at time zone 'UTC' + (r.lead_s + (k - 1) * r.period_s) * interval '1 second' between $2 and $3) as p on true
       left join lateral (select sum(missing) as missing from reading_gap where meter_id = m.id and profile = $1 and state <> 'filled'
         and reason_code is not null) as g on true`,
      [profile, new Date(from), new Date(to)],
    );
    for (const { sn, got, explained } of found.rows)
      tell({ t: 'slots', sn, profile, due, got, explained, isReachable: !unreachable.has(sn) });
  }
  const freezes = await pool.query<{ sn: string; due: number; got: number; explained: number }>(
    `select m.sn, d.days as due, (select count(*) from reading_daily r where r.meter_id = m.id and r.freeze_date between d.first and d.last)::int as got,
       (select count(*) from reading_gap g where g.meter_id = m.id and g.profile = 'daily' and g.state <> 'filled' and g.reason_code is not null)::int as explained
     from meter m, (select ($1::timestamptz at time zone $3)::date as first, ($2::timestamptz at time zone $3)::date as last,
       ($2::timestamptz at time zone $3)::date - ($1::timestamptz at time zone $3)::date + 1 as days) as d`,
    [new Date(from), new Date(to), timeZone],
  );
  for (const row of freezes.rows) tell({ t: 'slots', profile: 'daily', ...row, isReachable: !unreachable.has(row.sn) });
}
