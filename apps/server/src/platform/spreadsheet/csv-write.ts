/** Value of a cell. */
export type Cell = string | number | null;

/**
 * Text that a spreadsheet could run as a formula: a leading sign, also full-width or after separators and blanks that are stripped. An
 * apostrophe prevents this. Numbers and UTC offsets are safe.
 */
const FORMULA = /^[\s;,|\u200B\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
const safeText = (text: string): string => (FORMULA.test(text) && !/^[+-]?\d+([.:]\d+)?$/.test(text) ? `'${text}` : text);
/** Reverts `safeText`. */
export const plainText = (text: string): string => (text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text);

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = safeText(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const BOM = '\uFEFF';
const LINES_AT_ONCE = 500;

/** Writes CSV for spreadsheets: UTF-8 with BOM, CRLF, formulas escaped. */
export async function* writeCsv(rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): AsyncGenerator<Buffer> {
  let text = BOM;
  let count = 0;
  for await (const row of rows) {
    text += `${row.map(cellText).join(',')}\r\n`;
    if (++count % LINES_AT_ONCE === 0) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text);
}
