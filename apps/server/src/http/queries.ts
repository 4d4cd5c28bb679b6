import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, User } from '#platform/context.ts';

export async function findVisibleDcus(db: Db, user: User): Promise<string[]> {
  const rows = await db.selectFrom('dcu').where(visible('dcu.transformerId', user)).select('dcu.id').execute();
  return rows.map((row) => row.id);
}

/** Own tasks, and those that touch a DCU of the user's area. */
export async function canSeeTask(db: Db, user: User, taskId: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select task.id from task where task.id = ${taskId} and (task.created_by = ${user.id} or ${user.scope.length === 0} or exists (
      select from task_item join dcu on dcu.id = task_item.dcu_id where task_item.task_id = task.id and ${visible('dcu.transformerId', user)}))`.execute(
    db,
  );
  return rows.length > 0;
}
