import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { AttributeName, AttributeValue, CosemClass, MethodArgument, MethodName } from '@hes/dlms/cosem/cosem-class.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { DeviceLink } from './link.ts';
import type { ObjectMap } from './object-map.ts';

/** An object of a device. Its class declares the types of attributes and methods. */
export interface CosemObject<C extends CosemClass> {
  cosemClass: C;
  instance: Obis;
}

/** An object of a meter, at the logical name that its model declares, else at its usual one. */
export const cosemObjectOf = <K extends WellKnownKey>(objectMap: ObjectMap, key: K): CosemObject<(typeof WELL_KNOWN)[K]['cosemClass']> => ({
  cosemClass: WELL_KNOWN[key].cosemClass,
  instance: objectMap.get(key)?.instance ?? WELL_KNOWN[key].instance,
});

/** Reads and decodes one attribute. Fails with BAD_ANSWER where the device returned another type than the class declares. */
export async function readAttribute<C extends CosemClass, N extends AttributeName<C>>(
  link: Pick<DeviceLink, 'get'>,
  { cosemClass, instance }: CosemObject<C>,
  name: N,
): Promise<Outcome<AttributeValue<C, N>>> {
  const { id, codec } = cosemClass.attributes[name] as CosemClass['attributes'][string]; // as: the name is one of the class
  const read = await link.get({ classId: cosemClass.id, instance, attributeId: id });
  if (!read.ok) return read;
  try {
    return ok(decode(codec, read.value) as AttributeValue<C, N>); // as: the codec is the attribute's own
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

/** Writes one attribute. The outcome of a write without an answer is unknown: read the attribute before it is written again. */
export function writeAttribute<C extends CosemClass, N extends AttributeName<C>>(
  link: Pick<DeviceLink, 'set'>,
  { cosemClass, instance }: CosemObject<C>,
  name: N,
  value: AttributeValue<C, N>,
): Promise<Outcome<void>> {
  const { id, codec } = cosemClass.attributes[name] as CosemClass['attributes'][string]; // as: the name is one of the class
  return link.set({ classId: cosemClass.id, instance, attributeId: id }, encode(codec, value));
}

/** Invokes one method. The outcome of a call without an answer is unknown: read what it changes before it is invoked again. */
export function invokeMethod<C extends CosemClass, N extends MethodName<C>>(
  link: Pick<DeviceLink, 'invoke'>,
  { cosemClass, instance }: CosemObject<C>,
  name: N,
  argument: MethodArgument<C, N>,
): Promise<Outcome<Uint8Array | undefined>> {
  const { id, argument: codec } = cosemClass.methods[name] as CosemClass['methods'][string]; // as: the name is one of the class
  return link.invoke({ classId: cosemClass.id, instance, methodId: id }, encode(codec, argument));
}
