const BOM = '\uFEFF';

/** Signed numbers and UTC offsets are no formulas and need no escape. */
const HARMLESS = /^[+-]?\d+([.:]\d+)?$/;

const cell = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value);
  // A spreadsheet would run text with such a first character as a formula.
  const safe = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvText = (rows: unknown[][]): string => BOM + rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';

/** Saves a file through the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Saves rows as a CSV file with a byte-order mark, so that spreadsheets detect UTF-8. */
export function downloadCsv(name: string, rows: unknown[][]): void {
  saveFile(`${name}.csv`, new Blob([csvText(rows)], { type: 'text/csv;charset=utf-8' }));
}
