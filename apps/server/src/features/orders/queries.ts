import { isInArray } from '#db/in-array.ts';
import { visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

/** Those of the ids that belong to DCUs in the user's area. */
export async function findVisibleDcuIds(db: Db, user: User, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('dcu')
    .where(visible('dcu.transformerId', user))
    .where(isInArray('dcu.id', 'bigint', ids))
    .select('dcu.id')
    .execute();
  return new Set(rows.map((row) => row.id));
}
