import { decode, encode } from '../codec/codec.ts';
import type { Data } from './data-value.ts';
import { DATE_TIME_SIZE, dateTimeCodec, fromEpochMs, toEpochMs } from './date-time.ts';

/** Properties of the rows, from the capture objects. */
export interface RowShape {
  /** Column index from 0. */
  clockColumn: number;
  capturePeriodSeconds: number;
}

/** A profile row with every value present. */
export interface ExpandedRow {
  values: Data[];
  /** Columns whose value was inferred: from null-data or from a delta. */
  inferred: number[];
}

/**
 * Expands compressed rows: null-data repeats the value of the previous row (in the clock column: one capture period later), a delta adds
 * to it. The rows must begin with the first one of a response, which is complete. Values without a predecessor stay unchanged. For many
 * numeric rows use `decodeProfileBuffer`.
 * @spec BB 4
 */
export function expandRows(rows: readonly (readonly Data[])[], shape: RowShape): ExpandedRow[] {
  const expanded: ExpandedRow[] = [];
  for (const row of rows) {
    const before = expanded.at(-1)?.values;
    const inferred: number[] = [];
    const values = row.map((data, column) => {
      const full =
        before?.[column] === undefined ? data : completeValue(data, before[column], column === shape.clockColumn ? shape : undefined);
      if (full !== data) inferred.push(column);
      return full;
    });
    expanded.push({ values, inferred });
  }
  return expanded;
}

function completeValue(data: Data, before: Data, clock: RowShape | undefined): Data {
  if (data.type === 'null') return clock === undefined ? before : nextMoment(before, clock.capturePeriodSeconds);
  return data.type.startsWith('delta') && 'value' in data && typeof data.value === 'number' ? addDelta(before, data.value) : data;
}

/** The date-time one period later, with the same deviation, status and unspecified fields. */
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

function addDelta(before: Data, delta: number): Data {
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
