import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import type { Pool } from 'pg';

type Retention = SettingValues['retention'];

const DAY_MS = 86_400_000;
/** Rows per statement; bounds the time that a statement holds locks. */
const BATCH = 5000;
const RECEIPT_DAYS = 7;
/** Nodes read the log of changes every few seconds; one that was cut off for longer is declared dead and starts again. */
const CHANGE_DAYS = 1;
/** Commands may be disputed for longer than readings. */
const COMMAND_TRACE_DAYS = 400;
/** A topology can be compared with the one of the same season a year before. */
const TOPOLOGY_MONTHS = 13;
const NODE_EVENT_MONTHS = 13;
/** Beyond the depth configured for a DCU, only the last topology of each day is kept. */
const NOT_LAST_OF_DAY = `taken_at < $1::timestamptz
    - make_interval(days => coalesce((select depth_days from topology_setting t where t.dcu_id = topology_snapshot.dcu_id), 7))
  and exists (select from topology_snapshot n where n.dcu_id = topology_snapshot.dcu_id and n.taken_at > topology_snapshot.taken_at
    and n.taken_at < date_trunc('day', topology_snapshot.taken_at) + interval '1 day')`;

/** A stored setting that no longer fits the schema is ignored: the default, which the page shows, applies. */
export async function findRetention(pool: Pool): Promise<Retention> {
  const { rows } = await pool.query<{ value: unknown }>("select value from setting where key = 'retention'");
  const parsed = SETTINGS.retention.schema.safeParse(rows[0]?.value);
  return parsed.success ? parsed.data : SETTINGS.retention.value;
}

/** Deletes old rows in batches. Table and condition are constants of this file, never user input. */
async function deleteOld(
  pool: Pool,
  table:
    | 'user_session'
    | 'change'
    | 'task'
    | 'plan_run'
    | 'event'
    | 'archive_snapshot'
    | 'dcu_frame_log'
    | 'topology_snapshot'
    | 'topology_delta'
    | 'reading_correction'
    | 'node_event',
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

/** Drops whole months that end before `before`. Traces of commands are copied to `command_trace` first. */
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
     where t.id in (select c.trace_id from command_log c) on conflict (id) do nothing`,
  );
}

export interface Forgotten {
  sessions: number;
  tasks: number;
  events: number;
  networks: number;
  months: string[];
}

/**
 * Deletes rows older than the setting `retention` and the limits of this file permit. Idempotent. The readings that a deleted task stored
 * remain.
 */
export async function deleteExpiredRows(pool: Pool, now: number): Promise<Forgotten> {
  const keep = await findRetention(pool);
  const daysAgo = (days: number) => new Date(now - days * DAY_MS);
  const monthsAgo = (months: number) => {
    const date = new Date(now);
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1));
  };
  const sessions = await deleteOld(pool, 'user_session', 'expires_at < $1', daysAgo(keep.sessionDays));
  const tasks = await deleteOld(pool, 'task', 'finished_at < $1', daysAgo(keep.taskDays));
  await deleteOld(pool, 'change', 'at < $1', daysAgo(CHANGE_DAYS));
  await deleteOld(pool, 'plan_run', 'at < $1', daysAgo(keep.taskDays));
  await deleteOld(pool, 'dcu_frame_log', 'at < $1', daysAgo(keep.frameLogDays));
  const networks =
    (await deleteOld(pool, 'topology_snapshot', NOT_LAST_OF_DAY, new Date(now))) +
    (await deleteOld(pool, 'topology_snapshot', 'taken_at < $1', monthsAgo(TOPOLOGY_MONTHS)));
  await deleteOld(pool, 'topology_delta', 'at < $1', monthsAgo(TOPOLOGY_MONTHS));
  await pool.query('delete from station_ping where at < $1', [daysAgo(keep.taskDays)]);
  // The newest snapshot of each DCU is kept, because its records are compared with it.
  const isOlder =
    'taken_at < $1 and exists (select from archive_snapshot n where n.dcu_id = archive_snapshot.dcu_id and n.taken_at > archive_snapshot.taken_at)';
  await deleteOld(pool, 'archive_snapshot', isOlder, daysAgo(keep.taskDays));
  const events = await deleteOld(pool, 'event', 'occur_at < $1', monthsAgo(keep.eventYears * 12));
  await pool.query('delete from incident i where last_at < $1 and not exists (select from event e where e.incident_id = i.id)', [
    monthsAgo(keep.eventYears * 12),
  ]);
  await pool.query('delete from anomaly where day < $1', [monthsAgo(keep.eventYears * 12)]);
  // Metadata without a meter. A day of grace covers meters whose new reference is not written yet.
  await pool.query('delete from meter_memory k where learnt_at < $1 and not exists (select from meter m where m.memory_id = k.id)', [
    daysAgo(1),
  ]);
  await deleteOld(pool, 'node_event', 'at < $1', monthsAgo(NODE_EVENT_MONTHS));
  // Devices retransmit a push within minutes.
  await pool.query('delete from push_receipt where received_at < $1', [daysAgo(RECEIPT_DAYS)]);
  await pool.query('delete from command_trace where at < $1', [daysAgo(Math.max(COMMAND_TRACE_DAYS, keep.traceDays))]);
  // Corrections are kept as long as the reading they correct.
  await deleteOld(pool, 'reading_correction', "profile = 'daily' and ts < $1", monthsAgo(keep.dailyYears * 12));
  await deleteOld(pool, 'reading_correction', "profile <> 'daily' and ts < $1", monthsAgo(keep.profileMonths));
  const months = [
    ...(await dropOldMonths(pool, 'reading_daily', monthsAgo(keep.dailyYears * 12))),
    ...(await dropOldMonths(pool, 'reading_profile', monthsAgo(keep.profileMonths))),
    ...(await dropOldMonths(pool, 'trace', daysAgo(keep.traceDays))),
  ];
  return { sessions, tasks, events, networks, months };
}
