import type { RecipientOutcome } from '@hes/contract/alarm/alarm.ts';
import type { AlarmStep } from '@hes/contract/alarm/rule.ts';
import type { AlarmFailure, ChannelKind } from '@hes/contract/states/alarm.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Outcome of one recipient as it is stored with a message. */
export interface StoredOutcome extends RecipientOutcome {
  id: string;
}

export interface NewMessage {
  alarmId: string;
  channelId: string;
  step: number;
  /** One of each recipient; none: the receiver of the channel is meant. */
  outcomes: readonly StoredOutcome[];
  locale: Locale;
  messageId: string;
}

export async function insertMessages(tx: Tx, messages: readonly NewMessage[], now: Date): Promise<void> {
  for (const { alarmId, channelId, step, outcomes, locale, messageId } of messages) {
    const recipientIds = outcomes.map(({ id }) => id);
    await sql`insert into alarm_message (alarm_id, channel_id, step, recipient_ids, outcomes, locale, message_id, wait_since, created_at)
      values (${alarmId}, ${channelId}, ${step}, ${recipientIds}::bigint[], ${JSON.stringify(outcomes)}::jsonb, ${locale}, ${messageId},
        ${now}, ${now})`.execute(tx);
  }
}

/** A message that waits, as the engine needs it. */
export interface StoredMessage {
  id: string;
  alarmId: string;
  channelId: string;
  step: number;
  recipientIds: string[];
  locale: Locale;
  messageId: string;
  attempts: number;
  waitSeconds: number;
  waitSince: Date;
  /** Empty: without recipients, or stored by an earlier version. */
  outcomes: StoredOutcome[];
  isUncertain: boolean;
}

/** A message with the present steps of its rule. */
export type MessageToSend = StoredMessage & { ruleSteps: AlarmStep[] };

/**
 * Messages that wait for channels that are not paused, at most 1,000 of each, so that one channel hides no other. First messages come before
 * repetitions of the last step, then serious ones, then the oldest.
 */
export async function findWaitingMessages(db: Db): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    select w.* from alarm_channel c cross join lateral (
      select m.*, m.step > jsonb_array_length(coalesce(a.steps, r.steps)) as is_repeated, a.level is distinct from 'serious' as is_lesser
      from alarm_message m join alarm a on a.id = m.alarm_id join alarm_rule r on r.id = a.rule_id
      where m.channel_id = c.id and m.state = 'waiting' order by is_repeated, is_lesser, m.id limit 1000) w
    where not c.is_paused order by w.is_repeated, w.is_lesser, w.id`.execute(db);
  return rows;
}

/** Whether a message of this alarm waits for this channel. */
export async function hasWaitingMessage(tx: Tx, alarmId: string, channelId: string): Promise<boolean> {
  const { rows } = await sql`select from alarm_message where alarm_id = ${alarmId} and channel_id = ${channelId} and state = 'waiting'
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** A message as it is now. Undefined: another node has sent it, or its alarm was acknowledged or ended by its rule. */
export async function findMessageToSend(db: Db, id: string): Promise<MessageToSend | undefined> {
  const { rows } = await sql<MessageToSend>`select m.*, r.steps as rule_steps
    from alarm_message m join alarm a on a.id = m.alarm_id join alarm_rule r on r.id = a.rule_id
    where m.id = ${id} and m.state = 'waiting' and a.acknowledged_at is null and a.end_reason is distinct from 'rule_paused'`.execute(db);
  return rows[0];
}

/** Ends messages that have not left, of alarms that were acknowledged or whose rule was paused. */
export const dropMessages = (db: Db | Tx) =>
  sql`update alarm_message m set state = 'dropped' from alarm a
    where a.id = m.alarm_id and m.state = 'waiting' and (a.acknowledged_at is not null or a.end_reason = 'rule_paused')`.execute(db);

/** Number of messages that a channel sent between two instants. Those with a later stamp are of a wrong wall clock. */
export async function countSent(db: Db, channelId: string, [since, until]: readonly [Date, Date]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from alarm_message where channel_id = ${channelId} and state = 'sent' and sent_at > ${since}
      and sent_at <= ${until}`.execute(db);
  return rows[0]?.n ?? 0;
}

export interface AttemptResult {
  state: 'waiting' | 'sent' | 'failed' | 'dropped';
  outcomes: readonly StoredOutcome[];
  isAccepted: boolean;
  isUncertain: boolean;
  failure: AlarmFailure | null;
  answer: string | null;
  /** Span until the next attempt. */
  waitSeconds: number;
}

/**
 * Stores what came of an attempt. A message that was dropped during the attempt and was accepted nevertheless is stored as sent, because it
 * has reached its recipients.
 */
export const storeAttempt = (tx: Tx, id: string, now: Date, result: AttemptResult) =>
  sql`update alarm_message set state = case when state = 'dropped' then 'sent' else ${result.state} end, attempts = attempts + 1,
    outcomes = ${JSON.stringify(result.outcomes)}::jsonb, sent_at = coalesce(sent_at, ${result.isAccepted ? now : null}::timestamptz),
    is_uncertain = is_uncertain or ${result.isUncertain}, failure_code = ${result.failure}, answer = ${result.answer},
    wait_seconds = ${result.waitSeconds}, wait_since = ${now}
    where id = ${id} and (state = 'waiting' or state = 'dropped' and ${result.isAccepted})`.execute(tx);

/** Ends a message of which no recipient is left. One that had reached others before was sent. */
export const dropMessage = (tx: Tx, id: string, outcomes: readonly StoredOutcome[], now: Date) =>
  sql`update alarm_message set state = case when sent_at is null then 'dropped' else 'sent' end, outcomes = ${JSON.stringify(outcomes)}::jsonb,
    wait_since = ${now} where id = ${id} and state = 'waiting'`.execute(tx);

export interface Recipient {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
  locale: Locale;
}

export async function findRecipients(db: Db | Tx, ids: readonly string[]): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select id, name, email, phone, locale from alarm_recipient where id = any(${[...ids]}::bigint[]) order by id`.execute(db);
  return rows;
}

/** What decides how a step becomes messages. */
export interface ChannelOfStep {
  id: string;
  kind: ChannelKind;
  template: string;
  locale: Locale;
  isReported: boolean;
}

export async function findChannelOfStep(tx: Tx, id: string): Promise<ChannelOfStep | undefined> {
  const { rows } = await sql<ChannelOfStep>`
    select id, kind, config->>'template' as template, config->>'locale' as locale, is_reported from alarm_channel where id = ${id}`.execute(
    tx,
  );
  return rows[0];
}
