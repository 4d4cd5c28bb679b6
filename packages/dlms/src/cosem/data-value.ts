import type { ScalarType } from './data-scalars.ts';

/** What was added to the value before; only where `deltaValueEncoding` was agreed on. */
export type DeltaType =
  | 'deltaInteger'
  | 'deltaLong'
  | 'deltaDoubleLong'
  | 'deltaUnsigned'
  | 'deltaLongUnsigned'
  | 'deltaDoubleLongUnsigned';

/**
 * A value as COSEM carries it, with its type. 64-bit integers are `bigint`. Octets share memory with the message, and
 * the items of a large array are taken from it when they are asked for: a message must not change after it was decoded.
 */
export type Data =
  | { type: 'null' }
  | { type: 'array' | 'structure'; value: Data[] }
  | { type: 'boolean'; value: boolean }
  /** Written as text: `0101`. */
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

/** The number that a value is; NaN: it is none. Integers beyond 2^53 lose their last digits. */
export const numberIn = (data: Data | undefined): number =>
  data !== undefined && 'value' in data && (typeof data.value === 'number' || typeof data.value === 'bigint')
    ? Number(data.value)
    : Number.NaN;

/** The type that all elements of a compact array share. */
export type TypeDescription =
  | { type: 'array'; count: number; element: TypeDescription }
  | { type: 'structure'; elements: TypeDescription[] }
  | { type: ScalarType | 'null' | 'dontCare' };
