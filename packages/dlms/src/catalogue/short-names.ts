import { decode } from '../codec/codec.ts';
import { associationSn } from '../cosem/classes/association-sn.ts';
import type { CosemClass } from '../cosem/cosem-class.ts';
import type { Obis } from '../cosem/obis.ts';
import { COSEM_CLASSES, cosemClassOf } from './classes.ts';

/** Base name of the current association, the same in every server with short names. @spec BB 4 (Association SN) */
export const CURRENT_ASSOCIATION_SN = 0xfa00;

/** Short names of the members of one object differ by this. @spec BB 4 (short name referencing) */
const STEP = 8;
const LAST_NAME = 0xffff;

/** An object of a server with short names. */
export interface ShortNamedObject {
  /** 0 to 65535: the short name of attribute 1. */
  baseName: number;
  classId: number;
  version: number;
  instance: Obis;
}

/** A member of an object, by its id. */
export interface ShortNamedMember {
  object: ShortNamedObject;
  kind: 'attribute' | 'method';
  id: number;
}

/** The declared class of an object. Some servers list version 0 for every object, so that another version of the class has to do. */
export const classOf = ({ classId, version }: Pick<ShortNamedObject, 'classId' | 'version'>): CosemClass | undefined =>
  cosemClassOf(classId, version) ?? cosemClassOf(classId);

/** Decodes the object list of Association SN, one encoded Data. Throws `DecodeError`. @spec BB 4 (object_list) */
export const readShortNames = (octets: Uint8Array): ShortNamedObject[] => decode(associationSn.attributes.objectList.codec, octets);

const within = (name: number): number | undefined => (name > LAST_NAME ? undefined : name);

/** Number of attributes in the longest declared version of a class; undefined: no version is declared. */
function attributesOf(wanted: number): number | undefined {
  const versions = COSEM_CLASSES.filter(({ id }) => id === wanted);
  return versions.length === 0 ? undefined : Math.max(...versions.map(({ attributes }) => Object.keys(attributes).length));
}

/** The short name of an attribute; undefined: there is no such number, or a declared class has no such attribute, as it may be a method's. */
export const attributeName = (
  { baseName, classId }: Pick<ShortNamedObject, 'baseName' | 'classId'>,
  attributeId: number,
): number | undefined =>
  attributeId < 1 || attributeId > (attributesOf(classId) ?? attributeId) ? undefined : within(baseName + STEP * (attributeId - 1));

/**
 * The short name of a method; undefined: the class does not declare it, or no source says where its methods are. Any other number could
 * name a member of another object.
 */
export function methodName(object: Omit<ShortNamedObject, 'instance'>, methodId: number): number | undefined {
  const { methodsAt, methods = {} } = classOf(object) ?? {};
  const isDeclared = Object.values(methods).some(({ id }) => id === methodId);
  return methodsAt === undefined || !isDeclared ? undefined : within(object.baseName + methodsAt + STEP * (methodId - 1));
}

/** The member with this short name among `objects`; undefined: none. */
export function memberOf(objects: readonly ShortNamedObject[], name: number): ShortNamedMember | undefined {
  let object: ShortNamedObject | undefined;
  for (const one of objects) if (one.baseName <= name && one.baseName >= (object?.baseName ?? 0)) object = one;
  if (object === undefined) return undefined;
  const offset = name - object.baseName;
  const cosemClass = classOf(object);
  if (offset % STEP !== 0 || cosemClass === undefined) return undefined;
  if (offset < STEP * Object.keys(cosemClass.attributes).length) return { object, kind: 'attribute', id: offset / STEP + 1 };
  const { methodsAt, methods } = cosemClass;
  if (methodsAt === undefined || offset < methodsAt) return undefined;
  const id = (offset - methodsAt) / STEP + 1;
  return Object.values(methods).some((method) => method.id === id) ? { object, kind: 'method', id } : undefined;
}

/** Octets of short names that an object occupies, a multiple of 8. */
function spanOf({ attributes, methods, methodsAt = 0 }: CosemClass): number {
  const lastMethod = Math.max(0, ...Object.values(methods).map(({ id }) => id));
  return Math.max(STEP * Object.keys(attributes).length, methodsAt + STEP * lastMethod);
}

const FIRST_NAME = 0x1000;

/**
 * Gives objects of declared classes base names, for servers that have no own list: the current association 0xFA00, the others from 0x1000
 * on. Throws `RangeError` when the names do not suffice.
 */
export function assignShortNames(objects: readonly Omit<ShortNamedObject, 'baseName'>[]): ShortNamedObject[] {
  let next = FIRST_NAME;
  return objects.map(({ classId, version, instance }) => {
    if (classId === associationSn.id) return { baseName: CURRENT_ASSOCIATION_SN, classId, version, instance };
    const baseName = next;
    next += spanOf(classOf({ classId, version }) ?? associationSn);
    if (next > CURRENT_ASSOCIATION_SN) throw new RangeError(`${objects.length} objects have no short names`);
    return { baseName, classId, version, instance };
  });
}
