import type { ScalarType } from './data-scalars.ts';

/** A difference to the previous value; only when `deltaValueEncoding` was negotiated. */
export type DeltaType =
  | 'deltaInteger'
  | 'deltaLong'
  | 'deltaDoubleLong'
  | 'deltaUnsigned'
  | 'deltaLongUnsigned'
  | 'deltaDoubleLongUnsigned';

/**
 * A COSEM value with its type. 64-bit integers are `bigint`. Octets share memory with the message, and the items of a large array are
 * decoded from it on access: do not change a message after decoding it.
 */
export type Data =
  | { type: 'null' }
  | { type: 'array' | 'structure'; value: Data[] }
  | { type: 'boolean'; value: boolean }
  /** Binary digits: `0101`. */
  | { type: 'bitString'; value: string }
  | {
      type: 'doubleLong' | 'doubleLongUnsigned' | 'bcd' | 'integer' | 'long' | 'unsigned' | 'longUnsigned' | 'enum' | 'float32' | 'float64';
      value: number;
    }
  | { type: DeltaType; value: number }
  | { type: 'long64' | 'long64Unsigned'; value: bigint }
  | { type: 'octetString' | 'date' | 'time' | 'dateTime'; value: Uint8Array }
  | { type: 'visibleString' | 'utf8String'; value: string }
  | { type: 'compactArray'; value: Data[]; description: TypeDescription }
  | { type: 'dontCare' };

export type DataType = Data['type'];

/** The numeric value, or NaN when it is not a number. Integers beyond 2^53 lose precision. */
export const numberIn = (data: Data | undefined): number =>
  data !== undefined && 'value' in data && (typeof data.value === 'number' || typeof data.value === 'bigint')
    ? Number(data.value)
    : Number.NaN;

/** The common type of the elements of a compact array. */
export type TypeDescription =
  | { type: 'array'; count: number; element: TypeDescription }
  | { type: 'structure'; elements: TypeDescription[] }
  | { type: ScalarType | 'null' | 'dontCare' };
