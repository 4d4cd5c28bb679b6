import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { oncePerMemory, type Memory } from '../memory.ts';

/** What turns the integer on the wire into a quantity: value × 10^scaler, in a unit. */
export interface Scaling {
  scaler: number;
  unit: number;
}

/** Where a class keeps scaler and unit; classes that are not here have none. */
const SCALER_ATTRIBUTE: Readonly<Record<number, number>> = { 3: 3, 4: 3, 5: 4 };

export interface ObjectRef {
  classId: number;
  instance: Obis;
}

const keyOf = ({ classId, instance }: ObjectRef): string => `scaler:${classId}/${instance}`;

/** Objects whose scaler was asked for and not given are not asked again and again. */
type Remembered = Scaling | { scaler: null };

/** The scaling of an object as the meter told it before; undefined when it has none. */
export function scalingOf(memory: Memory, object: ObjectRef): Scaling | undefined {
  const known = memory.get(keyOf(object)) as Remembered | undefined; // as: written below only
  return known === undefined || known.scaler === null ? undefined : known;
}

/** Scalers that the meter was not asked for yet, by the keys under which they will be remembered. */
export const missingScalers = oncePerMemory((memory, objects: readonly ObjectRef[]): ReadonlyMap<string, AttributeRef> => {
  const missing = new Map<string, AttributeRef>();
  for (const object of objects) {
    const attributeId = SCALER_ATTRIBUTE[object.classId];
    const key = keyOf(object);
    if (attributeId !== undefined && !memory.has(key)) missing.set(key, { ...object, attributeId });
  }
  return missing;
});

/** Asks for the scalers that are not known yet, all in one go, and remembers them. */
export async function learnScalers(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  objects: readonly ObjectRef[],
): Promise<Outcome<void>> {
  const missing = missingScalers(device.memory, objects);
  if (missing.size === 0) return ok(undefined);
  const read = await link.getList([...missing.values()]);
  if (!read.ok) return read;
  let index = 0;
  for (const key of missing.keys()) {
    const outcome = read.value[index++];
    if (outcome?.ok === true) devices.remember(device, key, scalingIn(outcome.value));
    else if (outcome?.reason === 'OBJECT_UNDEFINED' || outcome?.reason === 'ACCESS_DENIED') devices.remember(device, key, { scaler: null });
  }
  return ok(undefined);
}

function scalingIn(octets: Uint8Array): Remembered {
  try {
    const { scaler, unit } = decode(scalerUnit, octets);
    return { scaler, unit };
  } catch (error) {
    if (error instanceof DecodeError) return { scaler: null };
    throw error;
  }
}

/** value × 10^exponent in decimal, so that 2301 × 10^-1 is 230.1 and not nearly so. */
export const scaled = (raw: number | bigint, exponent: number): number => (exponent === 0 ? Number(raw) : Number(`${raw}e${exponent}`));
