import { Readable } from 'node:stream';
import type { FileAnswer, SheetFormat } from '@hes/contract/core/file.ts';
import { writeCsv, type Cell } from './csv-write.ts';
import { writeJson } from './json-write.ts';
import { writeXlsx, type Watermark } from './xlsx-write.ts';

export const SHEET_TYPES: Record<SheetFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json; charset=utf-8',
};

export const sheetPieces = (
  format: SheetFormat,
  title: string,
  rows: AsyncIterable<Cell[]> | Iterable<Cell[]>,
  watermark?: Watermark,
): AsyncGenerator<Buffer> =>
  format === 'csv' ? writeCsv(rows) : format === 'json' ? writeJson(rows) : writeXlsx(title, rows, { watermark });

/** A file response that is generated while it is sent. */
export const sheetFile = (format: SheetFormat, name: string, rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): FileAnswer => ({
  name: `${name}.${format}`,
  type: SHEET_TYPES[format],
  content: Readable.from(sheetPieces(format, name, rows)),
});
