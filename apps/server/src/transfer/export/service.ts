import { Readable } from 'node:stream';
import { setTimeout as pass } from 'node:timers/promises';
import { SHEET_FORMATS, type FileAnswer } from '@hes/contract/core/file.ts';
import { say } from '@hes/contract/core/text.ts';
import type { ExportJob } from '@hes/contract/transfer/export.ts';
import { writeAudit } from '#db/audit.ts';
import { parse } from '#http/issues.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { SHEET_TYPES } from '#platform/spreadsheet/sheet-file.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { nameOf, type AnyExport } from './define-export.ts';
import { jobOf } from './export-job.ts';
import { countRunning, findExport, findExports, findOutlook, findPiece, insertExport, markLate, type Instructions } from './queries.ts';
import { EXPORT_JOB } from './write-export.ts';

const MAX_AT_ONCE_PER_USER = 2;
/** The request waits for this time; later the end is published as an event. */
const WAIT_MS = 15_000;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;
const BUSY_SECONDS = 30;

async function getJob(ctx: Context, userId: string, id: string): Promise<ExportJob> {
  const stored = await findExport(ctx.db, userId, id);
  if (stored === undefined) throw new ApiError('NOT_FOUND');
  return jobOf(stored);
}

/** The file name contains the user name, because plain rows have no other place for it. */
function fileNameOf(ctx: Context, title: string, username: string, format: string): string {
  const now = ctx.clock.now();
  const stamp = new Date(now + new Zone(ctx.settings.timeZone).offsetMs(now))
    .toISOString()
    .slice(0, 16)
    .replaceAll(/[-:]/g, '')
    .replace('T', '-');
  return `${title}-${stamp}-${username}.${format}`;
}

/** Inserts export, audit entry and job in one transaction. */
function orderExport(kind: AnyExport, ctx: Context, { user, ip }: Who, instructions: Instructions): Promise<string> {
  const { format, filter, rows: only, locale } = instructions;
  const now = ctx.clock.now();
  const list = nameOf(kind);
  return ctx.db.transaction().execute(async (tx) => {
    if ((await countRunning(tx, user.id)) >= MAX_AT_ONCE_PER_USER) throw new ApiError('RATE_LIMIT', { seconds: BUSY_SECONDS });
    const fileName = fileNameOf(ctx, say(kind.title, locale), user.username, format);
    const id = await insertExport(tx, { userId: user.id, list, fileName, instructions }, new Date(now));
    const detail = { list, file: fileName, format, filter, ...(only === undefined ? {} : { chosen: only.length }) };
    await writeAudit(tx, { userId: user.id, action: 'list_exported', entity: 'export', entityId: id, detail, ip }, now);
    await ctx.jobs.order(tx, EXPORT_JOB, id);
    return id;
  });
}

/** Orders the export of a filtered list. A short one is ready in the response; the event `export.ready` reports the end of others. */
export async function runExport(kind: AnyExport, ctx: Context, who: Who, instructions: Instructions): Promise<ExportJob> {
  const { user } = who;
  if (kind.list.query) parse(kind.list.query, instructions.filter, instructions.locale);
  const id = await orderExport(kind, ctx, who, instructions);
  ctx.jobs.wake(EXPORT_JOB);
  const isLate = await waitForEnd(ctx, id);
  const job = await getJob(ctx, user.id, id);
  return isLate ? { ...job, state: 'running' } : job;
}

/** Waits for the end; true when the event will report it instead. Polls the row, because a worker of another process may write the file. */
async function waitForEnd(ctx: Context, id: string): Promise<boolean> {
  for (let waitedMs = 0, stepMs = FIRST_POLL_MS; ; stepMs = Math.min(stepMs * 1.5, LONGEST_POLL_MS)) {
    const { state, isLate, failure } = await findOutlook(ctx.db, id);
    if (failure !== undefined) throw new ApiError(failure.code, failure.params);
    if (isLate || state !== 'running') return isLate;
    if (waitedMs >= WAIT_MS) return markLate(ctx.db, id);
    await pass(stepMs);
    waitedMs += stepMs;
  }
}

export async function listExports(ctx: Context, userId: string): Promise<ExportJob[]> {
  return (await findExports(ctx.db, userId)).map(jobOf);
}

/** Streams the file piece by piece. */
export async function openExportFile(ctx: Context, userId: string, id: string): Promise<FileAnswer> {
  const job = await getJob(ctx, userId, id);
  if (job.state !== 'ready') throw new ApiError('NOTHING_TO_DO');
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let number = 0; ; number++) {
      const piece = await findPiece(ctx.db, id, number);
      if (piece === undefined) return;
      yield piece;
    }
  }
  const format = SHEET_FORMATS.find((ending) => job.fileName.endsWith(`.${ending}`)) ?? 'csv';
  return { name: job.fileName, type: SHEET_TYPES[format], content: Readable.from(pieces()) };
}
