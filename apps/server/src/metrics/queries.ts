import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Figures of the installation, which are the same on every node of it. */
export interface InstallationFigures {
  /** Items of unfinished tasks by priority, with the age of the oldest such task in seconds. */
  queue: { priority: number; items: number; oldestSeconds: number }[];
  endpoints: { kind: string; status: string; count: number }[];
  /** Gaps that the head-end still tries to fill, by profile. */
  gaps: { profile: string; count: number; values: number }[];
  /** Incidents with members that an operator has not acknowledged, by level. */
  incidents: { level: string; count: number }[];
  /** By kind: seconds until the first certificate expires, null when none will, and the number of expired ones. */
  certificates: { kind: string; seconds: number | null; expired: number }[];
  /** Tokens of programs that are valid; seconds until the first one expires. */
  programTokens: { count: number; firstEndsSeconds: number | null };
  /** Senders that are not paused: attempts without success in a row, and messages that the receiver refused for good. */
  deliveries: { sender: string; failures: number; deadLetters: number }[];
  /** Channels of alarms that are not paused: attempts without success in a row. */
  alarmChannels: { channel: string; failures: number }[];
  /** Alarm messages that were not sent yet, except those of paused channels; and the number of open alarms without acknowledgement. */
  alarms: { waiting: number; oldestSeconds: number; unacknowledged: number };
  livingNodes: number;
  /** Seconds until the last partition of readings ends. */
  partitionsEndSeconds: number | null;
}

const queueOf = (db: Db) =>
  sql<InstallationFigures['queue'][number]>`
    select priority, sum(total - done)::int as items, extract(epoch from now() - min(created_at))::float8 as "oldest_seconds"
    from task where finished_at is null and state not in ('waiting_approval', 'paused') group by priority order by priority`.execute(db);

const endpointsOf = (db: Db) =>
  sql<InstallationFigures['endpoints'][number]>`
    select kind, online_status as status, count(*)::int as count from endpoint group by kind, online_status order by kind, online_status`.execute(
    db,
  );

const gapsOf = (db: Db) =>
  sql<InstallationFigures['gaps'][number]>`
    select profile, count(*)::int as count, sum(missing)::float8 as values from reading_gap where state = 'open' group by profile order by profile`.execute(
    db,
  );

/** Older events are for the console; the index on the time of events bounds the statement. */
const incidentsOf = (db: Db) =>
  sql<InstallationFigures['incidents'][number]>`
    select abnormal_level as level, count(distinct coalesce(incident_id, -id))::int as count from event
    where abnormal_level is not null and not is_muted and ack_at is null and occur_at > now() - interval '1 day'
    group by abnormal_level order by abnormal_level`.execute(db);

/** A certificate with a valid successor for the same subject and use does not count, nor one of the head-end that is not in use. */
const certificatesOf = (db: Db) =>
  sql<InstallationFigures['certificates'][number]>`
    with last as (
      select kind, max(valid_to) as valid_to from certificate
      where valid_from <= now() and (kind <> 'head_end' or is_current) group by kind, subject, suite, usages
    )
    select kind, extract(epoch from min(valid_to) filter (where valid_to > now()) - now())::float8 as seconds,
      count(*) filter (where valid_to <= now())::int as expired
    from last group by kind order by kind`.execute(db);

const tokensOf = (db: Db) =>
  sql<InstallationFigures['programTokens']>`
    select count(*)::int as count, extract(epoch from min(expires_at) - now())::float8 as "first_ends_seconds"
    from program_token where revoked_at is null and expires_at > now()`.execute(db);

const deliveriesOf = (db: Db) =>
  sql<InstallationFigures['deliveries'][number]>`
    select name as sender, failures, (select count(*)::int from sender_dead_letter d where d.sender_id = s.id) as "dead_letters"
    from sender s where not is_paused order by name`.execute(db);

const alarmChannelsOf = (db: Db) =>
  sql<InstallationFigures['alarmChannels'][number]>`
    select name as channel, failures from alarm_channel where not is_paused order by name`.execute(db);

const alarmsOf = (db: Db) =>
  sql<InstallationFigures['alarms']>`
    select count(m.id)::int as waiting, coalesce(extract(epoch from now() - min(m.created_at)), 0)::float8 as "oldest_seconds",
      (select count(*)::int from alarm a join alarm_rule r on r.id = a.rule_id
        where r.kind = 'alarm' and a.acknowledged_at is null and a.closed_at is null) as unacknowledged
    from alarm_message m join alarm_channel c on c.id = m.channel_id where m.state = 'waiting' and not c.is_paused`.execute(db);

const nodesOf = (db: Db) => sql<{ count: number }>`select count(*)::int as count from node where ended_at is null`.execute(db);

const partitionsOf = (db: Db) =>
  sql<{ seconds: number | null }>`
    select extract(epoch from max((regexp_match(pg_get_expr(c.relpartbound, c.oid), $$TO \\('([^']+)'\\)$$))[1]::timestamptz) - now())::float8 as seconds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'reading_profile'::regclass`.execute(db);

/** Reads the figures one after the other in one transaction. Throws if the database needs longer than `withinMs` for one of them. */
export async function findInstallationFigures(db: Db, withinMs: number): Promise<InstallationFigures> {
  return db.transaction().execute(async (one) => {
    await sql`select set_config('statement_timeout', ${String(withinMs)}, true)`.execute(one);
    return readFigures(one);
  });
}

async function readFigures(one: Db): Promise<InstallationFigures> {
  return {
    queue: (await queueOf(one)).rows,
    endpoints: (await endpointsOf(one)).rows,
    gaps: (await gapsOf(one)).rows,
    incidents: (await incidentsOf(one)).rows,
    certificates: (await certificatesOf(one)).rows,
    programTokens: (await tokensOf(one)).rows[0] ?? { count: 0, firstEndsSeconds: null },
    deliveries: (await deliveriesOf(one)).rows,
    alarmChannels: (await alarmChannelsOf(one)).rows,
    alarms: (await alarmsOf(one)).rows[0] ?? { waiting: 0, oldestSeconds: 0, unacknowledged: 0 },
    livingNodes: (await nodesOf(one)).rows[0]?.count ?? 0,
    partitionsEndSeconds: (await partitionsOf(one)).rows[0]?.seconds ?? null,
  };
}
