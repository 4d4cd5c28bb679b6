import type { Failures } from '#platform/lock-out.ts';
import type { Tx } from '#platform/context.ts';

/**
 * Wrong passwords and codes of a user so far, held until the transaction ends: of two at the same moment both count, and codes are
 * judged one after the other.
 */
export async function holdFailures(tx: Tx, userId: string): Promise<Failures> {
  const row = await tx
    .selectFrom('appUser')
    .where('id', '=', userId)
    .select(['failedCount', 'failedSince'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { count: row.failedCount, since: row.failedSince };
}

export const setFailures = (tx: Tx, userId: string, { count, since }: Failures) =>
  tx.updateTable('appUser').set({ failedCount: count, failedSince: since }).where('id', '=', userId).execute();
