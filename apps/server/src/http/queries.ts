import { visible } from '#db/scope.ts';
import type { Db, User } from '#platform/context.ts';

export async function findVisibleDcus(db: Db, user: User): Promise<string[]> {
  const rows = await db.selectFrom('dcu').where(visible('dcu.transformerId', user)).select('dcu.id').execute();
  return rows.map((row) => row.id);
}

/** Who sees the whole network sees every task; others see what they ordered, as in lists. */
export async function canSeeTask(db: Db, user: User, taskId: string): Promise<boolean> {
  const task = await db.selectFrom('task').where('id', '=', taskId).select('createdBy').executeTakeFirst();
  return task !== undefined && (user.scope.length === 0 || task.createdBy === user.id);
}
