import type { Failures } from '#platform/lock-out.ts';
import type { Tx } from './context.ts';

/** What wrong passwords and codes of a sign-in are counted by: a browser that the user has signed in with, or all unknown ones together. */
export interface Counter {
  userId: string;
  /** Hash of the known browser's secret. */
  browser: Buffer | undefined;
}

/** Holds the user until the transaction ends, so that codes are judged one after the other. */
export const holdUser = (tx: Tx, userId: string) =>
  tx.selectFrom('appUser').where('id', '=', userId).select(['failedCount', 'failedSince']).forUpdate().executeTakeFirstOrThrow();

/** Wrong passwords and codes so far, held until the transaction ends: of two at the same moment both count. */
export async function holdFailures(tx: Tx, { userId, browser }: Counter): Promise<Failures> {
  const user = await holdUser(tx, userId);
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
