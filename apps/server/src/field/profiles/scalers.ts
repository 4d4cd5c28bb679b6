import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { changeLine } from '@hes/contract/states/field-event.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink, ReadOutcome } from '../link.ts';
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

/**
 * Objects whose scaler was asked for and not given are not asked again and again. `former` is the last scaling before the present one:
 * a buffer may still hold rows that were captured by it.
 */
type Remembered = (Scaling | { scaler: null }) & { former?: Scaling | undefined };

/** When the scaler or unit of an object was last found changed, epoch milliseconds, among the marks of its meter. */
const rescaledKeyOf = ({ classId, instance }: ObjectRef): string => `rescaled:${classId}/${instance}`;

/** A scaler that was not compared with the meter's for longer than this is asked for again: new firmware may count in other units. */
const TRUSTED_MS = 24 * 3_600_000;

/** The scaling of an object as the meter told it before; undefined when it has none. */
export function scalingOf(memory: Memory, object: ObjectRef): Scaling | undefined {
  const known = memory.get(keyOf(object)) as Remembered | undefined; // as: written below only
  return known === undefined || known.scaler === null ? undefined : known;
}

/** What an object counted in before its scaler or unit changed. */
export interface FormerScaling {
  /** When the change was noticed, epoch milliseconds. */
  noticedAt: number;
  /** Undefined: the change is known, and what it was before is not known any more. */
  scaling: Scaling | undefined;
}

/** The scaling before the last change of an object; undefined where none was noticed. */
export function formerScalingOf({ memory, marks }: Pick<MeterDevice, 'memory' | 'marks'>, object: ObjectRef): FormerScaling | undefined {
  const noticedAt = marks[rescaledKeyOf(object)];
  if (noticedAt === undefined) return undefined;
  const known = memory.get(keyOf(object)) as Remembered | undefined; // as: written below only
  return { noticedAt, scaling: known?.former };
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

/** Where the scalers of these objects stand; objects without one are left out. */
export function scalerRefs(objects: readonly ObjectRef[]): { object: ObjectRef; ref: AttributeRef }[] {
  return objects.flatMap((object) => {
    const attributeId = SCALER_ATTRIBUTE[object.classId];
    return attributeId === undefined ? [] : { object, ref: { ...object, attributeId } };
  });
}

/** Whether the scaler has been compared with the meter's within a day. */
const isTrusted = (device: MeterDevice, object: ObjectRef, now: number): boolean =>
  device.memory.has(keyOf(object)) && now - (device.scalersCheckedAt.get(keyOf(object)) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;

/**
 * Asks for the scalers that are not known yet, and for those that were not compared for a day, all in one go. Answers what has changed,
 * as lines of an event.
 */
export async function learnScalers(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  { objects, now }: { objects: readonly ObjectRef[]; now: number },
): Promise<Outcome<string[]>> {
  const asked = scalerRefs(objects).filter(({ object }) => !isTrusted(device, object, now));
  if (asked.length === 0) return ok([]);
  const read = await link.getList(asked.map(({ ref }) => ref));
  if (!read.ok) return read;
  return ok(asked.flatMap(({ object }, index) => takeScaler(device, devices, { object, read: read.value[index], now })));
}

/** Remembers what the meter says about one scaler, and what it said before that; answers what has changed. */
export function takeScaler(
  device: MeterDevice,
  devices: Devices,
  { object, read, now }: { object: ObjectRef; read: ReadOutcome | undefined; now: number },
): string[] {
  const key = keyOf(object);
  const isNone = read?.ok === false && (read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED');
  if (read === undefined || (!read.ok && !isNone)) return [];
  const before = device.memory.get(key) as Remembered | undefined; // as: written below only
  const after = read.ok ? scalingIn(read.value) : ({ scaler: null } as const);
  const last = before === undefined || before.scaler === null ? before?.former : { scaler: before.scaler, unit: before.unit };
  const isRescaled = last !== undefined && after.scaler !== null && (last.scaler !== after.scaler || last.unit !== after.unit);
  const former = isRescaled || after.scaler === null ? last : before?.former;
  devices.remember(device, key, former === undefined ? after : { ...after, former });
  device.scalersCheckedAt.set(key, now);
  if (isRescaled) devices.mark(device, rescaledKeyOf(object), now);
  return before === undefined ? [] : differenceOf(object, before, after);
}

/** Remembers a change of scaling that only a stored row shows: other profiles of the meter may hold rows of the former scaling, too. */
export function rememberFormerScaling(
  device: MeterDevice,
  devices: Devices,
  { object, power, now }: { object: ObjectRef; power: number; now: number },
): void {
  const present = scalingOf(device.memory, object);
  if (present === undefined) return;
  const { scaler, unit } = present;
  devices.remember(device, keyOf(object), { scaler, unit, former: { scaler: scaler + power, unit } });
  devices.mark(device, rescaledKeyOf(object), now);
}

const unitOf = (scaling: Remembered): string => (scaling.scaler === null ? '—' : unitSymbol(scaling.unit) || String(scaling.unit));

function differenceOf({ instance }: ObjectRef, before: Remembered, after: Remembered): string[] {
  const lines: string[] = [];
  if (before.scaler !== after.scaler) lines.push(changeLine('scaler', instance, String(before.scaler ?? '—'), String(after.scaler ?? '—')));
  if (unitOf(before) !== unitOf(after)) lines.push(changeLine('unit', instance, unitOf(before), unitOf(after)));
  return lines;
}

function scalingIn(octets: Uint8Array): Scaling | { scaler: null } {
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
