import type { Db } from '#db/context.ts';

const KEPT_MS = 24 * 3_600_000;
const SHOWN = 20;

const COLUMNS = ['id', 'list', 'fileName', 'state', 'rows', 'octets', 'createdAt'] as const;

export interface StoredExport {
  id: string;
  list: string;
  fileName: string;
  state: string;
  rows: number;
  octets: string;
  createdAt: Date;
}

export async function insertExport(db: Db, job: { userId: string; list: string; fileName: string }, now: Date): Promise<string> {
  await db
    .deleteFrom('exportJob')
    .where('createdAt', '<', new Date(now.getTime() - KEPT_MS))
    .execute();
  const { id } = await db
    .insertInto('exportJob')
    .values({ ...job, createdAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const addPiece = (db: Db, jobId: string, number: number, content: Buffer) =>
  db.insertInto('exportPiece').values({ jobId, number, content }).execute();

export const updateExport = (db: Db, id: string, change: { state?: 'ready' | 'failed'; rows: number; octets: number; finishedAt?: Date }) =>
  db
    .updateTable('exportJob')
    .set({ ...change, octets: String(change.octets) })
    .where('id', '=', id)
    .execute();

export const findExports = (db: Db, userId: string): Promise<StoredExport[]> =>
  db.selectFrom('exportJob').where('userId', '=', userId).select(COLUMNS).orderBy('id', 'desc').limit(SHOWN).execute();

/** Only who asked for a file gets it. */
export const findExport = (db: Db, userId: string, id: string): Promise<StoredExport | undefined> =>
  db.selectFrom('exportJob').where('userId', '=', userId).where('id', '=', id).select(COLUMNS).executeTakeFirst();

export async function findPiece(db: Db, jobId: string, number: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('exportPiece')
    .where('jobId', '=', jobId)
    .where('number', '=', number)
    .select('content')
    .executeTakeFirst();
  return row?.content;
}
