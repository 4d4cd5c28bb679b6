import { decode, encode, type Codec } from '../codec/codec.ts';
import { captureObject, type CaptureObject } from './capture-object.ts';
import { arrayOf, dataCodec, dateTimeOctets, doubleLongUnsigned, longUnsigned, structure } from './data.ts';
import type { Data } from './data-value.ts';
import type { CosemDateTime } from './date-time.ts';
import { obis } from './obis.ts';

/** Selective access of a GET to a profile buffer, encoded into the request. */
export interface Selection {
  selector: number;
  parameters: Data;
}

export interface RangeQuery {
  /** The column to compare. */
  restricting: CaptureObject;
  /** Inclusive, like `to`. */
  from: CosemDateTime;
  to: CosemDateTime;
  /** Empty for all columns. */
  columns: CaptureObject[];
}

export interface EntryQuery {
  /** 1 is the first. */
  fromEntry: number;
  /** 0 means the last. */
  toEntry: number;
  /** 1 is the first. */
  fromColumn: number;
  /** 0 means the last. */
  toColumn: number;
}

export type ParsedSelection = ({ kind: 'range' } & RangeQuery) | ({ kind: 'entry' } & EntryQuery);

const RANGE = 1;
const ENTRY = 2;

/** The clock, the default sort column of a buffer. */
export const CLOCK_COLUMN: CaptureObject = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2, dataIndex: 0 };

/**
 * ```asn1
 * range_descriptor ::= structure { restricting_object capture_object_definition, from_value, to_value, selected_values array }
 * ```
 * @spec BB 4 (selective access by range)
 */
const rangeDescriptor: Codec<RangeQuery> = structure({
  restricting: captureObject,
  from: dateTimeOctets,
  to: dateTimeOctets,
  columns: arrayOf(captureObject),
});

/**
 * ```asn1
 * entry_descriptor ::= structure { from_entry double-long-unsigned, to_entry double-long-unsigned,
 *                                  from_selected_value long-unsigned, to_selected_value long-unsigned }
 * ```
 * @spec BB 4 (selective access by entry)
 */
const entryDescriptor: Codec<EntryQuery> = structure({
  fromEntry: doubleLongUnsigned,
  toEntry: doubleLongUnsigned,
  fromColumn: longUnsigned,
  toColumn: longUnsigned,
});

const asData = <T>(codec: Codec<T>, value: T): Data => decode(dataCodec, encode(codec, value));

/** Selects rows whose clock (or other restricting column) lies between two times, inclusive. */
export function rangeSelection(query: Pick<RangeQuery, 'from' | 'to'> & Partial<RangeQuery>): Selection {
  return { selector: RANGE, parameters: asData(rangeDescriptor, { restricting: CLOCK_COLUMN, columns: [], ...query }) };
}

/** Selects rows and columns by number, from 1; an upper bound of 0 means the last. */
export function entrySelection(query: Pick<EntryQuery, 'fromEntry' | 'toEntry'> & Partial<EntryQuery>): Selection {
  return { selector: ENTRY, parameters: asData(entryDescriptor, { fromColumn: 1, toColumn: 0, ...query }) };
}

/** Decodes a selection on the server. `undefined` for a selector that profiles do not have; throws `DecodeError` on invalid parameters. */
export function parseSelection(selection: Selection): ParsedSelection | undefined {
  const parameters = encode(dataCodec, selection.parameters);
  if (selection.selector === RANGE) return { kind: 'range', ...decode(rangeDescriptor, parameters) };
  if (selection.selector === ENTRY) return { kind: 'entry', ...decode(entryDescriptor, parameters) };
  return undefined;
}
