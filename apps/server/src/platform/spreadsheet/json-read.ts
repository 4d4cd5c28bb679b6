import { checkLine, sheetError, type SheetLine } from './sheet-error.ts';

type Entry = Record<string, unknown>;

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function entriesOf(file: Buffer): Entry[] {
  try {
    const parsed: unknown = JSON.parse(file.toString('utf8').replace(/^\uFEFF/, ''));
    if (Array.isArray(parsed) && parsed.every(isEntry)) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw sheetError('json');
}

/** Reads an array of objects as lines; the heading is the union of their names. */
export async function* readJson(file: Buffer): AsyncGenerator<SheetLine> {
  const entries = entriesOf(file);
  const head = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  yield checkLine({ line: 1, cells: head });
  for (const [index, entry] of entries.entries()) yield checkLine({ line: index + 2, cells: head.map((name) => cellOf(entry[name])) });
}
