/** What a cell of a list can hold. */
export type Cell = string | number | null;

/**
 * A leading sign would be a formula in a spreadsheet, also in full width, and also after separators and blanks that spreadsheets may cut
 * off; an apostrophe makes it the text it is. Plain numbers and offsets are none.
 */
const FORMULA = /^[\s;,|\u200B\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
export const safeText = (text: string): string => (FORMULA.test(text) && !/^[+-]?\d+([.:]\d+)?$/.test(text) ? `'${text}` : text);
/** The apostrophe of our own files, taken away again. */
export const plainText = (text: string): string => (text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text);

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = safeText(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const BOM = '\uFEFF';
const LINES_AT_ONCE = 500;

/** CSV as spreadsheets open it: UTF-8 with its mark, CRLF, no formula. */
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
