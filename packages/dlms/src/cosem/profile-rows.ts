import { decode, encode } from '../codec/codec.ts';
import type { Data } from './data-value.ts';
import { DATE_TIME_SIZE, dateTimeCodec, fromEpochMs, toEpochMs } from './date-time.ts';

/** What the capture objects say about the rows. */
export interface RowShape {
  /** From 0. */
  clockColumn: number;
  capturePeriodSeconds: number;
}

/** A profile's row in full. */
export interface ExpandedRow {
  values: Data[];
  /** Columns whose value did not stand in the row: null-data that was filled, or a delta that was added up. */
  inferred: number[];
}

/**
 * Rows with everything that a profile may leave out: null-data stands for the value of the row before (in the clock's
 * column: one capture period later), a delta for the value before plus the delta. Rows must be those of one answer, from
 * its first on, because that one is complete. What has nothing before it stays as it is. For many rows of numbers use
 * `decodeProfileBuffer`.
 * @spec BB 4
 */
export function expandRows(rows: readonly (readonly Data[])[], shape: RowShape): ExpandedRow[] {
  const expanded: ExpandedRow[] = [];
  for (const row of rows) {
    const before = expanded.at(-1)?.values;
    const inferred: number[] = [];
    const values = row.map((data, column) => {
      const full = before?.[column] === undefined ? data : complete(data, before[column], column === shape.clockColumn ? shape : undefined);
      if (full !== data) inferred.push(column);
      return full;
    });
    expanded.push({ values, inferred });
  }
  return expanded;
}

function complete(data: Data, before: Data, clock: RowShape | undefined): Data {
  if (data.type === 'null') return clock === undefined ? before : nextMoment(before, clock.capturePeriodSeconds);
  return data.type.startsWith('delta') && 'value' in data && typeof data.value === 'number' ? added(before, data.value) : data;
}

/** The moment one period later, written like the one before: zone, status and what was open stay. */
function nextMoment(before: Data, seconds: number): Data {
  if ((before.type !== 'octetString' && before.type !== 'dateTime') || before.value.length !== DATE_TIME_SIZE) return before;
  const moment = decode(dateTimeCodec, before.value);
  const ms = toEpochMs({ ...moment, deviationMinutes: 0 });
  if (ms === null) return before;
  const { dayOfWeek, second, hundredths, ...next } = fromEpochMs(ms + seconds * 1000, 0);
  return {
    type: before.type,
    value: encode(dateTimeCodec, {
      ...next,
      dayOfWeek: moment.dayOfWeek === null ? null : dayOfWeek,
      second: moment.second === null ? null : second,
      hundredths: moment.hundredths === null ? null : hundredths,
      deviationMinutes: moment.deviationMinutes,
      status: moment.status,
    }),
  };
}

function added(before: Data, delta: number): Data {
  switch (before.type) {
    case 'long64':
    case 'long64Unsigned':
      return { type: before.type, value: before.value + BigInt(delta) };
    case 'integer':
    case 'long':
    case 'doubleLong':
    case 'unsigned':
    case 'longUnsigned':
    case 'doubleLongUnsigned':
      return { type: before.type, value: before.value + delta };
    default:
      return before;
  }
}
