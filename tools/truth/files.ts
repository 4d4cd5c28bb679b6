import { inflateRawSync } from 'node:zlib';
import type { SheetCell } from './compare.ts';

/** Rows of a CSV file. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const push = () => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  const source = text.replace(/^\uFEFF/, '');
  for (let at = 0; at < source.length; at += 1) {
    const letter = source[at] ?? '';
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (source[at + 1] === '"') cell += source[(at += 1)];
      else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === ',') push();
    else if (letter === '\n') {
      push();
      rows.push([]);
    } else if (letter !== '\r') cell += letter;
  }
  if (cell !== '' || rows.at(-1)?.length !== 0) push();
  return rows.filter((row) => row.length > 0);
}

const END_OF_DIRECTORY = 0x06054b50;
const DEFLATED = 8;

/** A member of a zip archive, found by its central directory. */
function memberOf(zip: Buffer, name: string): string {
  let end = zip.length - 22;
  while (end > 0 && zip.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const body = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return (zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(body) : body).toString('utf8');
    }
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`the workbook has no ${name}`);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const unescaped = (text: string): string => text.replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '');

/** Cells of the first sheet of a workbook: numbers as numbers, texts as texts. */
export function parseWorkbook(zip: Buffer): SheetCell[][] {
  const xml = memberOf(zip, 'xl/worksheets/sheet1.xml');
  return [...xml.matchAll(/<row[^>]*>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c(?:\/>|[^>]*?\/>|([^>]*)>(.*?)<\/c>)/gs)].map(([, , body]) => {
      if (body === undefined) return null;
      const number = /<v>(.*?)<\/v>/.exec(body)?.[1];
      return number === undefined ? unescaped(/<t[^>]*>(.*?)<\/t>/s.exec(body)?.[1] ?? '') : Number(number);
    }),
  );
}
