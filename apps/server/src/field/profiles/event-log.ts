import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { EventLog } from '@hes/contract/states/event.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import type { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, DATE_TIME_SIZE, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { entrySelection } from '@hes/dlms/cosem/selective-access.ts';
import type { DeviceEvent } from '#storage/events/event-writer.ts';
import { attributeRef, isAttribute, type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { cosemObjectOf } from '../cosem-object.ts';
import { decoded } from '../decoded.ts';
import type { DeviceLink } from '../link.ts';
import { timeSelection } from '../quirks.ts';

const EVENT_CODE = /^0\.\d+\.96\.11\.\d+\.255$/;
const NEWEST_FIRST = new Set(['lifo']);

/** Key of each event log. The log of a DCU is the standard log of its logical device. */
const KEYS = {
  standard: 'EVLOG0',
  fraud: 'EVLOG1',
  disconnector: 'EVLOG2',
  mbus: 'EVLOG3',
  quality: 'EVLOG4',
  comms: 'EVLOG5',
  dcu: 'EVLOG0',
} as const satisfies Record<EventLog, string>;

export type EventWindow = { from: number; to: number } | { last: number };

export interface EventLogQuery {
  log: EventLog;
  window: EventWindow;
  /** Deviation for the selection, and for timestamps without one. Minutes. */
  deviationMinutes: number;
}

/** A row without a time or a code. */
export interface UnreadableRow {
  /** Time of the row before it or, without one, after it, epoch milliseconds; equal in every read of the row. Null: no row has a time. */
  near: number | null;
  raw: Uint8Array;
}

export interface EventLogRows {
  events: DeviceEvent[];
  unreadable: UnreadableRow[];
}

/** Reads one event log, oldest row first. Fails with OBJECT_UNDEFINED when the device does not have it. */
export async function readEventLog(link: DeviceLink, query: EventLogQuery): Promise<Outcome<EventLogRows>> {
  const profile = cosemObjectOf(link.device.objectMap, KEYS[query.log]);
  const columns = await link.read(profile, 'captureObjects');
  if (!columns.ok) return columns;
  const rows = await rowsOf(link, profile, query);
  if (!rows.ok) return rows;
  const parts = await readRows({ link, profile, columns: columns.value, query }, rows.value);
  if (!parts.ok) return parts;
  return ok({
    events: parts.value.flatMap(({ events }) => events).toSorted((a, b) => a.occurAt - b.occurAt),
    unreadable: parts.value.flatMap(({ unreadable }) => unreadable),
  });
}

/** Rows by time in epoch milliseconds, or by number from 1; both bounds are included. */
type Rows = { by: 'time' | 'entry'; from: number; to: number };

/** Refusals with which a meter without block transfer answers when a response does not fit one APDU. */
const TOO_LONG: ReadonlySet<ReasonCode> = new Set(['TEMPORARY_FAILURE', 'BLOCK_ERROR']);
/** Splits of one window. */
const MAX_SPLITS = 64;

interface Reading {
  link: DeviceLink;
  profile: CosemObject<typeof profileGeneric>;
  columns: readonly CaptureObject[];
  query: EventLogQuery;
}

/** Reads rows with one request. For a meter without block transfer, a refused request is split in two. */
async function readRows(reading: Reading, all: Rows): Promise<Outcome<EventLogRows[]>> {
  const { link, profile, columns, query } = reading;
  const parts: EventLogRows[] = [];
  const pending = [all];
  let splits = 0;
  for (let rows = pending.pop(); rows !== undefined; rows = pending.pop()) {
    const { by, from, to } = rows;
    const selection =
      by === 'time' ? timeSelection(link.device, rows, query.deviationMinutes) : entrySelection({ fromEntry: from, toEntry: to });
    const read = await link.get(attributeRef(profile, 'buffer'), selection);
    if (!read.ok) {
      const mayBeTooLong = link.device.quirks.has('no_block_get') && TOO_LONG.has(read.reason) && to > from && link.isUsable;
      if (!mayBeTooLong || splits++ === MAX_SPLITS) return read;
      const middle = Math.floor((from + to) / 2);
      pending.push({ by, from: middle + 1, to }, { by, from, to: middle });
      continue;
    }
    const part = decodeEventLog(read.value, columns, query);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  return ok(parts);
}

async function rowsOf(link: DeviceLink, profile: CosemObject<typeof profileGeneric>, { window }: EventLogQuery): Promise<Outcome<Rows>> {
  if (!('last' in window)) return ok({ by: 'time', ...window });
  const read = await link.readList(profile, ['entriesInUse', 'sortMethod']);
  if (!read.ok) return read;
  const { entriesInUse, sortMethod } = read.value;
  if (!entriesInUse.ok) return entriesInUse;
  // A log whose sort method is refused is read as first in, first out.
  if (!sortMethod.ok && sortMethod.reason === 'BAD_ANSWER') return sortMethod;
  const isNewestFirst = sortMethod.ok && NEWEST_FIRST.has(sortMethod.value);
  if (isNewestFirst) return ok({ by: 'entry', from: 1, to: window.last });
  return ok({ by: 'entry', from: Math.max(1, entriesInUse.value - window.last + 1), to: Math.max(1, entriesInUse.value) });
}

/** Decodes the buffer of an event log. Rows without code or time are returned separately and do not fail the others. */
export function decodeEventLog(
  octets: Uint8Array,
  columns: readonly CaptureObject[],
  { log, deviationMinutes }: Pick<EventLogQuery, 'log' | 'deviationMinutes'>,
): Outcome<EventLogRows> {
  const buffer = decoded(dataCodec, octets);
  if (!buffer.ok) return buffer;
  const { value: data } = buffer;
  // Some devices answer null-data for an empty range.
  if (data.type === 'null') return ok({ events: [], unreadable: [] });
  if (data.type !== 'array') return failed('TYPE_MISMATCH', `The buffer of the log is ${data.type} and no array`);
  const time = columns.findIndex((column) => isAttribute(column, clock, 'time'));
  const code = codeColumn(columns, time);
  if (time < 0 || code < 0) return failed('TYPE_MISMATCH', 'The log captures no clock or no code');
  const events: DeviceEvent[] = [];
  const unreadable: UnreadableRow[] = [];
  let lastAt: number | null = null;
  for (const row of data.value) {
    if (row.type !== 'structure' || row.value.length !== columns.length)
      return failed('TYPE_MISMATCH', 'A row has another number of columns than the capture list');
    const stamp = row.value[time];
    // Null-data: the same time as in the row before.
    const occurAt: number | null = stamp?.type === 'null' ? lastAt : momentOf(stamp, deviationMinutes);
    const number = numberOf(row.value[code]);
    if (occurAt === null || number === undefined) {
      unreadable.push({ near: occurAt ?? lastAt, raw: encode(dataCodec, row) });
      continue;
    }
    lastAt = occurAt;
    events.push({ log, code: number, occurAt, message: messageOf(columns, row.value, time), raw: encode(dataCodec, row) });
  }
  const first = events[0]?.occurAt ?? null;
  return ok({
    events: events.toSorted((a, b) => a.occurAt - b.occurAt),
    unreadable: unreadable.map(({ near, raw }) => ({ near: near ?? first, raw })),
  });
}

function codeColumn(columns: readonly CaptureObject[], clock: number): number {
  const named = columns.findIndex((column) => column.classId === data.id && EVENT_CODE.test(column.instance));
  return named >= 0 ? named : columns.findIndex((_column, index) => index !== clock);
}

function momentOf(data: Data | undefined, deviationMinutes: number): number | null {
  if ((data?.type !== 'octetString' && data?.type !== 'dateTime') || data.value.length !== DATE_TIME_SIZE) return null;
  return toEpochMs(decode(dateTimeCodec, data.value), deviationMinutes);
}

function numberOf(data: Data | undefined): number | undefined {
  switch (data?.type) {
    case 'unsigned':
    case 'longUnsigned':
    case 'enum':
    case 'integer':
    case 'long':
    case 'doubleLongUnsigned':
      return data.value >= 0 && data.value <= 0xffff ? data.value : undefined;
    default:
      return undefined;
  }
}

/** Every column but the clock, as `object = value`. */
const messageOf = (columns: readonly CaptureObject[], values: readonly Data[], clock: number): string =>
  columns.flatMap((column, index) => (index === clock ? [] : [`${column.instance} = ${textOf(values[index])}`])).join(', ');

const PRINTABLE = /^[\x20-\x7e]+$/;

function textOf(data: Data | undefined): string {
  if (data === undefined || data.type === 'null' || data.type === 'dontCare') return '—';
  if (data.type === 'octetString') {
    const text = Buffer.from(data.value).toString('latin1');
    return PRINTABLE.test(text) ? text : toHex(data.value);
  }
  return 'value' in data && typeof data.value !== 'object' ? String(data.value) : toHex(encode(dataCodec, data));
}
