import type { AccessKind, ServerObject } from '../association/server-options.ts';
import { decode, encode } from '../codec/codec.ts';
import {
  attributeName,
  methodName,
  type AttributeName,
  type AttributeValue,
  type CosemClass,
  type MethodArgument,
  type MethodName,
} from '../cosem/cosem-class.ts';
import { dataCodec, logicalName } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import type { Obis } from '../cosem/obis.ts';
import type { Selection } from '../cosem/selective-access.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';

/** Result of a method with its return value; void means success. */
export type MethodOutcome = void | ActionResult | { result: ActionResult; data: Uint8Array };

/** Behaviour of an object of a class, keyed by the names of the class declaration, which defines types and ids. */
export interface Behaviour<C extends CosemClass> {
  read?: { [A in AttributeName<C>]?: () => AttributeValue<C, A> };
  /** Attributes with custom encoding or selective access. */
  readEncoded?: { [A in AttributeName<C>]?: (selection: Selection | undefined) => Uint8Array | DataAccessResult };
  /** Writers may return a result; void means success. */
  write?: { [A in AttributeName<C>]?: (value: AttributeValue<C, A>) => DataAccessResult | void };
  invoke?: { [M in MethodName<C>]?: (argument: MethodArgument<C, M>) => MethodOutcome };
}

/** Rights of one client on one member. */
export interface Rights {
  attributes: { id: number; read: boolean; write: boolean; selectors: number[] | null }[];
  methods: number[];
}

/** A server object that describes itself for the object list. */
export interface DescribedObject extends ServerObject {
  rightsOf(clientSap: number): Rights;
}

export interface ObjectOptions {
  instance: Obis;
  /** Whether a client may use a member; without it, all members are allowed. */
  allows?(kind: AccessKind, memberId: number, clientSap: number): boolean;
  /** Selectors by attribute id. */
  selectors?: Readonly<Record<number, readonly number[]>>;
}

type Table<F> = Record<string, F | undefined>;
const LOGICAL_NAME = 1;
/** Most methods without an argument take integer 0. */
const NO_ARGUMENT: Data = { type: 'integer', value: 0 };

/** Creates an object of a class. A value of the wrong type throws `DecodeError`, which the device answers as a client error. */
export function serverObject<C extends CosemClass>(cosemClass: C, behaviour: Behaviour<C>, options: ObjectOptions): DescribedObject {
  const { instance, allows = () => true, selectors = {} } = options;
  // as: names and types were checked against the declaration above; only names are left here.
  const readers = (behaviour.read ?? {}) as Table<() => unknown>;
  const encodedReaders = (behaviour.readEncoded ?? {}) as Table<(selection: Selection | undefined) => Uint8Array | DataAccessResult>;
  const writers = (behaviour.write ?? {}) as Table<(value: unknown) => DataAccessResult | void>;
  const methods = (behaviour.invoke ?? {}) as Table<(argument: unknown) => MethodOutcome>;
  const isReadable = (name: string) => name === 'logicalName' || readers[name] !== undefined || encodedReaders[name] !== undefined;
  return {
    classId: cosemClass.id,
    version: cosemClass.version,
    instance,
    access: allows,
    read(attributeId, selection) {
      if (attributeId === LOGICAL_NAME) return encode(logicalName, instance);
      const name = attributeName(cosemClass, attributeId);
      const codec = name === undefined ? undefined : cosemClass.attributes[name]?.codec;
      if (name === undefined || codec === undefined) return 'objectUnavailable';
      const encoded = encodedReaders[name];
      if (encoded !== undefined) return encoded(selection);
      const reader = readers[name];
      return reader === undefined ? 'readWriteDenied' : encode(codec, reader());
    },
    write(attributeId, data) {
      const name = attributeName(cosemClass, attributeId);
      const codec = name === undefined ? undefined : cosemClass.attributes[name]?.codec;
      if (name === undefined || codec === undefined) return 'objectUnavailable';
      const writer = writers[name];
      return writer === undefined ? 'readWriteDenied' : (writer(decode(codec, encode(dataCodec, data))) ?? 'success');
    },
    invoke(methodId, argument) {
      const name = methodName(cosemClass, methodId);
      const codec = name === undefined ? undefined : cosemClass.methods[name]?.argument;
      if (name === undefined || codec === undefined) return { result: 'objectUnavailable' };
      const perform = methods[name];
      if (perform === undefined) return { result: 'readWriteDenied' };
      const outcome = perform(decode(codec, encode(dataCodec, argument ?? NO_ARGUMENT))) ?? 'success';
      return typeof outcome === 'string' ? { result: outcome } : outcome;
    },
    rightsOf(clientSap) {
      const attributes = Object.entries(cosemClass.attributes).map(([name, { id }]) => ({
        id,
        read: isReadable(name) && allows('read', id, clientSap),
        write: writers[name] !== undefined && allows('write', id, clientSap),
        selectors: selectors[id] === undefined ? null : [...selectors[id]],
      }));
      const invocable = Object.entries(cosemClass.methods).filter(
        ([name, { id }]) => methods[name] !== undefined && allows('invoke', id, clientSap),
      );
      return {
        attributes: attributes.filter(({ read, write }) => read || write).toSorted((a, b) => a.id - b.id),
        methods: invocable.map(([, { id }]) => id).toSorted((a, b) => a - b),
      };
    },
  };
}
