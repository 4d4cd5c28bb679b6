import { say } from '@hes/contract/core/text.ts';
import { MAX_EXPORT_AT_ONCE } from '@hes/contract/transfer/export.ts';
import { holderOf } from '#db/scope.ts';
import { findUserById } from '#http/access/queries.ts';
import type { Job, JobKind } from '#jobs/job-queue.ts';
import { ApiError } from '#platform/api-error.ts';
import { topicOfUser } from '#platform/bus.ts';
import type { Context, User } from '#db/context.ts';
import { sheetPieces } from '#platform/spreadsheet/sheet-file.ts';
import { findKind, type AnyExport } from './define-export.ts';
import { jobOf } from './export-job.ts';
import { addPiece, emptyFile, endExport, findExport, findOrdered, saveProgress, type EndedExport } from './queries.ts';
import { rowsOf } from './rows.ts';

export const EXPORT_JOB = 'export';
/** Short exports must not wait while two users run two long ones each. */
const WORKERS = 6;
const PIECE_OCTETS = 1_048_576;
/** Rows between two updates of the stored progress. */
const ROWS_AT_ONCE = 5000;

/** The user with the current rights: rights revoked since the order no longer apply. */
async function readerOf(ctx: Context, kind: AnyExport, userId: string): Promise<User> {
  const user = await findUserById(ctx, userId, new Date(ctx.clock.now()));
  const { page, action } = kind.routes.run.allow;
  const reader = user && holderOf(user, page, action);
  if (reader === undefined) throw new ApiError('FORBIDDEN');
  return reader;
}

/** Writes the file in pieces, which bounds the memory to one piece. */
async function writeExport(ctx: Context, job: Job): Promise<EndedExport | undefined> {
  const { subject: id, signal } = job;
  const ordered = await findOrdered(ctx.db, id);
  if (ordered === undefined) return undefined;
  const { locale, filter, columns, rows: only, format } = ordered.instructions;
  const kind = findKind(ordered.list);
  if (kind === undefined) throw new ApiError('NOT_FOUND');
  const user = await readerOf(ctx, kind, ordered.userId);
  await ctx.db.transaction().execute(async (tx) => {
    await emptyFile(tx, id);
    await job.hold(tx);
  });
  const written = { rows: 0, octets: 0 };
  const rows = rowsOf(kind, ctx, { user, locale, filter, columns, only, onRows: (count) => void (written.rows += count) });
  let number = 0;
  let gathered: Buffer[] = [];
  const flush = () =>
    ctx.db.transaction().execute(async (tx) => {
      await addPiece(tx, { jobId: id, number: number++, content: Buffer.concat(gathered) });
      await job.hold(tx);
    });
  let open = 0;
  let savedRows = 0;
  for await (const piece of sheetPieces(format, say(kind.title, locale), rows, { by: user.username, at: ordered.createdAt })) {
    signal.throwIfAborted();
    if (written.rows - savedRows >= ROWS_AT_ONCE) {
      savedRows = written.rows;
      await saveProgress(ctx.db, id, written, written.rows > MAX_EXPORT_AT_ONCE);
    }
    gathered.push(piece);
    written.octets += piece.length;
    open += piece.length;
    if (open < PIECE_OCTETS) continue;
    await flush();
    gathered = [];
    open = 0;
  }
  if (open > 0) await flush();
  return ctx.db.transaction().execute(async (tx) => {
    const octets = String(written.octets);
    const ended = await endExport(tx, id, { state: 'ready', rows: written.rows, octets, finishedAt: new Date(ctx.clock.now()) });
    await job.hold(tx);
    return ended;
  });
}

async function publishEnd(ctx: Context, id: string, { userId }: EndedExport): Promise<void> {
  const stored = await findExport(ctx.db, userId, id);
  if (stored === undefined) return;
  ctx.bus.publish(topicOfUser(userId), { type: 'export.ready', ts: new Date(ctx.clock.now()).toISOString(), id, data: jobOf(stored) });
}

export const exportJobs = (ctx: Context): JobKind => ({
  name: EXPORT_JOB,
  workers: WORKERS,
  async run(job) {
    const ended = await writeExport(ctx, job);
    // After a takeover the event is always published, because the waiting request may have died with its process.
    if (ended !== undefined && (ended.isLate || job.isRepeated)) await publishEnd(ctx, job.subject, ended);
  },
  async giveUp(id, error) {
    if (!(error instanceof ApiError)) ctx.log.warn('An export could not be written', { id, error });
    const failure = error instanceof ApiError ? { failure: JSON.stringify({ code: error.code, params: error.params }) } : {};
    const ended = await endExport(ctx.db, id, { state: 'failed', ...failure, finishedAt: new Date(ctx.clock.now()) });
    if (ended?.isLate === true) await publishEnd(ctx, id, ended);
  },
});
