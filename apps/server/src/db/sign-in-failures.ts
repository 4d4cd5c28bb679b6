import { sql } from 'kysely';
import { lockOutWindow, type Failures } from '#platform/lock-out.ts';
import type { Tx } from './context.ts';

/** Key of the failure counter of a user's sign-ins: one browser known for the user, or all unknown browsers together. */
export interface Counter {
  userId: string;
  /** Hash of the known browser's secret. */
  browser: Buffer | undefined;
}

/** Key of the failure counter of a name that no user has, hashed. */
export interface UnknownName {
  nameHash: Buffer;
}

/** Rows whose lock-out has ended that each failure deletes. */
const FORGOTTEN_PER_FAILURE = 10;

/** Locks the row of the user until the transaction ends; concurrent codes of one user are checked one at a time. */
export const lockUser = (tx: Tx, userId: string) =>
  tx.selectFrom('appUser').where('id', '=', userId).select(['failedCount', 'failedSince']).forUpdate().executeTakeFirstOrThrow();

/** Failures so far. The row stays locked until the transaction ends, so two simultaneous failures both count. */
export async function lockFailures(tx: Tx, counter: Counter | UnknownName): Promise<Failures> {
  if ('nameHash' in counter) return lockUnknownName(tx, counter.nameHash);
  const { userId, browser } = counter;
  const user = await lockUser(tx, userId);
  if (browser === undefined) return { count: user.failedCount, since: user.failedSince };
  const row = await tx
    .selectFrom('knownBrowser')
    .where('userId', '=', userId)
    .where('hash', '=', browser)
    .select(['failedCount', 'failedSince'])
    .executeTakeFirst();
  return { count: row?.failedCount ?? 0, since: row?.failedSince ?? null };
}

/** All head-ends count an unknown name as they count a user, so that the number of attempts does not reveal which names exist. */
async function lockUnknownName(tx: Tx, nameHash: Buffer): Promise<Failures> {
  const { rows } = await sql<{ failedCount: number; failedSince: Date | null }>`
    insert into unknown_sign_in as u (name_hash) values (${nameHash})
    on conflict (name_hash) do update set failed_count = u.failed_count returning failed_count, failed_since`.execute(tx);
  return { count: rows[0]?.failedCount ?? 0, since: rows[0]?.failedSince ?? null };
}

async function setUnknownName(tx: Tx, nameHash: Buffer, { count, since }: Failures): Promise<void> {
  await sql`
    with expired as (
      delete from unknown_sign_in where name_hash in (
        select name_hash from unknown_sign_in where name_hash <> ${nameHash} and (failed_since is null or failed_since < ${since === null ? null : lockOutWindow(since.getTime())})
        order by failed_since nulls first limit ${FORGOTTEN_PER_FAILURE} for update skip locked)
    )
    update unknown_sign_in set failed_count = ${count}, failed_since = ${since} where name_hash = ${nameHash}`.execute(tx);
}

export async function setFailures(tx: Tx, counter: Counter | UnknownName, failures: Failures): Promise<void> {
  if ('nameHash' in counter) return setUnknownName(tx, counter.nameHash, failures);
  const { userId, browser } = counter;
  const { count, since } = failures;
  const change = { failedCount: count, failedSince: since };
  if (browser === undefined) await tx.updateTable('appUser').set(change).where('id', '=', userId).execute();
  else await tx.updateTable('knownBrowser').set(change).where('userId', '=', userId).where('hash', '=', browser).execute();
}
