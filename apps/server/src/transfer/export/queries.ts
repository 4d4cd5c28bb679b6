import type { exportOrder } from '@hes/contract/transfer/export.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { z } from 'zod';
import type { ErrorCode } from '@hes/contract/core/errors.ts';
import type { ErrorParams } from '#platform/api-error.ts';
import type { Db, Tx } from '#db/context.ts';

const KEPT_MS = 24 * 3_600_000;
const SHOWN = 20;

const COLUMNS = ['id', 'list', 'fileName', 'state', 'rows', 'octets', 'createdAt'] as const;

/** What was ordered, as the job needs it. */
export type Instructions = z.output<typeof exportOrder> & { locale: Locale };

export interface Failure {
  code: ErrorCode;
  params: ErrorParams;
}

export interface StoredExport {
  id: string;
  list: string;
  fileName: string;
  state: string;
  rows: number;
  octets: string;
  createdAt: Date;
}

interface NewExport {
  userId: string;
  list: string;
  fileName: string;
  instructions: Instructions;
}

/** How many files of a user are being written. Orders of the same user wait here for each other, so that none is overlooked. */
export async function countRunning(tx: Tx, userId: string): Promise<number> {
  await tx.selectFrom('appUser').where('id', '=', userId).select('id').forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('exportJob')
    .where('userId', '=', userId)
    .where('state', '=', 'running')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertExport(tx: Tx, { instructions, ...job }: NewExport, now: Date): Promise<string> {
  await tx
    .deleteFrom('exportJob')
    .where('createdAt', '<', new Date(now.getTime() - KEPT_MS))
    .execute();
  const { id } = await tx
    .insertInto('exportJob')
    .values({ ...job, instructions: JSON.stringify(instructions), createdAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

interface OrderedExport {
  userId: string;
  list: string;
  instructions: Instructions;
  createdAt: Date;
}

/** What a job is to write; undefined when it has ended or was forgotten. */
export async function findOrdered(db: Db, id: string): Promise<OrderedExport | undefined> {
  const row = await db
    .selectFrom('exportJob')
    .where('id', '=', id)
    .where('state', '=', 'running')
    .select(['userId', 'list', 'instructions', 'createdAt'])
    .executeTakeFirst();
  return row && { ...row, instructions: row.instructions as Instructions }; // as: written by `insertExport`
}

/** Begins the file from its start: pieces of an attempt before this one are deleted. */
export async function emptyFile(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('exportPiece').where('jobId', '=', id).execute();
  await tx.updateTable('exportJob').set({ rows: 0, octets: '0' }).where('id', '=', id).execute();
}

export const addPiece = (tx: Tx, piece: { jobId: string; number: number; content: Buffer }) =>
  tx.insertInto('exportPiece').values(piece).execute();

export interface Written {
  rows: number;
  octets: number;
}

/** Whose file it is, and whether the call that ordered it was answered before; undefined when it had ended already. */
export interface EndedExport {
  userId: string;
  isLate: boolean;
}

export const endExport = (
  db: Db | Tx,
  id: string,
  end: { state: 'ready' | 'failed'; rows?: number; octets?: string; failure?: string; finishedAt: Date },
): Promise<EndedExport | undefined> =>
  db
    .updateTable('exportJob')
    .set(end)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning(['userId', 'isLate'])
    .executeTakeFirst();

/** The caller is answered before the end, which will be announced. Answers whether it has not ended yet. */
export async function markLate(db: Db, id: string): Promise<boolean> {
  const marked = await db
    .updateTable('exportJob')
    .set({ isLate: true })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

export const saveProgress = (db: Db, id: string, { rows, octets }: Written, isLate: boolean) =>
  db
    .updateTable('exportJob')
    .set({ rows, octets: String(octets), ...(isLate ? { isLate } : {}) })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();

interface Outlook {
  state: string;
  isLate: boolean;
  failure: Failure | undefined;
}

/** What the call that waits for a file needs of it. */
export async function findOutlook(db: Db, id: string): Promise<Outlook> {
  const row = await db.selectFrom('exportJob').where('id', '=', id).select(['state', 'isLate', 'failure']).executeTakeFirst();
  if (row === undefined) return { state: 'failed', isLate: false, failure: undefined };
  return { ...row, failure: (row.failure ?? undefined) as Failure | undefined }; // as: written by `endExport`
}

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
