import { assetItem, commandItem, eventItem, type FeedKind, type ReadingItem } from '@hes/contract/delivery/feed.ts';
import type { CloudEvent } from '../../cloud-events.ts';

/** A cell of RFC 4180. Cells are quoted where needed, and contents are not changed: these files are for programs. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean); // as: items hold JSON
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lineOf = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`;

const READING_COLUMNS = [
  'id',
  'revision',
  'at',
  'meterId',
  'meterSn',
  'profile',
  'day',
  'source',
  'readAt',
  'ts',
  'quality',
  'statusWord',
  'quantity',
  'value',
  'unit',
];

/** A line for each value; a slot without values gets one line, which has its quality. */
function linesOfReading(item: ReadingItem & { units?: Readonly<Record<string, string>> }): string[] {
  const { id, revision, at, meterId, meterSn, profile, day, source, readAt, units = {} } = item;
  return item.slots.flatMap(({ ts, quality, statusWord, values }) => {
    const head = [id, revision, at, meterId, meterSn, profile, day, source, readAt, ts, quality, statusWord];
    const known = Object.entries(values);
    return known.length === 0
      ? [lineOf([...head, null, null, null])]
      : known.map(([quantity, value]) => lineOf([...head, quantity, value, units[quantity]]));
  });
}

const COLUMNS: Record<Exclude<FeedKind, 'readings'>, string[]> = {
  events: Object.keys(eventItem.shape),
  commands: Object.keys(commandItem.shape),
  assets: Object.keys(assetItem.shape),
};

/** Items of one kind as CSV with a header, in UTF-8. Columns are the fields of the feeds; new ones are added at the end only. */
export function csvOf(kind: FeedKind, events: readonly CloudEvent[]): string {
  // as: a batch has items of its kind
  if (kind === 'readings') return [lineOf(READING_COLUMNS), ...events.flatMap(({ data }) => linesOfReading(data as ReadingItem))].join('');
  const columns = COLUMNS[kind];
  return [lineOf(columns), ...events.map(({ data }) => lineOf(columns.map((column) => (data as Record<string, unknown>)[column])))].join(
    '',
  );
}
