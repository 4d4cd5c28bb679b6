import type { ServerObject } from '@hes/dlms/association/server-options.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import type { AttributeName, AttributeValue, CosemClass, MethodArgument, MethodName } from '@hes/dlms/cosem/cosem-class.ts';
import { attributeName, methodName } from '@hes/dlms/cosem/cosem-class.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { type Obis, obisOctets } from '@hes/dlms/cosem/obis.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { ActionResult, DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';

/** Result of a method, with its return parameters. */
export type MethodOutcome = void | ActionResult | { result: ActionResult; data: Uint8Array };

/** Behaviour of an object by the names of the class declaration, which provides types and ids. */
export interface Behaviour<C extends CosemClass> {
  read?: { [A in AttributeName<C>]?: () => AttributeValue<C, A> };
  /** Attributes that the behaviour encodes: buffers, where an object per value would be too slow. */
  readEncoded?: { [A in AttributeName<C>]?: (selection: Selection | undefined) => Uint8Array | DataAccessResult };
  /** A result where a write may be refused; no result means success. */
  write?: { [A in AttributeName<C>]?: (value: AttributeValue<C, A>) => DataAccessResult | void };
  /** No result means success. */
  invoke?: { [M in MethodName<C>]?: (argument: MethodArgument<C, M>) => MethodOutcome };
}

/** A simulated object with its attributes and methods, for the object list. */
export interface SimulatedObject extends ServerObject {
  offers(): { attributes: { id: number; isWritable: boolean }[]; methods: number[] };
}

export type ObjectFactory<S> = (state: S, instance: Obis) => SimulatedObject;

type Reader = () => unknown;
type EncodedReader = (selection: Selection | undefined) => Uint8Array | DataAccessResult;
type Taker = (value: unknown) => DataAccessResult | void;
type Method = (argument: unknown) => MethodOutcome;

/**
 * Creates objects of one class from their state. A value of the wrong type raises `DecodeError`, which the logical device
 * reports as a client error. Objects are created per request, so idle meters of a fleet use little memory.
 */
export function simulate<C extends CosemClass, S>(cosemClass: C, build: (state: S) => Behaviour<C>): ObjectFactory<S> {
  return (state, instance) => {
    const behaviour = build(state);
    // as: the class declaration above has checked keys and value types; only names are left here.
    const readers = (behaviour.read ?? {}) as Record<string, Reader | undefined>;
    const encodedReaders = (behaviour.readEncoded ?? {}) as Record<string, EncodedReader | undefined>;
    const writers = (behaviour.write ?? {}) as Record<string, Taker | undefined>;
    const methods = (behaviour.invoke ?? {}) as Record<string, Method | undefined>;
    return {
      classId: cosemClass.id,
      version: cosemClass.version,
      instance,
      read(attributeId, selection) {
        if (attributeId === 1) return encodedName(instance);
        const name = attributeName(cosemClass, attributeId);
        const attribute = name === undefined ? undefined : cosemClass.attributes[name];
        if (name === undefined || attribute === undefined) return 'objectUndefined';
        const encoded = encodedReaders[name];
        if (encoded) return encoded(selection);
        const reader = readers[name];
        return reader ? encode(attribute.codec, reader()) : 'readWriteDenied';
      },
      write(attributeId, data) {
        const name = attributeName(cosemClass, attributeId);
        const attribute = name === undefined ? undefined : cosemClass.attributes[name];
        const writer = name === undefined ? undefined : writers[name];
        if (!attribute || !writer) return 'readWriteDenied';
        return writer(decode(attribute.codec, encode(dataCodec, data))) ?? 'success';
      },
      invoke(methodId, argument) {
        const name = methodName(cosemClass, methodId);
        const method = name === undefined ? undefined : cosemClass.methods[name];
        const perform = name === undefined ? undefined : methods[name];
        if (!method || !perform) return { result: 'readWriteDenied' };
        const outcome = perform(decode(method.argument, encode(dataCodec, argument ?? NO_ARGUMENT))) ?? 'success';
        return typeof outcome === 'string' ? { result: outcome } : outcome;
      },
      offers: () => ({
        attributes: [1, ...idsOf(cosemClass.attributes, { ...readers, ...encodedReaders })].map((id) => ({
          id,
          isWritable: writers[attributeName(cosemClass, id) ?? ''] !== undefined,
        })),
        methods: idsOf(cosemClass.methods, methods),
      }),
    };
  };
}

/** Most methods without an argument take integer 0 instead. */
const NO_ARGUMENT = { type: 'integer', value: 0 } as const;

const idsOf = (declared: Readonly<Record<string, { id: number }>>, offered: Record<string, unknown>): number[] =>
  Object.entries(declared)
    .filter(([name]) => offered[name] !== undefined)
    .map(([, { id }]) => id)
    .toSorted((a, b) => a - b);

const encodedName = (instance: Obis): Uint8Array => Uint8Array.of(0x09, 6, ...obisOctets(instance));
