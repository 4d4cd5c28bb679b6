import type { DeadLetter } from '@hes/contract/delivery/sender.ts';
import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { SettingValue } from '@hes/contract/delivery/kinds/kind.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { containing } from '#db/paging.ts';

/** Attempts to deliver one kind since its last success. */
export interface Attempts {
  /** Items in the next batch. */
  size: number;
  /** Refusals of the first item in a batch of its own. */
  refusals: number;
  /** Messages put aside in a row. */
  putAside: number;
  failures: number;
  /** Epoch milliseconds before which nothing is sent. */
  retryAt: number;
}

/** A sender as the engine needs it. Positions are cursors by kind. */
export interface StoredSender {
  id: string;
  name: string;
  /** A later version may have other kinds. */
  kind: string;
  settings: Record<string, SettingValue>;
  ref: string;
  /** All secrets as JSON, sealed. */
  secret: Buffer;
  contents: FeedKind[];
  levelIds: string[];
  isPaused: boolean;
  positions: Partial<Record<FeedKind, string>>;
  step: string;
  attempts: Partial<Record<FeedKind, Attempts>>;
  /** Of the kind with most failures in a row. */
  failures: number;
  nextTryAt: Date;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  failureCode: SenderFailure | null;
  failureDetail: string | null;
  sent: string;
  lastRunAt: Date;
  createdAt: Date;
  version: number;
}

/** Name of a sender among the readers of the outbox. */
export const readerOf = (ref: string): string => `sender:${ref}`;

export const purposeOf = ({ ref }: Pick<StoredSender, 'ref'>): string => `sender/${ref}`;

export type CountedSender = StoredSender & { deadLetters: number };
const COUNTED = sql`select s.*, (select count(*)::int from sender_dead_letter d where d.sender_id = s.id) as dead_letters from sender s`;

export async function findSenders(db: Db, search = ''): Promise<CountedSender[]> {
  const { rows } = await sql<CountedSender>`${COUNTED} where s.name ilike ${containing(search)} order by lower(s.name)`.execute(db);
  return rows;
}

export async function findCountedSender(db: Db, id: string): Promise<CountedSender | undefined> {
  const { rows } = await sql<CountedSender>`${COUNTED} where s.id = ${id}`.execute(db);
  return rows[0];
}

/** Reads one sender; within a transaction it is locked. */
export async function findSender(db: Db | Tx, id: string, isLocked = false): Promise<StoredSender | undefined> {
  const { rows } = await sql<StoredSender>`select * from sender where id = ${id} ${isLocked ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** Senders that are not paused. Each of their kinds has its own instant of the next attempt. */
export async function findActiveSenders(db: Db): Promise<StoredSender[]> {
  const { rows } = await sql<StoredSender>`select * from sender where not is_paused order by id`.execute(db);
  return rows;
}

export type Progress = Pick<StoredSender, 'positions' | 'attempts'> & {
  /** Items that were delivered. */
  delivered: number;
  failure: { code: SenderFailure; detail: string | null } | undefined;
};

/**
 * Stores the outcome of an attempt; null: another node, or a user, has moved the sender since it was read, and the outcome is dropped.
 * Returns the sender as it is now.
 */
export async function storeProgress(db: Db | Tx, { id, step }: StoredSender, progress: Progress): Promise<StoredSender | undefined> {
  const { positions, attempts, delivered, failure } = progress;
  const failing = Object.values(attempts).filter(({ failures }) => failures > 0);
  const failures = Math.max(0, ...failing.map((each) => each.failures));
  const nextTryAt = failing.length === 0 ? null : new Date(Math.min(...failing.map(({ retryAt }) => retryAt)));
  // The success of one kind does not end the failure of another one.
  const isOver = delivered > 0 && failures === 0;
  const { rows } = await sql<StoredSender>`
    update sender set positions = ${JSON.stringify(positions)}::jsonb, step = step + 1, attempts = ${JSON.stringify(attempts)}::jsonb, failures = ${failures},
      sent = sent + ${delivered}, next_try_at = coalesce(${nextTryAt}, now()),
      last_success_at = case when ${delivered > 0} then now() else last_success_at end,
      last_failure_at = case when ${failure !== undefined} then now() else last_failure_at end,
      failure_code = case when ${failure !== undefined} then ${failure?.code ?? null} when ${isOver} then null else failure_code end,
      failure_detail = case when ${failure !== undefined} then ${failure?.detail ?? null} when ${isOver} then null else failure_detail end
    where id = ${id} and step = ${step} and not is_paused returning *`.execute(db);
  return rows[0];
}

/** Dead letters kept for each sender; a receiver that refuses everything must not fill the database. */
const KEPT_LETTERS = 1000;

/** Stores a message that the receiver refused for good; the oldest ones beyond the limit are deleted. */
export async function insertDeadLetter(
  tx: Tx,
  senderId: string,
  letter: { messageId: string; kind: FeedKind; reason: string; content: object },
): Promise<void> {
  await sql`insert into sender_dead_letter (sender_id, message_id, kind, reason, content)
    values (${senderId}, ${letter.messageId}, ${letter.kind}, ${letter.reason}, ${JSON.stringify(letter.content)}::jsonb)`.execute(tx);
  await sql`delete from sender_dead_letter where sender_id = ${senderId}
    and id <= (select id from sender_dead_letter where sender_id = ${senderId} order by id desc offset ${KEPT_LETTERS} limit 1)`.execute(
    tx,
  );
}

const LETTERS = 100;

export async function findDeadLetters(db: Db, senderId: string): Promise<DeadLetter[]> {
  const { rows } = await sql<Omit<DeadLetter, 'at'> & { at: Date }>`
    select id, at, message_id, kind, reason, content from sender_dead_letter where sender_id = ${senderId} order by id desc limit ${LETTERS}`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

export type SenderFields = Pick<StoredSender, 'name' | 'settings' | 'contents' | 'levelIds'>;

export async function insertSender(
  tx: Tx,
  {
    name,
    kind,
    settings,
    contents,
    levelIds,
    ref,
    secret,
    positions,
  }: SenderFields & Pick<StoredSender, 'kind' | 'ref' | 'secret' | 'positions'>,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into sender (name, kind, settings, ref, secret, contents, level_ids, positions)
    values (${name}, ${kind}, ${JSON.stringify(settings)}::jsonb, ${ref}, ${secret}, ${contents}::text[], ${levelIds}::bigint[], ${JSON.stringify(positions)}::jsonb) returning id`.execute(
    tx,
  );
  return rows[0]?.id ?? '';
}

/** The next attempt follows at once, also on a schedule. */
const DUE_NOW = sql`attempts = '{}', failures = 0, next_try_at = now(), last_run_at = 'epoch'`;

export async function updateSender(
  tx: Tx,
  id: string,
  { name, settings, contents, levelIds, secret, positions }: SenderFields & Pick<StoredSender, 'positions' | 'secret'>,
): Promise<void> {
  await sql`update sender set name = ${name}, settings = ${JSON.stringify(settings)}::jsonb, contents = ${contents}::text[], level_ids = ${levelIds}::bigint[],
      secret = ${secret}, positions = ${JSON.stringify(positions)}::jsonb, step = step + 1, version = version + 1,
      ${DUE_NOW} where id = ${id}`.execute(tx);
}

export const deleteSender = (tx: Tx, id: string) => sql`delete from sender where id = ${id}`.execute(tx);

/** Pauses or resumes; a resumed sender is due at once. */
export const setPaused = (tx: Tx, id: string, isPaused: boolean) =>
  sql`update sender set is_paused = ${isPaused}, step = step + 1, ${DUE_NOW} where id = ${id}`.execute(tx);

/** Moves a sender to other positions. */
export const setPositions = (tx: Tx, id: string, positions: StoredSender['positions']) =>
  sql`update sender set positions = ${JSON.stringify(positions)}::jsonb, step = step + 1, failure_code = null,
    ${DUE_NOW} where id = ${id}`.execute(tx);

/** Notes that a run on a schedule has left nothing behind. */
export const storeRun = (db: Db, { id, step }: StoredSender, beganAt: Date) =>
  sql`update sender set last_run_at = ${beganAt} where id = ${id} and step = ${step}`.execute(db);

/**
 * Deletes dead letters that are older than the given days, and ends readers of kinds that no sender sends, which a change that failed may leave. A sender that is being added follows before it is stored, so
 * readers that asked within the last day stay. Idempotent.
 */
export async function clearSenders(db: Db, days: number): Promise<void> {
  await sql`delete from sender_dead_letter where at < now() - make_interval(days => ${days})`.execute(db);
  await sql`
    delete from outbox_reader r where r.reader like 'sender:%' and r.asked_at < now() - interval '1 day'
      and not exists (select from sender s where ${readerOf('')} || s.ref = r.reader and r.kind = any(s.contents))`.execute(db);
}

/** Ends readers of a sender for kinds that it does not send. */
export const unfollowOthers = (db: Db, ref: string) =>
  sql`delete from outbox_reader r where r.reader = ${readerOf(ref)}
    and not exists (select from sender s where s.ref = ${ref}::uuid and r.kind = any(s.contents))`.execute(db);

/** Number of levels among the ids. */
export async function countLevels(db: Db | Tx, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from network_level where id = any(${[...ids]}::bigint[])`.execute(db);
  return rows[0]?.n ?? 0;
}
