import { readCsv } from './csv-read.ts';
import { readJson } from './json-read.ts';
import { sheetError, type SheetLine } from './sheet-error.ts';
import { readXlsx } from './xlsx-read.ts';

const isZip = (file: Buffer) => file[0] === 0x50 && file[1] === 0x4b;
/** No CSV heading begins with `[`; a BOM may precede it. */
const isJson = (file: Buffer) => /^\uFEFF?\s*\[/.test(file.subarray(0, 64).toString('utf8'));
const isOldBinary = (file: Buffer) => file.subarray(0, 4).toString('hex') === 'd0cf11e0';

/** Reads the lines of a file. Its first octets, not its name, determine the format. */
export function readSheet(bytes: Uint8Array): AsyncGenerator<SheetLine> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isOldBinary(file)) throw sheetError('oldBinary');
  if (isZip(file)) return readXlsx(file);
  return isJson(file) ? readJson(file) : readCsv(file);
}
