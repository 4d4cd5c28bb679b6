import { offsetAt } from './zone.ts';

/** A table cell as displayed. */
export interface ScreenCell {
  text: string;
  /** Texts that appear on hovering. */
  hints: string[];
}

export interface ScreenColumn {
  key: string;
  heading: string;
  /** Its cells are texts, even if they look like numbers with units. */
  isText?: boolean;
}

/** A table as displayed: rows by their position in the list, from 0. */
export interface ScreenTable {
  columns: ScreenColumn[];
  rows: { place: number; cells: (ScreenCell | null)[] }[];
  /** Rows of the whole list in its footer; undefined without a footer. */
  total: number | undefined;
}

export interface Difference {
  kind: 'column' | 'order' | 'unit' | 'rows' | 'value' | 'text' | 'time' | 'zone' | 'empty';
  where: string;
  screen: string;
  file: string;
}

const UNIT_WORDS = [
  'kWh',
  'kvarh',
  'kVAh',
  'Wh',
  'kW',
  'kvar',
  'kVA',
  'W',
  'V',
  'A',
  'Hz',
  '%',
  's',
  'ms',
  'min',
  'h',
  'd',
  'B',
  'B/s',
  'kB',
  'MB',
  'dBm',
  'dB',
  '°',
];
const UNIT = UNIT_WORDS.toSorted((a, b) => b.length - a.length).join('|');
const HEADING_UNIT = new RegExp(String.raw`^(.*?) ?\((${UNIT})\)$`);
const MEASURED = new RegExp(String.raw`^[<>≥≤]? ?([-−]?[\d,]+(?:\.\d+)?) ?(${UNIT})$`);
const NUMBER = /^[-−]?[\d,]+(?:\.\d+)?$/;
const NUMBERS = /[-−]?\d[\d,]*(?:\.\d+)?/g;
const COMPOSED = /^[\d,.]+ ?\/ ?[\d,.]+$/;
const COUNT = /^([\d,]+) [a-z]+$/;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const OFFSET_HEADING = / \(UTC offset\)$|（UTC偏移）$/;
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const TIME_PIECE = /^\d{4}-\d{2}-\d{2}$|\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?|\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?|\d{2}:\d{2}(?::\d{2})?/;
const DURATION = /^(?:(\d+):)?(\d+):(\d{2})$/;
const EMPTY = new Set(['', '—', '–', '-']);

const unitOf = (heading: string): string | undefined => HEADING_UNIT.exec(heading)?.[2];
const nameOf = (heading: string): string => HEADING_UNIT.exec(heading)?.[1] ?? heading;
const numberOf = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));
const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;
/** Serial numbers are displayed in groups, and line breaks may occur anywhere. */
const squeezed = (text: string): string => text.replaceAll(/[\s:：;；,，、·/()（）#]/g, '');
const SEPARATED = /^[\s:：;；,，、·/()（）#]|[\s:：;；,，、·/()（）#]$/;
/** Whether a text begins or ends with another one, delimited by a separator. */
function adjoins(whole: string, part: string): boolean {
  if (part === '') return false;
  const rest = whole.startsWith(part) ? whole.slice(part.length) : whole.endsWith(part) ? whole.slice(0, -part.length) : undefined;
  return rest !== undefined && SEPARATED.test(rest);
}
/** An apostrophe protects a text that a spreadsheet would evaluate as a formula. */
const plainText = (text: string): string => (/^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text);

/** Whether a number of the file equals that of the screen, to the last displayed digit. */
function isShownAs(file: string, shown: string): boolean {
  const step = 10 ** -decimalsOf(shown);
  return Math.abs(Number(file) - numberOf(shown)) <= step / 2 + Math.abs(Number(file)) * 1e-12;
}

/** The columns of a file for a column of the screen: one, a time with its offset, or several under `Heading: …`. */
function placesOf(head: readonly string[], heading: string): number[] {
  // A column of the screen with several counts has a column of the file for each.
  const parts = heading.split(' / ').map((part) => head.indexOf(part));
  if (parts.length > 1 && !parts.includes(-1)) return parts;
  const name = nameOf(heading);
  const first = head.findIndex((each) => nameOf(each) === name || each.startsWith(`${name}: `));
  if (first === -1) return [];
  const places = [first];
  const isOwn = (each: string | undefined): boolean =>
    each !== undefined && (each.startsWith(`${name}: `) || (OFFSET_HEADING.test(each) && each.replace(OFFSET_HEADING, '') === head[first]));
  for (let at = first + 1; isOwn(head[at]); at += 1) places.push(at);
  return places;
}

interface Cells {
  where: string;
  isText: boolean;
  heading: string;
  /** Headings and cells of the file. */
  head: string[];
  file: string[];
  cell: ScreenCell;
}

function timeDifference({ where, file: [local = '', offset = ''], cell }: Cells, timeZone: string): Difference | undefined {
  const differs = (kind: Difference['kind']): Difference => ({ kind, where, screen: cell.text, file: `${local} ${offset}` });
  // A word in place of a time: "Never".
  if (EMPTY.has(cell.text) || !/\d/.test(cell.text)) return local === '' && offset === '' ? undefined : differs('empty');
  if (!LOCAL_TIME.test(local)) return differs('time');
  if (offset !== offsetAt(local, timeZone)) return differs('zone');
  const pieces = [cell.text, ...cell.hints].flatMap((text) => TIME_PIECE.exec(text)?.[0] ?? []);
  return pieces.some((piece) => local.includes(piece)) ? undefined : differs('time');
}

function numberDifference({ where, heading, head: [fileHeading = ''], file: [value = ''], cell }: Cells): Difference | undefined {
  const differs = (kind: Difference['kind']): Difference => ({ kind, where, screen: cell.text, file: `${value} under "${fileHeading}"` });
  const duration = unitOf(fileHeading) === 's' ? DURATION.exec(cell.text) : null;
  if (duration) {
    const [hours = 0, minutes = 0, seconds = 0] = duration.slice(1).map((part) => Number(part ?? 0));
    return Number(value) === (hours * 60 + minutes) * 60 + seconds ? undefined : differs('value');
  }
  const measured = MEASURED.exec(cell.text);
  const [shown, unit] = measured ? [measured[1] ?? '', measured[2]] : [cell.text, unitOf(heading)];
  if (!NUMBER.test(shown))
    return value === '' || /\d/.test(cell.text) ? differsInWords({ where, cell, value, fileHeading }) : differs('empty');
  if (unit !== undefined && unit !== unitOf(fileHeading)) return differs('unit');
  if (!PLAIN_NUMBER.test(value)) return differs('value');
  return isShownAs(value, shown) ? undefined : differs('value');
}

/** A word in place of a number ("No modem", "0.3 s behind"): the file has no value, or the number in the words without its sign. */
function differsInWords(of: { where: string; cell: ScreenCell; value: string; fileHeading: string }): Difference | undefined {
  const { where, cell, value, fileHeading } = of;
  const shown = cell.text.match(NUMBERS) ?? [];
  if (value === '' && shown.length === 0) return undefined;
  const isSame = shown.some((each) => isShownAs(value, each) || isShownAs(String(-Number(value)), each));
  const unit = unitOf(fileHeading);
  if (value !== '' && isSame && (unit === undefined || new RegExp(String.raw`\d ?${unit}(?![A-Za-z])`).test(cell.text))) return undefined;
  return { kind: value === '' ? 'empty' : 'value', where, screen: cell.text, file: `${value} under "${fileHeading}"` };
}

function textDifference({ where, file: [value = ''], cell }: Cells): Difference | undefined {
  const differs = (kind: Difference['kind']): Difference => ({ kind, where, screen: cell.text, file: value });
  const filed = squeezed(plainText(value));
  if (EMPTY.has(cell.text)) return filed === '' ? undefined : differs('empty');
  if (filed === '') return differs('empty');
  const said = [cell.text, ...cell.hints].map(squeezed);
  if (said.includes(filed)) return undefined;
  if (NUMBER.test(cell.text) && PLAIN_NUMBER.test(value)) return isShownAs(value, cell.text) ? undefined : differs('value');
  // A count with its noun ("4 rows").
  if (COUNT.test(cell.text) && PLAIN_NUMBER.test(value))
    return isShownAs(value, COUNT.exec(cell.text)?.[1] ?? '') ? undefined : differs('value');
  const [shown = ''] = said;
  // The screen abbreviates long texts by an ellipsis.
  if (shown.endsWith('…')) return filed.startsWith(shown.slice(0, -1)) ? undefined : differs('text');
  // A badge next to the text ("Protected"), or a code that the file also contains in words.
  return adjoins(cell.text, plainText(value)) || adjoins(plainText(value), cell.text) ? undefined : differs('text');
}

/** Several values in one cell ("29 / 31"): their numbers in order. */
function composedDifference({ where, head, file, cell }: Cells): Difference | undefined {
  const shown = cell.text.match(NUMBERS) ?? [];
  const values = file.filter((value) => value !== '');
  if (values.length === 1 && values[0] === cell.text) return undefined;
  const isSame = shown.every((each, at) => isShownAs(values[at] ?? 'none', each));
  if (isSame) return undefined;
  return { kind: 'value', where, screen: cell.text, file: head.map((heading, at) => `${heading}: ${file[at]}`).join(', ') };
}

function cellDifference(cells: Cells, timeZone: string): Difference | undefined {
  const { head, heading, cell } = cells;
  if (head.length > 1) return OFFSET_HEADING.test(head[1] ?? '') ? timeDifference(cells, timeZone) : composedDifference(cells);
  if (LOCAL_TIME.test(cells.file[0] ?? '')) return { kind: 'zone', where: cells.where, screen: cell.text, file: cells.file[0] ?? '' };
  if (cells.isText) return textDifference(cells);
  if (COMPOSED.test(cell.text)) return composedDifference(cells);
  if (EMPTY.has(cell.text) || unitOf(head[0] ?? '') === undefined)
    return MEASURED.test(cell.text) || unitOf(heading) !== undefined ? numberOrEmpty(cells) : textDifference(cells);
  return numberDifference(cells);
}

const numberOrEmpty = (cells: Cells): Difference | undefined =>
  EMPTY.has(cells.cell.text) ? textDifference(cells) : numberDifference(cells);

/** Compares a displayed list with its file, column by column and value by value. */
export function compareTable(screen: ScreenTable, file: string[][], timeZone: string): Difference[] {
  const [head = [], ...lines] = file;
  const found: Difference[] = [];
  if (screen.total !== undefined && screen.total !== lines.length)
    found.push({ kind: 'rows', where: 'rows', screen: String(screen.total), file: String(lines.length) });
  let last = -1;
  screen.columns.forEach((column, at) => {
    const shown = screen.rows.flatMap(({ place, cells }) => (cells[at] ? [{ place, cell: cells[at] }] : []));
    const places = placesOf(head, column.heading);
    if (places.length === 0) {
      // Buttons, check boxes and pictures have no content for a file.
      if (shown.some(({ cell }) => !EMPTY.has(cell.text)))
        found.push({ kind: 'column', where: column.key, screen: column.heading, file: 'none' });
      return;
    }
    if ((places[0] ?? 0) < last) found.push({ kind: 'order', where: column.key, screen: column.heading, file: head.join(' | ') });
    last = places.at(-1) ?? last;
    for (const { place, cell } of shown) {
      const line = lines[place];
      const where = `row ${place + 1}, ${column.key}`;
      if (line === undefined) {
        found.push({ kind: 'rows', where, screen: cell.text, file: 'none' });
        continue;
      }
      const cells = {
        where,
        isText: column.isText ?? false,
        heading: column.heading,
        cell,
        head: places.map((each) => head[each] ?? ''),
        file: places.map((each) => line[each] ?? ''),
      };
      const difference = cellDifference(cells, timeZone);
      if (difference) found.push(difference);
    }
  });
  return found;
}

/** A cell of a workbook: numbers are stored as such. */
export type SheetCell = string | number | null;

/** Compares the workbook of a list with its CSV: numbers are numbers in both, and the rest is equal. */
export function compareSheets(csv: string[][], workbook: SheetCell[][]): Difference[] {
  const found: Difference[] = [];
  if (csv.length !== workbook.length)
    found.push({ kind: 'rows', where: 'workbook', screen: String(csv.length - 1), file: String(workbook.length - 1) });
  const [head = []] = csv;
  csv.forEach((line, row) => {
    line.forEach((value, at) => {
      const cell = workbook[row]?.[at] ?? null;
      const isMeasured = row > 0 && unitOf(head[at] ?? '') !== undefined;
      const isSame =
        value === ''
          ? cell === null || cell === ''
          : isMeasured
            ? typeof cell === 'number' && cell === Number(value)
            : String(cell) === plainText(value);
      if (!isSame) found.push({ kind: 'value', where: `workbook, row ${row}, ${head[at]}`, screen: value, file: JSON.stringify(cell) });
    });
  });
  return found;
}
