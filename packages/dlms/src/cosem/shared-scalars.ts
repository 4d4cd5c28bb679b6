import { ByteReader } from '../codec/byte-reader.ts';
import type { Data } from './data-value.ts';
import { SCALARS, type Scalar, type ScalarType } from './data-scalars.ts';

const WITH_LENGTH: ReadonlySet<string> = new Set(['bitString', 'octetString', 'visibleString', 'utf8String'] satisfies ScalarType[]);

/** The shared value for a one-octet body; frozen, because all messages share the object. */
function scalarOf(type: ScalarType, octet: number): Data {
  const value = SCALARS[type].body.read(new ByteReader(Uint8Array.of(octet)));
  return Object.freeze({ type, value } as Data); // as: the table pairs type and value
}

/**
 * By tag and next octet: every one-octet value, and the empty value of types with a length. Thousands of separate objects would take
 * twenty times the size of the message. Each row has 256 places, because V8 reads beyond the end of an array slowly.
 */
const SHARED_SCALARS: readonly (readonly (Data | undefined)[] | undefined)[] = Object.entries(SCALARS).reduce<(Data | undefined)[][]>(
  (byTag, [name, { tag, size }]) => {
    const type = name as ScalarType; // as: a key of the table
    const shared = WITH_LENGTH.has(type) ? 1 : 256;
    if (size === 1) byTag[tag] = Array.from({ length: 256 }, (_, octet) => (octet < shared ? scalarOf(type, octet) : undefined));
    return byTag;
  },
  [],
);

export const NULL: Data = Object.freeze({ type: 'null' });
const emptyOf = (type: 'array' | 'structure'): Data => Object.freeze({ type, value: Object.freeze<Data[]>([]) as Data[] }); // as: Data has no readonly items
/** Without items. */
export const EMPTY = { array: emptyOf('array'), structure: emptyOf('structure') };
export const DONT_CARE: Data = Object.freeze({ type: 'dontCare' });

/** Decodes a value after its tag. */
export function readScalar(input: ByteReader, { type, tag, body }: Scalar): Data {
  const shared = SHARED_SCALARS[tag]?.[input.peek()];
  if (shared === undefined) return { type, value: body.read(input) } as Data; // as: the table pairs type and value
  input.offset++;
  return shared;
}
