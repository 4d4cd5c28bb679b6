import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { AttributeRef, MethodRef } from '@hes/dlms/association/client.ts';
import type { Codec } from '@hes/dlms/codec/codec.ts';
import type { AttributeName, AttributeValue, CosemClass, MethodName } from '@hes/dlms/cosem/cosem-class.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { ObjectMap } from './object-map.ts';

/** An object of a device. Its class declares the types of attributes and methods. */
export interface CosemObject<C extends CosemClass> {
  readonly cosemClass: C;
  readonly instance: Obis;
}

/** An object of a meter, at the logical name that its model declares, else at its usual one. */
export const cosemObjectOf = <K extends WellKnownKey>(objectMap: ObjectMap, key: K): CosemObject<(typeof WELL_KNOWN)[K]['cosemClass']> => ({
  cosemClass: WELL_KNOWN[key].cosemClass,
  instance: objectMap.get(key)?.instance ?? WELL_KNOWN[key].instance,
});

const declared = <T>(members: Readonly<Record<string, T>>, name: string): T => members[name] as T; // as: the type of the name is a key of the members

/** Address of an attribute. */
export const attributeRef = <C extends CosemClass>({ cosemClass, instance }: CosemObject<C>, name: AttributeName<C>): AttributeRef => ({
  classId: cosemClass.id,
  instance,
  attributeId: declared(cosemClass.attributes, name).id,
});

/** Address of a method. */
export const methodRef = <C extends CosemClass>({ cosemClass, instance }: CosemObject<C>, name: MethodName<C>): MethodRef => ({
  classId: cosemClass.id,
  instance,
  methodId: declared(cosemClass.methods, name).id,
});

/** Codec of an attribute. */
export const codecOf = <C extends CosemClass, N extends AttributeName<C>>(cosemClass: C, name: N): Codec<AttributeValue<C, N>> =>
  declared(cosemClass.attributes, name).codec;

/** Whether a captured, pushed or listed object is this attribute of some object of the class. */
export const isAttribute = <C extends CosemClass>(
  { classId, attributeId }: Pick<AttributeRef, 'classId' | 'attributeId'>,
  cosemClass: C,
  name: AttributeName<C>,
): boolean => classId === cosemClass.id && attributeId === declared(cosemClass.attributes, name).id;
