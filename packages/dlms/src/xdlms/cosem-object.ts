import type { Codec } from '../codec/codec.ts';
import type { Attribute, AttributeName, AttributeValue, CosemClass, Method, MethodName } from '../cosem/cosem-class.ts';
import type { Obis } from '../cosem/obis.ts';
import type { AttributeDescriptor, MethodDescriptor } from './descriptors.ts';

/** An object of a device. Its class declares the types of attributes and methods. @spec BB 4 (COSEM objects) */
export interface CosemObject<C extends CosemClass> {
  readonly cosemClass: C;
  readonly instance: Obis;
}

const declared = <T>(members: Readonly<Record<string, T>>, name: string): T => members[name] as T; // as: the type of the name is a key of the members

/** Address of an attribute. */
export const attributeRef = <C extends CosemClass>(
  { cosemClass, instance }: CosemObject<C>,
  name: AttributeName<C>,
): AttributeDescriptor => ({
  classId: cosemClass.id,
  instance,
  attributeId: declared<Attribute<unknown>>(cosemClass.attributes, name).id,
});

/** Address of a method. */
export const methodRef = <C extends CosemClass>({ cosemClass, instance }: CosemObject<C>, name: MethodName<C>): MethodDescriptor => ({
  classId: cosemClass.id,
  instance,
  methodId: declared<Method<unknown, unknown>>(cosemClass.methods, name).id,
});

/** Codec of an attribute. */
export const codecOf = <C extends CosemClass, N extends AttributeName<C>>(cosemClass: C, name: N): Codec<AttributeValue<C, N>> =>
  declared(cosemClass.attributes, name).codec;

/** Whether a captured, pushed or listed object is this attribute of some object of the class. */
export const isAttribute = <C extends CosemClass>(
  { classId, attributeId }: Pick<AttributeDescriptor, 'classId' | 'attributeId'>,
  cosemClass: C,
  name: AttributeName<C>,
): boolean => classId === cosemClass.id && attributeId === declared<Attribute<unknown>>(cosemClass.attributes, name).id;
