import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FileAnswer, SheetFormat } from '@hes/contract/core/file.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { PREVIEW_ROWS, type ImportLine, type ImportPreview, type ImportVerdict } from '@hes/contract/transfer/import.ts';
import { commitChanges } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Who } from '#db/context.ts';
import type { Cell } from '#platform/spreadsheet/csv-write.ts';
import { sheetFile } from '#platform/spreadsheet/sheet-file.ts';
import type { AnyImport, ImportColumns, ImportEnvironment, Judgement } from './define-import.ts';
import { parseList, readCells, type ListLine } from './parse-list.ts';
import { findJob, findJobForUpdate, finishJob, insertJob, type StoredJob } from './queries.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);
const DOTS = '••••••';

const entityOf = (kind: AnyImport) => kind.routes.preview.path.slice('/import/'.length);
const columnsOf = (kind: AnyImport): ImportColumns => kind.columns;
const purposeOf = (kind: AnyImport, userId: string) => `import/${entityOf(kind)}/${userId}`;

const VERDICT_TEXT = {
  new: { en: 'New', zh: '新增' },
  update: { en: 'Update', zh: '更新' },
  unchanged: { en: 'Unchanged', zh: '无变化' },
  error: { en: 'Error', zh: '错误' },
};
const DONE_TEXT = {
  new: { en: 'Added', zh: '已新增' },
  update: { en: 'Updated', zh: '已更新' },
  unchanged: { en: 'Unchanged', zh: '无变化' },
  error: { en: 'Not imported', zh: '未导入' },
};
const HEADS = { line: { en: 'Line', zh: '行号' }, verdict: { en: 'Result', zh: '结果' }, reason: { en: 'Reason', zh: '原因' } };

interface JudgedLine {
  line: number;
  cells: Record<string, string>;
  verdict: ImportVerdict;
  issues: ImportLine['issues'];
}

interface Judged {
  lines: JudgedLine[];
  plans: unknown[];
}

/** Judges the readable lines; unreadable lines are errors already. */
async function judgeLines(kind: AnyImport, environment: ImportEnvironment, db: Db, lines: ListLine[]): Promise<Judged> {
  const readable = lines.filter((line) => line.row !== undefined);
  const judgements: Judgement<unknown>[] =
    readable.length === 0
      ? []
      : await kind.judge(
          environment,
          db,
          readable.map((line) => line.row ?? {}),
        );
  if (judgements.length !== readable.length)
    throw new Error(`The import of ${entityOf(kind)} judged ${judgements.length} of ${readable.length} lines`);
  const byLine = new Map(readable.map((line, at) => [line, judgements[at]]));
  const plans: unknown[] = [];
  const judged = lines.map((line): JudgedLine => {
    const { line: number, cells } = line;
    const judgement = byLine.get(line);
    if (judgement === undefined) return { line: number, cells, verdict: 'error', issues: line.issues };
    if (judgement.verdict !== 'error') {
      if (judgement.verdict !== 'unchanged') plans.push(judgement.plan);
      return { line: number, cells, verdict: judgement.verdict, issues: [] };
    }
    const issues = judgement.issues.map(({ column, text, params }) => ({
      ...(column === undefined ? {} : { column }),
      message: say(text, environment.locale, params),
    }));
    return { line: number, cells, verdict: 'error', issues };
  });
  return { lines: judged, plans };
}

/** A line without its secret cells. */
function shown(kind: AnyImport, line: JudgedLine): ImportLine {
  const columns = columnsOf(kind);
  const cells = Object.fromEntries(
    Object.entries(line.cells).map(([key, text]) => [key, columns[key]?.secret && text !== '' ? DOTS : text]),
  );
  return { ...line, cells };
}

function previewOf(
  kind: AnyImport,
  job: { id: string; fileName: string; isDone: boolean },
  lines: JudgedLine[],
  locale: Locale,
): ImportPreview {
  const count = (verdict: ImportVerdict) => lines.filter((line) => line.verdict === verdict).length;
  const wrong = lines.filter((line) => line.verdict === 'error').slice(0, PREVIEW_ROWS);
  const right = lines.filter((line) => line.verdict !== 'error').slice(0, PREVIEW_ROWS - wrong.length);
  return {
    ...job,
    columns: Object.entries(columnsOf(kind)).map(([key, { label }]) => ({ key, title: say(label, locale) })),
    total: lines.length,
    new: count('new'),
    update: count('update'),
    unchanged: count('unchanged'),
    errors: count('error'),
    rows: [...wrong, ...right].map((line) => shown(kind, line)),
  };
}

const seal = async (ctx: Context, kind: AnyImport, userId: string, lines: JudgedLine[]) =>
  ctx.secrets.seal(await pack(JSON.stringify(lines)), purposeOf(kind, userId));
const open = async (ctx: Context, kind: AnyImport, job: StoredJob) =>
  // as: written by `seal`
  JSON.parse((await unpack(ctx.secrets.open(job.content, purposeOf(kind, job.userId)))).toString()) as JudgedLine[];

/** Parses and judges a list and stores it for one day. Imports nothing. */
export async function previewImport(
  kind: AnyImport,
  ctx: Context,
  who: Who,
  given: { name: string; firstLine: number; file: Uint8Array; locale: Locale },
): Promise<ImportPreview> {
  const now = new Date(ctx.clock.now());
  const lines = await parseList(kind, given.file, given.locale, given.firstLine);
  const judged = await judgeLines(kind, { ctx, who, locale: given.locale, now }, ctx.db, lines);
  const content = await seal(ctx, kind, who.user.id, judged.lines);
  const id = await insertJob(ctx.db, { userId: who.user.id, entity: entityOf(kind), fileName: given.name, content }, now);
  return previewOf(kind, { id, fileName: given.name, isDone: false }, judged.lines, given.locale);
}

/** Parses the stored cells of the valid lines again. */
function reread(kind: AnyImport, lines: JudgedLine[], locale: Locale): ListLine[] {
  return lines.map((line) =>
    line.verdict === 'error'
      ? { line: line.line, cells: line.cells, issues: line.issues }
      : { line: line.line, cells: line.cells, ...readCells(columnsOf(kind), line.cells, locale) },
  );
}

/** Imports the valid lines in one transaction. Judges them again, because the database may have changed since the preview. */
export async function commitImport(kind: AnyImport, ctx: Context, who: Who, given: { id: string; locale: Locale }): Promise<ImportPreview> {
  const entity = entityOf(kind);
  const environment: ImportEnvironment = { ctx, who, locale: given.locale, now: new Date(ctx.clock.now()) };
  const stored = await findJob(ctx.db, who.user.id, entity, given.id);
  if (stored === undefined) throw new ApiError('NOT_FOUND');
  const lines = reread(kind, await open(ctx, kind, stored), given.locale);
  const prepared: unknown = await kind.prepare?.(
    environment,
    lines.flatMap((line) => (line.row === undefined ? [] : [line.row])),
  );
  const { result: judged } = await commitChanges(
    ctx,
    async (tx) => {
      const job = await findJobForUpdate(tx, who.user.id, entity, given.id);
      if (job === undefined) throw new ApiError('NOT_FOUND');
      if (job.doneAt !== null) throw new ApiError('NOTHING_TO_DO');
      const result = await judgeLines(kind, environment, tx, lines);
      if (result.plans.length === 0) throw new ApiError('NOTHING_TO_DO');
      const changes = await kind.write(environment, tx, result.plans, prepared);
      // The stored result omits secrets, which are no longer needed.
      const kept = result.lines.map((line) => ({ ...line, ...shown(kind, line) }));
      await finishJob(tx, job.id, await seal(ctx, kind, who.user.id, kept), environment.now);
      const count = (verdict: ImportVerdict) => result.lines.filter((line) => line.verdict === verdict).length;
      const detail = {
        list: entity,
        file: job.fileName,
        new: count('new'),
        update: count('update'),
        unchanged: count('unchanged'),
        errors: count('error'),
      };
      await writeAudit(
        tx,
        { userId: who.user.id, action: 'list_imported', entity: 'import', entityId: job.id, detail, ip: who.ip },
        environment.now.getTime(),
      );
      return { result, changes: changes ?? [] };
    },
    ({ changes }) => [changes],
  );
  return previewOf(kind, { id: stored.id, fileName: stored.fileName, isDone: true }, judged.lines, given.locale);
}

/** File of every line with its verdict, for correction and another import. */
export async function importResult(kind: AnyImport, ctx: Context, who: Who, given: { id: string; locale: Locale }): Promise<FileAnswer> {
  const job = await findJob(ctx.db, who.user.id, entityOf(kind), given.id);
  if (job === undefined) throw new ApiError('NOT_FOUND');
  const lines = await open(ctx, kind, job);
  const words = job.doneAt === null ? VERDICT_TEXT : DONE_TEXT;
  const { locale } = given;
  const columns = Object.entries(columnsOf(kind)).filter(([, column]) => !column.secret);
  const titles = new Map(Object.entries(columnsOf(kind)).map(([key, { label }]) => [key, say(label, locale)]));
  function* rows(): Generator<Cell[]> {
    yield [
      say(HEADS.line, locale),
      say(HEADS.verdict, locale),
      say(HEADS.reason, locale),
      ...columns.map(([key]) => titles.get(key) ?? key),
    ];
    for (const { line, verdict, issues, cells } of lines) {
      const reason = issues
        .map(({ column, message }) => (column === undefined ? message : `${titles.get(column) ?? column}: ${message}`))
        .join('; ');
      yield [line, say(words[verdict], locale), reason, ...columns.map(([key]) => cells[key] ?? '')];
    }
  }
  return sheetFile('csv', `${job.fileName.replace(/\.\w+$/, '')}-result`, rows());
}

/** Template with the columns of a list and an example line. */
export function importTemplate(kind: AnyImport, format: SheetFormat, locale: Locale): FileAnswer {
  const columns = Object.values(columnsOf(kind)).filter(({ isOffered }) => isOffered !== false);
  const head = columns.map(({ label, required }) => `${say(label, locale)}${required ? ' *' : ''}`);
  return sheetFile(format, say(kind.title, locale), [head, columns.map(({ example }) => example)]);
}
