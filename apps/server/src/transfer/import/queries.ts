import type { Db } from '#db/context.ts';

export interface StoredJob {
  id: string;
  userId: string;
  fileName: string;
  content: Buffer;
  createdAt: Date;
  doneAt: Date | null;
}

/** Lifetime of a preview. */
const KEPT_MS = 24 * 3_600_000;

export async function insertJob(
  db: Db,
  job: { userId: string; entity: string; fileName: string; content: Buffer },
  now: Date,
): Promise<string> {
  await db
    .deleteFrom('importJob')
    .where('createdAt', '<', new Date(now.getTime() - KEPT_MS))
    .execute();
  const { id } = await db
    .insertInto('importJob')
    .values({ ...job, createdAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const ownJob = (db: Db, userId: string, entity: string, id: string) =>
  db
    .selectFrom('importJob')
    .where('id', '=', id)
    .where('entity', '=', entity)
    .where('userId', '=', userId)
    .select(['id', 'userId', 'fileName', 'content', 'createdAt', 'doneAt']);

/** An import is visible only to the user who uploaded it. */
export const findJob = (db: Db, userId: string, entity: string, id: string): Promise<StoredJob | undefined> =>
  ownJob(db, userId, entity, id).executeTakeFirst();

export const findJobForUpdate = (db: Db, userId: string, entity: string, id: string): Promise<StoredJob | undefined> =>
  ownJob(db, userId, entity, id).forUpdate().executeTakeFirst();

export const finishJob = (db: Db, id: string, content: Buffer, now: Date) =>
  db.updateTable('importJob').set({ content, doneAt: now }).where('id', '=', id).execute();
