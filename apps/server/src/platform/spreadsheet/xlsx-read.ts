import { setImmediate } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { dateStyles, excelDate } from './excel-dates.ts';
import { checkLine, MAX_COLUMNS, sheetError, type SheetLine } from './sheet-error.ts';
import { readZip, unpack, type ZipEntry } from './zip-read.ts';

/** Several times the size of 50,000 rows with 40 columns. */
const MAX_SHEET_OCTETS = 400_000_000;
const MAX_STRING_OCTETS = 100_000_000;
const MAX_SMALL_OCTETS = 4_000_000;
const MAX_DEPTH = 64;

type Attributes = Record<string, string>;
interface Events {
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Parses one XML part of the workbook; yields after each piece, so that the caller can emit lines. */
async function* walk(entry: ZipEntry | undefined, maxOctets: number, events: Events): AsyncGenerator<void> {
  if (entry === undefined) throw sheetError('archive');
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  let depth = 0;
  parser.on('doctype', () => {
    throw sheetError('archive');
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth++;
    if (depth > MAX_DEPTH) throw sheetError('archive');
    events.open?.(localName(name), attributes);
  });
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  parser.on('closetag', ({ name }) => {
    depth--;
    events.close?.(localName(name));
  });
  // Malformed XML ends the reading immediately.
  parser.on('error', () => {
    throw sheetError('archive');
  });
  for await (const text of unpack(entry, maxOctets)) {
    parser.write(text);
    yield;
    await setImmediate();
  }
  parser.close();
}

async function run(steps: AsyncGenerator<void>): Promise<void> {
  for await (const _ of steps);
}

/** Path of the part with the first sheet. */
async function firstSheet(entries: Map<string, ZipEntry>): Promise<string> {
  let wanted: string | undefined;
  await run(
    walk(entries.get('xl/workbook.xml'), MAX_SMALL_OCTETS, {
      open: (name, attributes) => {
        if (name === 'sheet') wanted ??= attributes['r:id'] ?? attributes['id'];
      },
    }),
  );
  let target: string | undefined;
  await run(
    walk(entries.get('xl/_rels/workbook.xml.rels'), MAX_SMALL_OCTETS, {
      open: (name, { Id, Target }) => {
        if (name === 'Relationship' && Id === wanted) target = Target;
      },
    }),
  );
  if (target === undefined) throw sheetError('archive');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

async function sharedStrings(entries: Map<string, ZipEntry>): Promise<string[]> {
  const entry = entries.get('xl/sharedStrings.xml');
  const strings: string[] = [];
  if (entry === undefined) return strings;
  let text = '';
  let isText = false;
  let isPhonetic = false;
  const events: Events = {
    open: (name) => {
      if (name === 'si') text = '';
      // Skips phonetic runs of East Asian text.
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text: (part) => {
      if (isText) text += part;
    },
    close: (name) => {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') strings.push(text);
    },
  };
  await run(walk(entry, MAX_STRING_OCTETS, events));
  return strings;
}

/** `C5` → 2 */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Expands exponents, in which Excel stores long serial numbers. */
const numberText = (text: string): string => (/e/i.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : text);

interface Cell {
  reference: string;
  column: number;
  type: string;
  style: number;
  text: string;
}

/** Reads the non-empty lines of the first sheet. Refuses formulas. Only the shared strings are in memory as a whole. */
export async function* readXlsx(file: Buffer): AsyncGenerator<SheetLine> {
  const entries = await readZip(file);
  const sheet = entries.get(await firstSheet(entries));
  const strings = await sharedStrings(entries);
  const styles = entries.get('xl/styles.xml');
  const dates = dateStyles();
  if (styles !== undefined) await run(walk(styles, MAX_SMALL_OCTETS, { open: dates.open, close: dates.close }));

  const found: SheetLine[] = [];
  let line = 0;
  let cells: string[] = [];
  let cell: Cell | undefined;
  let isValue = false;
  const valueOf = ({ type, style, text, reference }: Cell): string => {
    if (type === 's') return strings[Number(text)] ?? '';
    if (type === 'b') return text === '1' ? 'true' : 'false';
    if (type === 'e') throw sheetError('formula', { cell: reference });
    if (type !== 'n') return text;
    return text !== '' && dates.isDate(style) ? excelDate(Number(text)) : numberText(text);
  };
  const events: Events = {
    open: (name, attributes) => {
      if (name === 'row') {
        line = Number(attributes['r'] ?? line + 1);
        cells = [];
      } else if (name === 'c') {
        const reference = attributes['r'] ?? '';
        const column = reference === '' ? cells.length : columnOf(reference);
        if (column >= MAX_COLUMNS) throw sheetError('wide', { line, max: MAX_COLUMNS });
        cell = { reference, column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), text: '' };
      } else if (name === 'f') throw sheetError('formula', { cell: cell?.reference ?? `${line}` });
      else if (name === 'v' || name === 't') isValue = cell !== undefined;
    },
    text: (part) => {
      if (isValue && cell !== undefined) cell.text += part;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false;
      if (name === 'c' && cell !== undefined) {
        while (cells.length < cell.column) cells.push('');
        cells[cell.column] = valueOf(cell);
        cell = undefined;
      }
      if (name === 'row' && cells.some((text) => text.trim() !== '')) found.push({ line, cells });
    },
  };
  for await (const _ of walk(sheet, MAX_SHEET_OCTETS, events)) for (const each of found.splice(0)) yield checkLine(each);
}
