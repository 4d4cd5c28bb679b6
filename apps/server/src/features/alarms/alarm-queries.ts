import type { AlarmCriteria, AlarmStep } from '@hes/contract/alarm/rule.ts';
import type { AlarmRuleKind } from '@hes/contract/states/alarm.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface StoredRule {
  id: string;
  name: string;
  kind: AlarmRuleKind;
  criteria: AlarmCriteria;
  steps: AlarmStep[];
  isPaused: boolean;
  effectiveAt: Date;
  createdAt: Date;
  version: number;
}

export interface StoredAlarm {
  id: string;
  ruleId: string;
  log: string | null;
  code: number | null;
  level: 'serious' | 'warning' | null;
  openedAt: Date;
  lastAt: Date;
  firstOccurAt: Date | null;
  lastOccurAt: Date | null;
  events: number;
  dcuIds: string[];
  step: number;
  waitSeconds: number | null;
  waitSince: Date | null;
  acknowledgedAt: Date | null;
}

export async function findActiveRules(db: Db | Tx, kind: AlarmRuleKind): Promise<StoredRule[]> {
  const { rows } = await sql<StoredRule>`select * from alarm_rule where kind = ${kind} and not is_paused order by id`.execute(db);
  return rows;
}

/** Alarms of these rules that are not closed, locked. */
export async function lockOpenAlarms(tx: Tx, ruleIds: readonly string[]): Promise<StoredAlarm[]> {
  const { rows } = await sql<StoredAlarm>`
    select * from alarm where rule_id = any(${[...ruleIds]}::bigint[]) and closed_at is null and log is not null order by id for update`.execute(
    tx,
  );
  return rows;
}

export type NewAlarm = Pick<StoredAlarm, 'ruleId' | 'log' | 'code' | 'level' | 'openedAt' | 'waitSeconds'>;

export async function insertAlarm(tx: Tx, { ruleId, log, code, level, openedAt, waitSeconds }: NewAlarm): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into alarm (rule_id, log, code, level, opened_at, last_at, wait_seconds, wait_since)
    values (${ruleId}, ${log}, ${code}, ${level}, ${openedAt}, ${openedAt}, ${waitSeconds}, ${openedAt}) returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

/** Adds events to an alarm; its counts follow. */
export async function addEvents(tx: Tx, alarm: StoredAlarm, eventIds: readonly string[]): Promise<void> {
  const { id, level, lastAt, firstOccurAt, lastOccurAt, dcuIds } = alarm;
  const added = await sql`insert into alarm_event (alarm_id, event_id) select ${id}, unnest(${[...eventIds]}::bigint[])
    on conflict do nothing`.execute(tx);
  await sql`update alarm set level = ${level}, last_at = ${lastAt}, first_occur_at = ${firstOccurAt}, last_occur_at = ${lastOccurAt},
    events = events + ${Number(added.numAffectedRows ?? 0n)}, dcu_ids = ${dcuIds}::bigint[] where id = ${id}`.execute(tx);
}

/** Inserts the digest of a local day. Undefined: it was inserted before. */
export async function insertDigest(tx: Tx, ruleId: string, day: string, now: Date): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into alarm (rule_id, day, opened_at, last_at, wait_seconds, wait_since) values (${ruleId}, ${day}, ${now}, ${now}, 0, ${now})
    on conflict do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

export type WaitingAlarm = StoredAlarm & { rule: Pick<StoredRule, 'kind' | 'criteria' | 'steps'> };

/** Alarms whose next step waits, of rules that are not paused. */
export async function findWaitingAlarms(db: Db): Promise<WaitingAlarm[]> {
  const { rows } = await sql<WaitingAlarm>`
    select a.*, jsonb_build_object('kind', r.kind, 'criteria', r.criteria, 'steps', r.steps) as rule
    from alarm a join alarm_rule r on r.id = a.rule_id
    where a.closed_at is null and a.acknowledged_at is null and a.wait_seconds is not null and not r.is_paused order by a.id`.execute(db);
  return rows;
}

/** Moves an alarm behind a step. False: another node, or an acknowledgement, was faster. */
export async function takeStep(
  tx: Tx,
  { id, step }: StoredAlarm,
  { waitSeconds, now }: { waitSeconds: number | null; now: Date },
): Promise<boolean> {
  const taken = await sql`update alarm set step = step + 1, wait_seconds = ${waitSeconds}, wait_since = ${now},
    notified_at = coalesce(notified_at, ${now}) where id = ${id} and step = ${step} and acknowledged_at is null and closed_at is null`.execute(
    tx,
  );
  return taken.numAffectedRows === 1n;
}

/** Makes the next step of an alarm due at once, if one of the rule follows: the channel of the present one fails. */
export const hurryAlarm = (tx: Tx, id: string, step: number, now: Date) =>
  sql`update alarm a set wait_seconds = 0, wait_since = ${now} from alarm_rule r
    where a.id = ${id} and r.id = a.rule_id and a.step = ${step} and a.wait_seconds is not null and a.step < jsonb_array_length(r.steps)`.execute(
    tx,
  );

/** Acknowledges the alarms of which all events were acknowledged on the page of the events. */
export const followEvents = (db: Db, now: Date) =>
  sql`update alarm a set acknowledged_at = ${now}, wait_seconds = null,
      acknowledged_by = (select e.ack_by from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id order by e.ack_at desc limit 1)
    where a.closed_at is null and a.acknowledged_at is null and a.log is not null
      and not exists (select from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id and e.ack_at is null)
      and exists (select from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id)`.execute(db);

/** Closes alarms that have no further step and are calm for the minutes of their rule, and digests that were sent. */
export const closeAlarms = (db: Db, now: Date) =>
  sql`update alarm a set closed_at = ${now} from alarm_rule r where r.id = a.rule_id and a.closed_at is null and a.wait_seconds is null
    and (a.log is null or a.last_at < ${now}::timestamptz - make_interval(mins => coalesce((r.criteria->>'calmMinutes')::int, 60)))`.execute(
    db,
  );

/** Acknowledges one alarm. False: it is acknowledged or closed. */
export async function acknowledgeAlarm(tx: Tx, id: string, userId: string, now: Date): Promise<boolean> {
  const done = await sql`update alarm set acknowledged_at = ${now}, acknowledged_by = ${userId}, wait_seconds = null
    where id = ${id} and acknowledged_at is null and closed_at is null and log is not null`.execute(tx);
  return done.numAffectedRows === 1n;
}

/** Deletes closed alarms that are older than the events they are about may be. */
export const deleteOldAlarms = (db: Db, before: Date) =>
  sql`delete from alarm where closed_at is not null and last_at < ${before}`.execute(db);
