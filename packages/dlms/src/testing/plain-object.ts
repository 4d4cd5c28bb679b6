import { encode } from '../codec/codec.ts';
import { asciiOctets } from '../codec/text.ts';
import type { ServerObject } from '../association/server-options.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import { obisCodec, type Obis } from '../cosem/obis.ts';
import type { DescribedObject } from '../server/server-object.ts';

/** Current attribute values by attribute id. */
export type Attributes = Readonly<Record<number, () => Data>>;

/** Writable attributes and methods of an object, by id. */
export interface OtherMembers extends Pick<ServerObject, 'write' | 'invoke'> {
  writable?: readonly number[];
  methods?: readonly number[];
}

/** An object of plain values; attribute 1 is its logical name. */
export function plainObject(
  [classId, version, instance]: readonly [number, number, Obis],
  attributes: Attributes,
  { writable = [], methods = [], write, invoke }: OtherMembers = {},
): DescribedObject {
  const ids = [1, ...Object.keys(attributes).map(Number)].toSorted((a, b) => a - b);
  return {
    classId,
    version,
    instance,
    read(attributeId) {
      if (attributeId === 1) return encode(dataCodec, octets(encode(obisCodec, instance)));
      const attribute = attributes[attributeId];
      // The object exists, but this attribute does not.
      return attribute === undefined ? 'objectUnavailable' : encode(dataCodec, attribute());
    },
    write: (attributeId, data, selection) =>
      (writable.includes(attributeId) ? write?.(attributeId, data, selection) : undefined) ??
      (ids.includes(attributeId) ? 'readWriteDenied' : 'objectUnavailable'),
    invoke: (methodId, argument) =>
      (methods.includes(methodId) ? invoke?.(methodId, argument) : undefined) ?? { result: 'objectUnavailable' },
    rightsOf: () => ({
      attributes: ids.map((id) => ({ id, read: true, write: writable.includes(id), selectors: null })),
      methods: [...methods],
    }),
  };
}

export const octets = (value: Uint8Array): Data => ({ type: 'octetString', value });
export const text = (value: string): Data => octets(asciiOctets(value));
export const unsigned = (value: number): Data => ({ type: 'unsigned', value });
export const longUnsigned = (value: number): Data => ({ type: 'longUnsigned', value });
export const doubleLongUnsigned = (value: number): Data => ({ type: 'doubleLongUnsigned', value });
export const enumValue = (value: number): Data => ({ type: 'enum', value });
export const structure = (...value: Data[]): Data => ({ type: 'structure', value });
export const array = (value: Data[]): Data => ({ type: 'array', value });
