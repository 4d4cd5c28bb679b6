import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse, type Info } from 'csv-parse';
import { checkLine, sheetError, type SheetLine } from './sheet-error.ts';

const MAX_LINE_CHARACTERS = 131_072;
/** Octets decoded and parsed before yielding to the event loop. */
const SLICE_OCTETS = 131_072;

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'gb18030';
}

async function* textOf(bytes: Uint8Array): AsyncGenerator<string> {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += SLICE_OCTETS) {
      yield decoder.decode(bytes.subarray(at, at + SLICE_OCTETS), { stream: true });
      await setImmediate();
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw sheetError('encoding');
    throw error;
  }
}

/** Detects the delimiter by the heading, because Excel uses the regional setting. */
function delimiterOf(head: string): string {
  const line = head.split(/\r?\n/, 1)[0] ?? '';
  const count = (mark: string) => line.split(mark).length;
  return [';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',');
}

const lineOf = (error: CsvError) => Number('lines' in error ? error['lines'] : 0);

/** Reads the non-empty lines of a CSV file in UTF-8, UTF-16 or GBK, one slice at a time. */
export async function* readCsv(bytes: Uint8Array): AsyncGenerator<SheetLine> {
  const delimiter = delimiterOf(new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, 4096)));
  const found: SheetLine[] = [];
  let failure: Error | undefined;
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: MAX_LINE_CHARACTERS,
  });
  parser.on('data', ({ record, info }: { record: string[]; info: Info }) => found.push({ line: info.lines, cells: record }));
  parser.on('error', (error) => (failure = error));
  const flush = function* (): Generator<SheetLine> {
    for (const line of found.splice(0)) if (line.cells.some((cell) => cell.trim() !== '')) yield checkLine(line);
    if (failure instanceof CsvError)
      throw sheetError(failure.code === 'CSV_MAX_RECORD_SIZE' ? 'long' : 'quote', { line: lineOf(failure) || parser.info.lines });
    if (failure !== undefined) throw failure;
  };
  try {
    for await (const text of textOf(bytes)) {
      await new Promise<void>((resolve) => parser.write(text, () => resolve()));
      yield* flush();
    }
    await new Promise<void>((resolve) => {
      parser.once('close', resolve);
      parser.end();
    });
    yield* flush();
  } finally {
    parser.destroy();
  }
}
