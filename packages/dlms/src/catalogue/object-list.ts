import { cosemClassOf } from './classes.ts';
import { decode, type Codec, type ValueOf } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { attributeName, methodName, type CosemClass } from '../cosem/cosem-class.ts';
import { arrayOf, boolean, enumNumber, integer, logicalName, longUnsigned, nullable, structure, unsigned } from '../cosem/data.ts';
import { TAG } from '../cosem/data-scalars.ts';
import type { Obis } from '../cosem/obis.ts';

/** The protection that a request or response must have for this access. */
export interface AccessProtection {
  authenticatedRequest: boolean;
  encryptedRequest: boolean;
  signedRequest: boolean;
  authenticatedResponse: boolean;
  encryptedResponse: boolean;
  signedResponse: boolean;
}

export interface AttributeRights extends AccessProtection {
  read: boolean;
  write: boolean;
}

export interface MethodRights extends AccessProtection {
  execute: boolean;
}

export interface AttributeAccess {
  id: number;
  /** Name in the class declaration; `undefined` for an undeclared class or attribute. */
  name: string | undefined;
  rights: AttributeRights;
  /** Selectors of the attribute's selective access. */
  selectors: readonly number[];
}

export interface MethodAccess {
  id: number;
  name: string | undefined;
  rights: MethodRights;
}

/** An object of a device with the rights of one client. */
export interface ListedObject {
  classId: number;
  version: number;
  instance: Obis;
  /** `undefined` when the class or this version is not declared; the object can still be read as Data. */
  cosemClass: CosemClass | undefined;
  attributes: AttributeAccess[];
  methods: MethodAccess[];
}

const ASSOCIATION_LN = 15;
/** First version of Association LN with access rights as bit sets. */
const FIRST_WITH_BITS = 3;
const BOOLEAN_TAG = 0x03;

/** Meters encode method modes as boolean or enum, regardless of the version. */
const methodMode: Codec<number> = {
  read: (input) => (input.peek() === BOOLEAN_TAG ? Number(boolean.read(input)) : enumNumber.read(input)),
  write: enumNumber.write,
};

const rawEntry = structure({
  classId: longUnsigned,
  version: unsigned,
  instance: logicalName,
  accessRights: structure({
    attributes: arrayOf(structure({ attributeId: integer, accessMode: enumNumber, accessSelectors: nullable(arrayOf(integer)) })),
    methods: arrayOf(structure({ methodId: integer, accessMode: methodMode })),
  }),
});
type RawEntry = ValueOf<typeof rawEntry>;

interface RawList {
  announced: number;
  entries: RawEntry[];
}

/** A list that may end between two entries, before the announced number of them. */
const announcedList: Codec<RawList> = {
  read: (input) => {
    input.expect(TAG.array);
    const announced = input.count();
    const entries: RawEntry[] = [];
    input.nested(() => {
      while (entries.length < announced && input.left > 0) entries.push(input.field(entries.length, rawEntry.read));
    });
    return { announced, entries };
  },
  write: (out, { entries }) => arrayOf(rawEntry).write(out, entries),
};

const NO_PROTECTION: AccessProtection = {
  authenticatedRequest: false,
  encryptedRequest: false,
  signedRequest: false,
  authenticatedResponse: false,
  encryptedResponse: false,
  signedResponse: false,
};
const AUTHENTICATED: AccessProtection = { ...NO_PROTECTION, authenticatedRequest: true };

const protectionOf = (bits: number): AccessProtection => ({
  authenticatedRequest: (bits & 0x04) !== 0,
  encryptedRequest: (bits & 0x08) !== 0,
  signedRequest: (bits & 0x10) !== 0,
  authenticatedResponse: (bits & 0x20) !== 0,
  encryptedResponse: (bits & 0x40) !== 0,
  signedResponse: (bits & 0x80) !== 0,
});

/** Access modes: 1 read, 2 write, 3 both; 4, 5 and 6 the same for authenticated requests. An unknown mode grants nothing. */
const attributeModeOf = (mode: number): AttributeRights => ({
  ...(mode >= 4 && mode <= 6 ? AUTHENTICATED : NO_PROTECTION),
  read: [1, 3, 4, 6].includes(mode),
  write: [2, 3, 5, 6].includes(mode),
});

const attributeBitsOf = (bits: number): AttributeRights => ({
  ...protectionOf(bits),
  read: (bits & 1) !== 0,
  write: (bits & 2) !== 0,
});

const methodModeOf = (mode: number): MethodRights => ({
  ...(mode === 2 ? AUTHENTICATED : NO_PROTECTION),
  execute: mode === 1 || mode === 2,
});

const methodBitsOf = (bits: number): MethodRights => ({ ...protectionOf(bits), execute: (bits & 1) !== 0 });

/** Shares one object per mode octet, because a list has thousands of entries. */
const byMode = <T extends object>(rightsOf: (mode: number) => T): readonly T[] =>
  Array.from({ length: 256 }, (_, mode) => Object.freeze(rightsOf(mode)));

const ATTRIBUTE_RIGHTS = { modes: byMode(attributeModeOf), bits: byMode(attributeBitsOf) };
const METHOD_RIGHTS = { modes: byMode(methodModeOf), bits: byMode(methodBitsOf) };
const NO_RIGHTS = { attribute: attributeModeOf(0), method: methodModeOf(0) };
const NO_SELECTORS: readonly number[] = Object.freeze([]);

export interface ObjectListing {
  objects: ListedObject[];
  /** Number of objects that the device announces. Some devices announce objects, such as other associations, that they do not list. */
  announced: number;
}

/**
 * Decodes an object list (attribute 2 of Association LN, one encoded Data) with the declared classes. Before version 3 rights are modes,
 * afterwards bit sets; without `associationVersion` the version is read from the list, which contains the association. Throws
 * `DecodeError`, but for a list that ends after fewer entries than it announces.
 * @spec BB 4 (object_list)
 */
export function objectListing(octets: Uint8Array, associationVersion?: number): ObjectListing {
  const { announced, entries } = decode(announcedList, octets);
  const versionInList = entries.reduce(
    (highest, { classId, version }) => (classId === ASSOCIATION_LN ? Math.max(highest, version) : highest),
    0,
  );
  const form = (associationVersion ?? versionInList) >= FIRST_WITH_BITS ? 'bits' : 'modes';
  return { announced, objects: entries.map((entry) => listedObject(entry, form)) };
}

/** The objects of `objectListing`. Throws `DecodeError` also for a list that ends before the announced number of objects. */
export function typedObjectList(octets: Uint8Array, associationVersion?: number): ListedObject[] {
  const { objects, announced } = objectListing(octets, associationVersion);
  if (objects.length < announced)
    throw new DecodeError({ code: 'TRUNCATED', needed: 1, left: 0 }, { offset: octets.length, path: String(objects.length) });
  return objects;
}

function listedObject({ classId, version, instance, accessRights }: RawEntry, form: 'bits' | 'modes'): ListedObject {
  const cosemClass = cosemClassOf(classId, version);
  return {
    classId,
    version,
    instance,
    cosemClass,
    attributes: accessRights.attributes.map(({ attributeId: id, accessMode, accessSelectors }) => ({
      id,
      name: cosemClass && attributeName(cosemClass, id),
      rights: ATTRIBUTE_RIGHTS[form][accessMode] ?? NO_RIGHTS.attribute,
      selectors: accessSelectors ?? NO_SELECTORS,
    })),
    methods: accessRights.methods.map(({ methodId: id, accessMode }) => ({
      id,
      name: cosemClass && methodName(cosemClass, id),
      rights: METHOD_RIGHTS[form][accessMode] ?? NO_RIGHTS.method,
    })),
  };
}
