import { ByteReader } from '../codec/byte-reader.ts';
import type { Data } from './data-value.ts';
import { SCALARS, type ScalarType } from './data-scalars.ts';

const WITH_LENGTH: ReadonlySet<string> = new Set(['bitString', 'octetString', 'visibleString', 'utf8String'] satisfies ScalarType[]);

/** The value whose body is this one octet; frozen, because every message that holds it holds the same object. */
function scalarOf(type: ScalarType, octet: number): Data {
  const value = SCALARS[type].body.read(new ByteReader(Uint8Array.of(octet)));
  return Object.freeze({ type, value } as Data); // as: the table pairs type and value
}

/**
 * By tag, then by the octet behind it: every value of one octet, and the empty value of what begins with its length.
 * Thousands of them in a message would take twenty times the message if each were an object of its own.
 */
const SHARED_SCALARS: readonly (readonly Data[] | undefined)[] = Object.entries(SCALARS).reduce<Data[][]>(
  (byTag, [name, { tag, size }]) => {
    const type = name as ScalarType; // as: a key of the table
    if (WITH_LENGTH.has(type)) byTag[tag] = [scalarOf(type, 0)];
    else if (size === 1) byTag[tag] = Array.from({ length: 256 }, (_, octet) => scalarOf(type, octet));
    return byTag;
  },
  [],
);

export const NULL: Data = Object.freeze({ type: 'null' });
const emptyOf = (type: 'array' | 'structure'): Data => Object.freeze({ type, value: Object.freeze<Data[]>([]) as Data[] }); // as: Data does not say that nobody adds to it
/** Without items. */
export const EMPTY = { array: emptyOf('array'), structure: emptyOf('structure') };
export const DONT_CARE: Data = Object.freeze({ type: 'dontCare' });

/** A value without its tag. */
export function readScalar(input: ByteReader, type: ScalarType): Data {
  const { tag, body } = SCALARS[type];
  const shared = SHARED_SCALARS[tag]?.[input.peek()];
  if (shared === undefined) return { type, value: body.read(input) } as Data; // as: the table pairs type and value
  input.offset++;
  return shared;
}
