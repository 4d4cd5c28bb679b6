import type { ChannelConfig } from '@hes/contract/alarm/channel.ts';
import type { AlarmFailure, ChannelKind } from '@hes/contract/states/alarm.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { containing } from '#db/paging.ts';

export interface StoredChannel {
  id: string;
  name: string;
  kind: ChannelKind;
  config: ChannelConfig;
  ref: string;
  /** Mail server with port, or host of the webhook. */
  target: string;
  secret: Buffer;
  /** Whether there is a password or an authorization. */
  hasSecret: boolean;
  isPaused: boolean;
  failures: number;
  isReported: boolean;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  failureCode: AlarmFailure | null;
  failureDetail: string | null;
  version: number;
}

export type CountedChannel = StoredChannel & { waiting: number };

export const purposeOf = ({ ref }: Pick<StoredChannel, 'ref'>): string => `alarm-channel/${ref}`;

const COUNTED = sql`select c.*, (select count(*)::int from alarm_message m where m.channel_id = c.id and m.state = 'waiting') as waiting from alarm_channel c`;

export async function findChannels(db: Db, search = ''): Promise<CountedChannel[]> {
  const { rows } = await sql<CountedChannel>`${COUNTED} where c.name ilike ${containing(search)} order by lower(c.name)`.execute(db);
  return rows;
}

export async function findCountedChannel(db: Db, id: string): Promise<CountedChannel | undefined> {
  const { rows } = await sql<CountedChannel>`${COUNTED} where c.id = ${id}`.execute(db);
  return rows[0];
}

/** Reads one channel; within a transaction it is locked. */
export async function findChannel(db: Db | Tx, id: string, isLocked = false): Promise<StoredChannel | undefined> {
  const { rows } = await sql<StoredChannel>`select * from alarm_channel where id = ${id} ${isLocked ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

export type ChannelValues = Pick<StoredChannel, 'name' | 'config' | 'target' | 'hasSecret'>;

export async function insertChannel(
  tx: Tx,
  { name, kind, config, ref, target, secret, hasSecret }: ChannelValues & Pick<StoredChannel, 'kind' | 'ref' | 'secret'>,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into alarm_channel (name, kind, config, ref, target, secret, has_secret)
    values (${name}, ${kind}, ${JSON.stringify(config)}::jsonb, ${ref}, ${target}, ${secret}, ${hasSecret}) returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

/** Changes a channel; without a secret the present one stays. It starts without failures; messages that wait are due at once. */
export async function updateChannel(
  tx: Tx,
  id: string,
  { name, config, target, hasSecret, secret }: ChannelValues & { secret: Buffer | null },
): Promise<void> {
  await sql`update alarm_channel set name = ${name}, config = ${JSON.stringify(config)}::jsonb, target = ${target},
    secret = coalesce(${secret}, secret), has_secret = ${hasSecret}, failures = 0,
    is_reported = false, version = version + 1 where id = ${id}`.execute(tx);
  await retryMessages(tx, id);
}

const retryMessages = (tx: Tx, id: string) =>
  sql`update alarm_message set wait_seconds = 0 where channel_id = ${id} and state = 'waiting'`.execute(tx);

export async function setChannelPaused(tx: Tx, id: string, isPaused: boolean): Promise<void> {
  await sql`update alarm_channel set is_paused = ${isPaused}, failures = 0, is_reported = false where id = ${id}`.execute(tx);
  await retryMessages(tx, id);
}

export const deleteChannel = (tx: Tx, id: string) => sql`delete from alarm_channel where id = ${id}`.execute(tx);

export const storeChannelSuccess = (db: Db | Tx, id: string, now: Date) =>
  sql`update alarm_channel set failures = 0, is_reported = false, last_success_at = ${now}, failure_code = null, failure_detail = null
    where id = ${id}`.execute(db);

/** Counts a failure. `isReported`: the head-end has raised its alarm about it. */
export const storeChannelFailure = (
  db: Db | Tx,
  id: string,
  { code, detail, isReported, now }: { code: AlarmFailure; detail: string | null; isReported: boolean; now: Date },
) =>
  sql`update alarm_channel set failures = failures + 1, is_reported = is_reported or ${isReported}, last_failure_at = ${now}, failure_code = ${code},
    failure_detail = ${detail} where id = ${id}`.execute(db);

/** Names of the rules that have a step by this channel. */
export async function findRulesOfChannel(tx: Tx, id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from alarm_rule where steps @> jsonb_build_array(jsonb_build_object('channelId', ${id}::text)) order by name`.execute(tx);
  return rows.map(({ name }) => name);
}
