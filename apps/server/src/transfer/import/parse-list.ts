import { setImmediate } from 'node:timers/promises';
import { RULES } from '@hes/contract/core/rules.ts';
import { fill, inEveryLanguage, say, type Locale } from '@hes/contract/core/text.ts';
import { MAX_IMPORT_ROWS } from '@hes/contract/transfer/import.ts';
import { inWords, sentenceOf } from '#http/issues.ts';
import { ApiError } from '#platform/api-error.ts';
import { plainText } from '#platform/spreadsheet/csv-write.ts';
import { readSheet } from '#platform/spreadsheet/read-sheet.ts';
import { sheetError } from '#platform/spreadsheet/sheet-error.ts';
import type { AnyImport, ImportColumn, ImportColumns } from './define-import.ts';

/** A parsed line of the file with the issues that need no database. */
export interface ListLine {
  line: number;
  cells: Record<string, string>;
  issues: { column?: string; message: string }[];
  /** Undefined if the line has issues. Never stored. */
  row?: Record<string, unknown>;
}

const BETWEEN_TURNS = 500;
const normal = (title: string) =>
  title
    .trim()
    .replace(/\s*\*$/, '')
    .toLowerCase();

/** Maps columns of the list to columns of the file. Throws for a missing required column or a column of another list. */
function placesOf(
  { columns, elsewhere }: { columns: ImportColumns; elsewhere?: AnyImport['elsewhere'] },
  head: string[],
): Map<string, number> {
  const titles = head.map(normal);
  const placeOf = (key: string, { label }: ImportColumn) =>
    titles.findIndex((title) => [key, ...Object.values(inEveryLanguage(label))].some((name) => normal(name) === title));
  if (elsewhere && Object.entries(elsewhere.columns).some(([key, column]) => placeOf(key, column) !== -1))
    throw new ApiError('FILE_UNREADABLE', { reason: elsewhere.reason });
  const places = new Map<string, number>();
  for (const [key, column] of Object.entries(columns)) {
    const { label, required } = column;
    const at = placeOf(key, column);
    if (at !== -1) places.set(key, at);
    else if (required)
      throw new ApiError('FILE_UNREADABLE', { reason: fill({ en: 'The column {label} is missing.', zh: '缺少“{label}”列。' }, { label }) });
  }
  return places;
}

/** Parses the cells of a line by the schemas of their columns. */
export function readCells(columns: ImportColumns, cells: Record<string, string>, locale: Locale): Pick<ListLine, 'issues' | 'row'> {
  const issues: ListLine['issues'] = [];
  const row: Record<string, unknown> = {};
  for (const [key, { schema }] of Object.entries(columns)) {
    const parsed = schema.safeParse(cells[key] ?? '', inWords(locale));
    if (parsed.success) row[key] = parsed.data;
    else issues.push({ column: key, message: sentenceOf(parsed.error, locale) });
  }
  return issues.length > 0 ? { issues } : { issues, row };
}

/** Parses a file by the schemas of its columns. The first line after the head has the number `firstLine`. Throws if the file is unreadable. */
export async function parseList(kind: AnyImport, file: Uint8Array, locale: Locale, firstLine: number): Promise<ListLine[]> {
  const columns: ImportColumns = kind.columns;
  const max = kind.maxRows ?? MAX_IMPORT_ROWS;
  const lines: ListLine[] = [];
  const firsts = new Map<string, number>();
  let places: Map<string, number> | undefined;
  for await (const { line: lineOfFile, cells: texts } of readSheet(file)) {
    const line = lineOfFile + firstLine - 2;
    if (places === undefined) {
      places = placesOf(kind, texts);
      continue;
    }
    if (lines.length === max) throw new ApiError('TOO_MANY_ROWS', { max });
    const cells: Record<string, string> = {};
    for (const [key, at] of places) cells[key] = plainText((texts[at] ?? '').trim());
    const read = readCells(columns, cells, locale);
    const identity = JSON.stringify(kind.unique.map((key) => (cells[key] ?? '').toLowerCase()));
    const first = firsts.get(identity);
    if (first === undefined) firsts.set(identity, line);
    else lines.push({ line, cells, issues: [{ column: kind.unique[0] ?? '', message: say(RULES.sameLine, locale, { line: first }) }] });
    if (first === undefined) lines.push({ line, cells, ...read });
    if (lines.length % BETWEEN_TURNS === 0) await setImmediate();
  }
  if (lines.length === 0) throw sheetError('empty');
  return lines;
}
