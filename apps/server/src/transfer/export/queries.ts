import type { exportOrder } from '@hes/contract/transfer/export.ts';
import type { Locale, TextParams } from '@hes/contract/core/text.ts';
import type { z } from 'zod';
import type { ErrorCode } from '@hes/contract/core/errors.ts';
import type { Db, Tx } from '#db/context.ts';

const KEPT_MS = 24 * 3_600_000;
const SHOWN = 20;

const COLUMNS = ['id', 'list', 'fileName', 'state', 'rows', 'octets', 'createdAt'] as const;

/** The order of an export, stored for the job. */
export type Instructions = z.output<typeof exportOrder> & { locale: Locale };

interface Failure {
  code: Exclude<ErrorCode, 'STALE'>;
  params: TextParams;
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

/** Number of running exports of a user. The lock serialises concurrent orders of one user, so that all are counted. */
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

/** The order of a running export; undefined when it has ended or was deleted. */
export async function findOrdered(db: Db, id: string): Promise<OrderedExport | undefined> {
  const row = await db
    .selectFrom('exportJob')
    .where('id', '=', id)
    .where('state', '=', 'running')
    .select(['userId', 'list', 'instructions', 'createdAt'])
    .executeTakeFirst();
  return row && { ...row, instructions: row.instructions as Instructions }; // as: written by `insertExport`
}

/** Deletes the pieces that an earlier attempt wrote. */
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

/** Owner of the file; `isLate` when the ordering request was answered before the end. */
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

/** Marks that the request is answered before the end, which will be published instead. False when the export has ended already. */
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

/** State of an export for the request that waits for it. */
export async function findOutlook(db: Db, id: string): Promise<Outlook> {
  const row = await db.selectFrom('exportJob').where('id', '=', id).select(['state', 'isLate', 'failure']).executeTakeFirst();
  if (row === undefined) return { state: 'failed', isLate: false, failure: undefined };
  return { ...row, failure: (row.failure ?? undefined) as Failure | undefined }; // as: written by `endExport`
}

export const findExports = (db: Db, userId: string): Promise<StoredExport[]> =>
  db.selectFrom('exportJob').where('userId', '=', userId).select(COLUMNS).orderBy('id', 'desc').limit(SHOWN).execute();

/** Only the user who ordered a file can read it. */
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
