import type { Failures } from '#platform/lock-out.ts';
import type { Tx } from './context.ts';

/** Key of the failure counter of sign-ins: one browser known for the user, or all unknown browsers together. */
export interface Counter {
  userId: string;
  /** Hash of the known browser's secret. */
  browser: Buffer | undefined;
}

/** Locks the row of the user until the transaction ends; concurrent codes of one user are checked one at a time. */
export const lockUser = (tx: Tx, userId: string) =>
  tx.selectFrom('appUser').where('id', '=', userId).select(['failedCount', 'failedSince']).forUpdate().executeTakeFirstOrThrow();

/** Failures so far. The row stays locked until the transaction ends, so two simultaneous failures both count. */
export async function lockFailures(tx: Tx, { userId, browser }: Counter): Promise<Failures> {
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

export async function setFailures(tx: Tx, { userId, browser }: Counter, { count, since }: Failures): Promise<void> {
  const change = { failedCount: count, failedSince: since };
  if (browser === undefined) await tx.updateTable('appUser').set(change).where('id', '=', userId).execute();
  else await tx.updateTable('knownBrowser').set(change).where('userId', '=', userId).where('hash', '=', browser).execute();
}
