import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import { sql } from 'kysely';
import { lockOutboxInTransaction } from '#db/advisory-locks.ts';
import type { Db, Tx } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';

/** A new reader waits this long for transactions that began before it. */
const LOCK_WAIT_S = 3;
/** While it waits for the lock, it holds up transactions that store; so it waits often, each time for these milliseconds, and then lets them pass. */
const LOCK_ATTEMPT_MS = 100;
const LOCK_PAUSE_MS = 200;
const LOCK_ATTEMPTS = (LOCK_WAIT_S * 1000) / (LOCK_ATTEMPT_MS + LOCK_PAUSE_MS);
const LOCK_NOT_AVAILABLE = '55P03';

/** Notes that a reader asked, at most once an hour. Whether the reader is known. */
async function renewReader(db: Db, kind: FeedKind, reader: string): Promise<boolean> {
  const { rows } = await sql<{ isOld: boolean }>`
    select asked_at < now() - interval '1 hour' as is_old from outbox_reader where kind = ${kind} and reader = ${reader}`.execute(db);
  if (rows[0]?.isOld === true) await sql`update outbox_reader set asked_at = now() where kind = ${kind} and reader = ${reader}`.execute(db);
  return rows.length > 0;
}

async function addReader(tx: Tx, kind: FeedKind, reader: string): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${LOCK_ATTEMPT_MS}ms`}, true)`.execute(tx);
  await lockOutboxInTransaction(tx, kind);
  await sql`update outbox_kind set epoch = epoch + 1, began_at = now() where kind = ${kind} and not exists (select from outbox_reader where kind = ${kind})`.execute(
    tx,
  );
  await sql`insert into outbox_reader (kind, reader) values (${kind}, ${reader}) on conflict do nothing`.execute(tx);
}

/**
 * Ensures that every transaction that commits from now on writes rows of this kind into the outbox. Throws `OUTBOX_BUSY` while a long
 * transaction, such as an import, prevents that.
 */
export async function follow(db: Db, kind: FeedKind, reader: string): Promise<void> {
  if (await renewReader(db, kind, reader)) return;
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    if (await tryAddReader(db, kind, reader)) return;
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
  throw new ApiError('OUTBOX_BUSY', { seconds: LOCK_WAIT_S });
}

/** Whether the reader was added; false: a transaction still holds the lock. */
async function tryAddReader(db: Db, kind: FeedKind, reader: string): Promise<boolean> {
  try {
    await db.transaction().execute((tx) => addReader(tx, kind, reader));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false; // as: pg puts a code on its errors
    throw error;
  }
}

/** Ends a reader, of one kind or of all. */
export const unfollow = (db: Db | Tx, reader: string, kind?: FeedKind) =>
  sql`delete from outbox_reader where reader = ${reader} and kind = coalesce(${kind ?? null}, kind)`.execute(db);

/** Ends readers that have not asked for the given days, and deletes rows that are older. Idempotent. */
export async function clearOutbox(db: Db, days: number): Promise<void> {
  const before = sql`now() - make_interval(days => ${days})`;
  await sql`delete from outbox_reader where reader like 'feed:%' and asked_at < ${before}`.execute(db);
  await sql`update outbox_kind set cleared_before = greatest(cleared_before, ${before})`.execute(db);
  await sql`delete from outbox o using outbox_kind k where k.kind = o.kind and o.at < k.cleared_before`.execute(db);
}
