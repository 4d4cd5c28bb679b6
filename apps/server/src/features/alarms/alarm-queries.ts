import type { AlarmCriteria, AlarmStep } from '@hes/contract/alarm/rule.ts';
import type { AlarmEnd, AlarmRuleKind } from '@hes/contract/states/alarm.ts';
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
/** What an alarm keeps of its rule. */
export type KeptRule = Pick<StoredRule, 'name' | 'criteria' | 'steps'>;

export async function insertAlarm(tx: Tx, alarm: NewAlarm, { name, criteria, steps }: KeptRule): Promise<string> {
  const { ruleId, log, code, level, openedAt, waitSeconds } = alarm;
  const { rows } = await sql<{ id: string }>`
    insert into alarm (rule_id, log, code, level, opened_at, last_at, wait_seconds, wait_since, rule_name, criteria, steps)
    values (${ruleId}, ${log}, ${code}, ${level}, ${openedAt}, ${openedAt}, ${waitSeconds}, ${openedAt}, ${name},
      ${JSON.stringify(criteria)}::jsonb, ${JSON.stringify(steps)}::jsonb) returning id`.execute(tx);
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
export async function insertDigest(tx: Tx, rule: KeptRule & Pick<StoredRule, 'id'>, day: string, now: Date): Promise<string | undefined> {
  const { id, name, criteria, steps } = rule;
  const { rows } = await sql<{ id: string }>`
    insert into alarm (rule_id, day, opened_at, last_at, wait_seconds, wait_since, rule_name, criteria, steps)
    values (${id}, ${day}, ${now}, ${now}, 0, ${now}, ${name}, ${JSON.stringify(criteria)}::jsonb, ${JSON.stringify(steps)}::jsonb)
    on conflict do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

/** `rule`: as it was when the alarm opened. `ruleSteps`: its steps now. */
export type WaitingAlarm = StoredAlarm & { rule: Pick<StoredRule, 'kind' | 'criteria' | 'steps'>; ruleSteps: AlarmStep[] };
/** Alarms of an earlier version keep nothing of their rule. */
const KEPT_STEPS = sql`coalesce(a.steps, r.steps)`;
const KEPT_CRITERIA = sql`coalesce(a.criteria, r.criteria)`;

/** Alarms whose next step waits, of rules that are not paused. */
export async function findWaitingAlarms(db: Db): Promise<WaitingAlarm[]> {
  const { rows } = await sql<WaitingAlarm>`
    select a.*, r.steps as rule_steps, jsonb_build_object('kind', case when a.log is null then 'digest' else 'alarm' end,
      'criteria', ${KEPT_CRITERIA}, 'steps', ${KEPT_STEPS}) as rule
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

/** Makes the next step of an alarm due at once, if one follows: the channel of the present one fails. */
export const hurryAlarm = (tx: Tx, id: string, step: number, now: Date) =>
  sql`update alarm a set wait_seconds = 0, wait_since = ${now} from alarm_rule r
    where a.id = ${id} and r.id = a.rule_id and a.step = ${step} and a.wait_seconds is not null and a.step < jsonb_array_length(${KEPT_STEPS})`.execute(
    tx,
  );

/** Acknowledges the alarms of which all events were acknowledged on the page of the events. */
export const followEvents = (db: Db, now: Date) =>
  sql`update alarm a set acknowledged_at = ${now}, wait_seconds = null,
      acknowledged_by = (select e.ack_by from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id order by e.ack_at desc limit 1)
    where a.closed_at is null and a.acknowledged_at is null and a.log is not null
      and not exists (select from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id and e.ack_at is null)
      and exists (select from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id)`.execute(db);

/** Closes alarms that have no further step and are calm for the minutes of their rule, and digests whose messages have ended. */
export const closeAlarms = (db: Db, now: Date) =>
  sql`update alarm a set closed_at = ${now} from alarm_rule r where r.id = a.rule_id and a.closed_at is null and a.wait_seconds is null
    and case when a.log is null then not exists (select from alarm_message m where m.alarm_id = a.id and m.state = 'waiting')
      else a.last_at < ${now}::timestamptz - make_interval(mins => coalesce((${KEPT_CRITERIA}->>'calmMinutes')::int, 60)) end`.execute(db);

/** Stores a rule in its open alarms that have nothing of it yet. */
export const keepRule = (tx: Tx, { id, name, criteria, steps }: StoredRule) =>
  sql`update alarm set rule_name = ${name}, criteria = ${JSON.stringify(criteria)}::jsonb, steps = ${JSON.stringify(steps)}::jsonb
    where rule_id = ${id} and closed_at is null and steps is null`.execute(tx);

/** Steps of the open alarms of a rule that have a further one, locked. */
export async function lockStepsOfOpenAlarms(tx: Tx, ruleId: string): Promise<{ id: string; step: number; steps: AlarmStep[] }[]> {
  const { rows } = await sql<{ id: string; step: number; steps: AlarmStep[] }>`
    select id, step, steps from alarm where rule_id = ${ruleId} and closed_at is null and acknowledged_at is null and wait_seconds is not null
    order by id for update`.execute(tx);
  return rows;
}

/** Closes open alarms before their steps end. */
export const endAlarms = (tx: Tx, ids: readonly string[], reason: AlarmEnd, now: Date) =>
  sql`update alarm set closed_at = ${now}, wait_seconds = null, end_reason = ${reason}
    where id = any(${[...ids]}::bigint[]) and closed_at is null`.execute(tx);

/** Closes open alarms of rules that are paused; also those that another node opened while the rule was paused. Returns their number. */
export async function endAlarmsOfPausedRules(db: Db | Tx, now: Date): Promise<number> {
  const ended = await sql`update alarm a set closed_at = ${now}, wait_seconds = null, end_reason = 'rule_paused'
    from alarm_rule r where r.id = a.rule_id and r.is_paused and a.closed_at is null`.execute(db);
  return Number(ended.numAffectedRows ?? 0n);
}

/** Acknowledges one alarm. False: it is acknowledged or closed. */
export async function acknowledgeAlarm(tx: Tx, id: string, userId: string, now: Date): Promise<boolean> {
  const done = await sql`update alarm set acknowledged_at = ${now}, acknowledged_by = ${userId}, wait_seconds = null
    where id = ${id} and acknowledged_at is null and closed_at is null and log is not null`.execute(tx);
  return done.numAffectedRows === 1n;
}

/** Deletes closed alarms that are older than the events they are about may be. */
export const deleteOldAlarms = (db: Db, before: Date) =>
  sql`delete from alarm where closed_at is not null and last_at < ${before}`.execute(db);
