import type { AlarmFailure, ChannelKind } from '@hes/contract/states/alarm.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface NewMessage {
  alarmId: string;
  channelId: string;
  step: number;
  recipientIds: readonly string[];
  locale: Locale;
  messageId: string;
}

export async function insertMessages(tx: Tx, messages: readonly NewMessage[], now: Date): Promise<void> {
  for (const { alarmId, channelId, step, recipientIds, locale, messageId } of messages)
    await sql`insert into alarm_message (alarm_id, channel_id, step, recipient_ids, locale, message_id, wait_since, created_at)
      values (${alarmId}, ${channelId}, ${step}, ${[...recipientIds]}::bigint[], ${locale}, ${messageId}, ${now}, ${now})`.execute(tx);
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
}

/**
 * Messages that wait for channels that are not paused, at most 1,000 of each, so that one channel hides no other. First messages come before
 * repetitions of the last step, then serious ones, then the oldest.
 */
export async function findWaitingMessages(db: Db): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    select w.* from alarm_channel c cross join lateral (
      select m.*, m.step > jsonb_array_length(r.steps) as is_repeated, a.level is distinct from 'serious' as is_lesser
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

/** Whether a message is still to be sent: another node may have sent it, or a user acknowledged its alarm. */
export async function isToBeSent(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from alarm_message m join alarm a on a.id = m.alarm_id
    where m.id = ${id} and m.state = 'waiting' and a.acknowledged_at is null`.execute(db);
  return rows.length > 0;
}

/** Ends messages of alarms that were acknowledged before they left. */
export const dropMessages = (db: Db) =>
  sql`update alarm_message m set state = 'dropped' from alarm a
    where a.id = m.alarm_id and m.state = 'waiting' and a.acknowledged_at is not null`.execute(db);

/** Number of messages that a channel sent between two instants. Those with a later stamp are of a wrong wall clock. */
export async function countSent(db: Db, channelId: string, [since, until]: readonly [Date, Date]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from alarm_message where channel_id = ${channelId} and state = 'sent' and sent_at > ${since}
      and sent_at <= ${until}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Stores that a message was sent. */
export const storeSent = (tx: Tx, id: string, now: Date, answer: string) =>
  sql`update alarm_message set state = 'sent', attempts = attempts + 1, sent_at = ${now}, failure_code = null, answer = ${answer}
    where id = ${id} and state = 'waiting'`.execute(tx);

/** Stores a failed attempt. `waitSeconds`: span until the next one; null: the message is given up. */
export const storeFailed = (
  tx: Tx,
  id: string,
  { code, answer, waitSeconds, now }: { code: AlarmFailure; answer: string | null; waitSeconds: number | null; now: Date },
) =>
  sql`update alarm_message set state = ${waitSeconds === null ? 'failed' : 'waiting'}, attempts = attempts + 1, wait_seconds = ${waitSeconds ?? 0},
    wait_since = ${now}, failure_code = ${code}, answer = ${answer} where id = ${id} and state = 'waiting'`.execute(tx);

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
