import { decode } from '@hes/dlms/codec/codec.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { extendedRegister } from '@hes/dlms/cosem/classes/extended-register.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import type { DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { denied, explaining } from './meter-error.ts';
import type { ObjectHost } from './meter-object.ts';
import { readingOf, type Reading } from './plain-value.ts';

/** Classes of objects, once they are known. */
export type KnownClasses = Map<Obis, number>;

/** Attribute with the scaler, by class. */
const SCALERS: ReadonlyMap<number, number> = new Map([
  [register.id, register.attributes.scalerUnit.id],
  [extendedRegister.id, extendedRegister.attributes.scalerUnit.id],
  [demandRegister.id, demandRegister.attributes.scalerUnit.id],
]);
/** Classes of values, the usual first. */
const VALUE_CLASSES = [register.id, data.id, extendedRegister.id, demandRegister.id] as const;
/** The object has another class, or does not exist. */
const OTHER_CLASS: ReadonlySet<DataAccessResult> = new Set(['objectUndefined', 'objectClassInconsistent', 'objectUnavailable']);

/** Reads the value of an object whose class may be unknown; scaler and unit come with the same request where the meter allows it. */
export async function readValue(host: ObjectHost, instance: Obis, known: KnownClasses): Promise<Reading> {
  const classId = known.get(instance);
  let refusal: DataAccessResult = 'objectUndefined';
  for (const tried of classId === undefined ? VALUE_CLASSES : [classId]) {
    const answer = await readOfClass(host, { instance, classId: tried });
    if ('raw' in answer) {
      known.set(instance, tried);
      return answer;
    }
    // The first refusal says more than that of a class that the object does not have.
    if (refusal === 'objectUndefined') refusal = answer.result;
    if (!OTHER_CLASS.has(answer.result)) break;
  }
  throw denied(`value of ${instance}`, refusal);
}

async function readOfClass(host: ObjectHost, object: { instance: Obis; classId: number }): Promise<Reading | { result: DataAccessResult }> {
  const scaler = SCALERS.get(object.classId);
  const ids = scaler === undefined ? [MAIN_ATTRIBUTE] : [MAIN_ATTRIBUTE, scaler];
  const [value, unit] = await host.run(host.association.getList(ids.map((attributeId) => ({ ...object, attributeId }))));
  if (value?.ok !== true) return { result: value?.result ?? 'otherReason' };
  return await explaining(`value of ${object.instance}`, async () =>
    readingOf(decode(dataCodec, value.data), unit?.ok === true ? decode(scalerUnit, unit.data) : undefined),
  );
}
