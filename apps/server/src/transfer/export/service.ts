import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { SHEET_FORMATS, type FileAnswer, type SheetFormat } from '@hes/contract/core/file.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { MAX_EXPORT_AT_ONCE, type ExportJob, type exportOrder } from '@hes/contract/transfer/export.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { sheetPieces, SHEET_TYPES } from '#platform/spreadsheet/sheet-file.ts';
import type { Watermark } from '#platform/spreadsheet/xlsx-write.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { AnyExport } from './define-export.ts';
import { addPiece, findExport, findExports, findPiece, insertExport, updateExport, type StoredExport } from './queries.ts';
import { rowsOf } from './rows.ts';

const MAX_AT_ONCE_PER_USER = 2;
/** After this long the caller goes on, and is told when the file is ready. */
const PATIENCE_MS = 15_000;
const PIECE_OCTETS = 1_048_576;
const BUSY_SECONDS = 30;

/** What this process writes now, by job: what the database calls running and is not here was cut off by a restart. */
const running = new WeakMap<Context, Map<string, string>>();
function runningOf(ctx: Context): Map<string, string> {
  const known = running.get(ctx) ?? new Map<string, string>();
  running.set(ctx, known);
  return known;
}

const nameOf = (kind: AnyExport) => kind.routes.run.path.slice('/export/'.length);

function jobOf(ctx: Context, stored: StoredExport): ExportJob {
  const isLost = stored.state === 'running' && !runningOf(ctx).has(stored.id);
  // as: the table admits nothing else.
  const state = isLost ? 'failed' : (stored.state as ExportJob['state']);
  return { ...stored, state, octets: Number(stored.octets), createdAt: stored.createdAt.toISOString() };
}

async function getJob(ctx: Context, userId: string, id: string): Promise<ExportJob> {
  const stored = await findExport(ctx.db, userId, id);
  if (stored === undefined) throw new ApiError('NOT_FOUND');
  return jobOf(ctx, stored);
}

interface Writing {
  id: string;
  format: SheetFormat;
  title: string;
  rows: ReturnType<typeof rowsOf>;
  watermark: Watermark;
}

/** Writes the file in pieces, so that memory holds one of them. */
async function writePieces(ctx: Context, { id, format, title, rows, watermark }: Writing): Promise<number> {
  let octets = 0;
  let number = 0;
  let gathered: Buffer[] = [];
  const flush = async () => {
    if (gathered.length === 0) return;
    await addPiece(ctx.db, id, number++, Buffer.concat(gathered));
    gathered = [];
  };
  let open = 0;
  for await (const piece of sheetPieces(format, title, rows, watermark)) {
    gathered.push(piece);
    octets += piece.length;
    open += piece.length;
    if (open < PIECE_OCTETS) continue;
    await flush();
    open = 0;
  }
  await flush();
  return octets;
}

/** Writes a list behind its filter. Short ones are ready in the answer; of the others the caller hears by `export.ready`. */
export async function runExport(
  kind: AnyExport,
  ctx: Context,
  who: Who,
  order: z.output<typeof exportOrder> & { locale: Locale },
): Promise<ExportJob> {
  const { user, ip } = who;
  const { format, filter, rows: only, columns, locale } = order;
  const busy = runningOf(ctx);
  if ([...busy.values()].filter((userId) => userId === user.id).length >= MAX_AT_ONCE_PER_USER)
    throw new ApiError('RATE_LIMIT', { seconds: BUSY_SECONDS });
  const now = ctx.clock.now();
  const title = say(kind.title, locale);
  const stamp = new Date(now + new Zone(ctx.settings.timeZone).offsetMs(now))
    .toISOString()
    .slice(0, 16)
    .replaceAll(/[-:]/g, '')
    .replace('T', '-');
  let rows = 0;
  let onLong: () => void = () => undefined;
  const long = new Promise<void>((resolve) => (onLong = resolve));
  const lines = rowsOf(kind, ctx, {
    user,
    locale,
    filter,
    columns,
    only,
    onRows: (count) => {
      rows += count;
      if (rows > MAX_EXPORT_AT_ONCE) onLong();
    },
  });
  // Held from the count on: orders of the same moment would all find room until their rows are written.
  const place = `ordered ${randomUUID()}`;
  busy.set(place, user.id);
  const ordering = ctx.db.transaction().execute(async (tx) => {
    // A file of plain rows has no other place that says who took it.
    const fileName = `${title}-${stamp}-${user.username}.${format}`;
    const created = await insertExport(tx, { userId: user.id, list: nameOf(kind), fileName }, new Date(now));
    const detail = { list: nameOf(kind), file: fileName, format, filter, ...(only === undefined ? {} : { chosen: only.length }) };
    await writeAudit(tx, { userId: user.id, action: 'list_exported', entity: 'export', entityId: created, detail, ip }, now);
    return created;
  });
  const id = await ordering.finally(() => busy.delete(place));
  busy.set(id, user.id);
  let isWaiting = true;
  const writing = (async () => {
    try {
      const octets = await writePieces(ctx, { id, format, title, rows: lines, watermark: { by: user.username, at: new Date(now) } });
      await updateExport(ctx.db, id, { state: 'ready', rows, octets, finishedAt: new Date(ctx.clock.now()) });
    } catch (error) {
      if (isWaiting && error instanceof ApiError) throw error;
      ctx.log.warn('An export could not be written', { list: nameOf(kind), error });
      await updateExport(ctx.db, id, { state: 'failed', rows, octets: 0, finishedAt: new Date(ctx.clock.now()) });
    } finally {
      busy.delete(id);
    }
    if (!isWaiting) await tell(ctx, user.id, id);
  })();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  await Promise.race([writing, long, patience]);
  clearTimeout(timer);
  isWaiting = false;
  // Whoever waits for it no longer hears of a failure: it is in the log and in the job.
  writing.catch((error: unknown) => ctx.log.warn('An export ended badly', { error }));
  return getJob(ctx, user.id, id);
}

async function tell(ctx: Context, userId: string, id: string): Promise<void> {
  const job = await getJob(ctx, userId, id);
  ctx.bus.publish(`user:${userId}`, { type: 'export.ready', ts: new Date(ctx.clock.now()).toISOString(), id, data: job });
}

export async function listExports(ctx: Context, userId: string): Promise<ExportJob[]> {
  return (await findExports(ctx.db, userId)).map((stored) => jobOf(ctx, stored));
}

/** The file, piece by piece. */
export async function exportedFile(ctx: Context, userId: string, id: string): Promise<FileAnswer> {
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
