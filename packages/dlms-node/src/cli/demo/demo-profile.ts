import { encode } from '@hes/dlms/codec/codec.ts';
import type { ServerObject } from '@hes/dlms/association/server-options.ts';
import { captureObject, type CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { CLOCK_COLUMN, parseSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import { array, doubleLongUnsigned, enumValue, octets, plainObject, structure, unsigned } from './plain-object.ts';

const PERIOD_SECONDS = 900;
const DAY_ROWS = 96;
const BUFFER = 2;
const E_PLUS = obis('1.0.1.8.0.255');

const COLUMNS: readonly CaptureObject[] = [
  CLOCK_COLUMN,
  { classId: 1, instance: obis('0.0.96.10.1.255'), attributeId: 2, dataIndex: 0 },
  { classId: 3, instance: E_PLUS, attributeId: 2, dataIndex: 0 },
];

const columnData = (column: CaptureObject): Uint8Array => encode(captureObject, column);

/** Energy in Wh at a moment: it rises by a watt-hour a second. */
export const energyAt = (epochMs: number): number => Math.floor(epochMs / 1000) % 100_000_000;

interface Row {
  epochMs: number;
  data: Data;
}

/** Quarter-hourly energy of `days` days before `start`, once and for all. */
export function demoProfile(start: number, days: number): ServerObject {
  const last = Math.floor(start / (PERIOD_SECONDS * 1000)) * PERIOD_SECONDS * 1000;
  const rows = Array.from({ length: days * DAY_ROWS }, (_, i): Row => {
    const epochMs = last - (days * DAY_ROWS - 1 - i) * PERIOD_SECONDS * 1000;
    const moment = octets(encode(dateTimeCodec, fromEpochMs(epochMs, 0)));
    return { epochMs, data: structure(moment, unsigned(0), doubleLongUnsigned(energyAt(epochMs))) };
  });
  const others = plainObject([7, 1, obis('1.0.99.1.0.255')], {
    4: () => doubleLongUnsigned(PERIOD_SECONDS),
    5: () => enumValue(1),
    7: () => doubleLongUnsigned(rows.length),
    8: () => doubleLongUnsigned(rows.length),
  });
  return {
    ...others,
    read(attributeId, selection) {
      if (attributeId === BUFFER) return buffer(rows, selection);
      if (attributeId === 3) return listOfColumns(COLUMNS);
      return attributeId === 6 ? columnData(CLOCK_COLUMN) : others.read(attributeId, selection);
    },
  };
}

/** Column definitions are written by their own codec, so the array's head is all that is added. */
function listOfColumns(columns: readonly CaptureObject[]): Uint8Array {
  const pieces = columns.map(columnData);
  return Uint8Array.from([1, pieces.length, ...pieces.flatMap((piece) => [...piece])]);
}

function buffer(rows: readonly Row[], selection: Selection | undefined): ReturnType<ServerObject['read']> {
  if (selection === undefined) return encode(dataCodec, array(rows.map(({ data }) => data)));
  const query = parseSelection(selection);
  if (query === undefined) return 'scopeOfAccessViolated';
  if (query.kind === 'entry') {
    const to = query.toEntry === 0 ? rows.length : query.toEntry;
    return encode(dataCodec, array(rows.slice(query.fromEntry - 1, to).map(({ data }) => data)));
  }
  if (query.columns.length > 0) return 'scopeOfAccessViolated';
  const from = toEpochMs(query.from, 0) ?? Number.NEGATIVE_INFINITY;
  const to = toEpochMs(query.to, 0) ?? Number.POSITIVE_INFINITY;
  return encode(dataCodec, array(rows.filter(({ epochMs }) => epochMs >= from && epochMs <= to).map(({ data }) => data)));
}
