import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import type { Pool } from 'pg';

type Retention = SettingValues['retention'];

const DAY_MS = 86_400_000;
/** Small enough that nobody waits for the locks of one statement. */
const BATCH = 5000;
const RECEIPT_DAYS = 7;
/** A command may be asked about for longer than a reading. */
const COMMAND_TRACE_DAYS = 400;
/** Networks are compared over a year and a season. */
const TOPOLOGY_MONTHS = 13;
/** Of the days before a DCU's own depth the last network of the day stays. */
const NOT_LAST_OF_DAY = `taken_at < $1::timestamptz
    - make_interval(days => coalesce((select depth_days from topology_setting t where t.dcu_id = topology_snapshot.dcu_id), 7))
  and exists (select from topology_snapshot n where n.dcu_id = topology_snapshot.dcu_id and n.taken_at > topology_snapshot.taken_at
    and n.taken_at < date_trunc('day', topology_snapshot.taken_at) + interval '1 day')`;

/** What an older version stored and no longer fits does not delete anything by a rule nobody sees. */
async function findRetention(pool: Pool): Promise<Retention> {
  const { rows } = await pool.query<{ value: unknown }>("select value from setting where key = 'retention'");
  const parsed = SETTINGS.retention.schema.safeParse(rows[0]?.value);
  return parsed.success ? parsed.data : SETTINGS.retention.value;
}

/** Rows that are too old, a batch at a time. Table and condition are ours, never a caller's. */
async function deleteOld(
  pool: Pool,
  table:
    | 'user_session'
    | 'task'
    | 'plan_run'
    | 'event'
    | 'archive_snapshot'
    | 'dcu_frame_log'
    | 'topology_snapshot'
    | 'topology_delta'
    | 'reading_correction',
  condition: string,
  before: Date,
): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    const { rowCount } = await pool.query(`delete from ${table} where id in (select id from ${table} where ${condition} limit ${BATCH})`, [
      before,
    ]);
    deleted = rowCount ?? 0;
    total += deleted;
  } while (deleted === BATCH);
  return total;
}

/** Whole months that end before the day `before`; of those of exchanges, what belongs to a command is kept aside first. */
async function dropOldMonths(pool: Pool, table: 'reading_daily' | 'reading_profile' | 'trace', before: Date): Promise<string[]> {
  const kept = `${table}_${before.toISOString().slice(0, 7).replace('-', '_')}`;
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass and c.relname ~ $2 and c.relname < $3 order by 1`,
    [table, `^${table}_[0-9]{4}_[0-9]{2}$`, kept],
  );
  for (const { name } of rows) {
    if (table === 'trace') await keepExchangesOfCommands(pool, name);
    await pool.query('select drop_month($1::regclass, $2::date)', [table, `${name.slice(-7).replace('_', '-')}-01`]);
  }
  return rows.map((row) => row.name);
}

async function keepExchangesOfCommands(pool: Pool, month: string): Promise<void> {
  await pool.query(
    `insert into command_trace (id, at, dcu_id, meter_id, session_id, frames, bytes, duration_ms)
     select id, at, dcu_id, meter_id, session_id, frames, bytes, duration_ms from ${month} t
     where exists (select from command_log c where c.trace_id = t.id) on conflict (id) do nothing`,
  );
}

export interface Forgotten {
  sessions: number;
  tasks: number;
  events: number;
  networks: number;
  months: string[];
}

/** Lets go of what is older than the setting `retention` says. Safe to repeat. Results of reads live in the readings. */
export async function keepRetention(pool: Pool, now: number): Promise<Forgotten> {
  const keep = await findRetention(pool);
  const daysAgo = (days: number) => new Date(now - days * DAY_MS);
  const monthsAgo = (months: number) => {
    const date = new Date(now);
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1));
  };
  const sessions = await deleteOld(pool, 'user_session', 'expires_at < $1', daysAgo(keep.sessionDays));
  const tasks = await deleteOld(pool, 'task', 'finished_at < $1', daysAgo(keep.taskDays));
  await deleteOld(pool, 'plan_run', 'at < $1', daysAgo(keep.taskDays));
  await deleteOld(pool, 'dcu_frame_log', 'at < $1', daysAgo(keep.frameLogDays));
  const networks =
    (await deleteOld(pool, 'topology_snapshot', NOT_LAST_OF_DAY, new Date(now))) +
    (await deleteOld(pool, 'topology_snapshot', 'taken_at < $1', monthsAgo(TOPOLOGY_MONTHS)));
  await deleteOld(pool, 'topology_delta', 'at < $1', monthsAgo(TOPOLOGY_MONTHS));
  await pool.query('delete from station_ping where at < $1', [daysAgo(keep.taskDays)]);
  // The newest of each DCU is what its records were judged by.
  const isOlder =
    'taken_at < $1 and exists (select from archive_snapshot n where n.dcu_id = archive_snapshot.dcu_id and n.taken_at > archive_snapshot.taken_at)';
  await deleteOld(pool, 'archive_snapshot', isOlder, daysAgo(keep.taskDays));
  const events = await deleteOld(pool, 'event', 'occur_at < $1', monthsAgo(keep.eventYears * 12));
  await pool.query('delete from incident i where last_at < $1 and not exists (select from event e where e.incident_id = i.id)', [
    monthsAgo(keep.eventYears * 12),
  ]);
  await pool.query('delete from anomaly where day < $1', [monthsAgo(keep.eventYears * 12)]);
  // What no meter tells any more; who has come to it since yesterday may not have said so yet.
  await pool.query('delete from meter_memory k where learnt_at < $1 and not exists (select from meter m where m.memory_id = k.id)', [
    daysAgo(1),
  ]);
  // A device that sends the same again does so within minutes.
  await pool.query('delete from push_receipt where received_at < $1', [daysAgo(RECEIPT_DAYS)]);
  await pool.query('delete from command_trace where at < $1', [daysAgo(Math.max(COMMAND_TRACE_DAYS, keep.traceDays))]);
  // The history of a reading lives as long as the reading.
  await deleteOld(pool, 'reading_correction', "profile = 'daily' and ts < $1", monthsAgo(keep.dailyYears * 12));
  await deleteOld(pool, 'reading_correction', "profile <> 'daily' and ts < $1", monthsAgo(keep.profileMonths));
  const months = [
    ...(await dropOldMonths(pool, 'reading_daily', monthsAgo(keep.dailyYears * 12))),
    ...(await dropOldMonths(pool, 'reading_profile', monthsAgo(keep.profileMonths))),
    ...(await dropOldMonths(pool, 'trace', daysAgo(keep.traceDays))),
  ];
  return { sessions, tasks, events, networks, months };
}
