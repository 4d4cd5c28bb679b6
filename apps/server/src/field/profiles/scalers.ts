import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { changeLine } from '@hes/contract/states/field-event.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { extendedRegister } from '@hes/dlms/cosem/classes/extended-register.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit, type ScalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { decodedAnswer } from '../decoded.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink, ReadOutcome } from '../link.ts';
import { cachePerMetadata, type MeterMetadata } from '../meter-metadata.ts';

/** Scaler and unit of a register: quantity = value × 10^scaler. */
export type Scaling = ScalerUnit;

/** Attribute with scaler and unit by class; other classes have none. */
const SCALER_ATTRIBUTE: ReadonlyMap<number, number> = new Map(
  [register, extendedRegister, demandRegister].map(({ id, attributes }) => [id, attributes.scalerUnit.id]),
);

export interface ObjectRef {
  classId: number;
  instance: Obis;
}

/** Whether the class of an object has scaler and unit: registers of all kinds. */
export const hasScaler = ({ classId }: Pick<ObjectRef, 'classId'>): boolean => SCALER_ATTRIBUTE.has(classId);

const keyOf = ({ classId, instance }: ObjectRef): string => `scaler:${classId}/${instance}`;

/**
 * Cached scaling. Null: the meter has none, which is cached, too. `former` is the last scaling before the present one, because a buffer may
 * still hold rows captured with it.
 */
type CachedScaling = (Scaling | { scaler: null }) & { former?: Scaling | undefined };

/** Key of the time at which a change of scaler or unit was last detected, in the watermarks of the meter. */
const rescaledKeyOf = ({ classId, instance }: ObjectRef): string => `rescaled:${classId}/${instance}`;

/** A scaler is read again when it was last compared with the meter before this time, because new firmware may change it. */
const TRUSTED_MS = 24 * 3_600_000;

/** Cached scaling of an object; undefined: unknown, or the object has none. */
export function scalingOf(metadata: MeterMetadata, object: ObjectRef): Scaling | undefined {
  const known = metadata.get(keyOf(object)) as CachedScaling | undefined; // as: only this module writes it
  return known === undefined || known.scaler === null ? undefined : known;
}

/** Scaling of an object before its last change. */
export interface FormerScaling {
  /** Time at which the change was detected, epoch milliseconds. */
  noticedAt: number;
  /** Undefined: the former scaling is unknown. */
  scaling: Scaling | undefined;
}

/** Scaling before the last change of an object; undefined: no change detected. */
export function formerScalingOf(
  { metadata, watermarks }: Pick<MeterDevice, 'metadata' | 'watermarks'>,
  object: ObjectRef,
): FormerScaling | undefined {
  const noticedAt = watermarks[rescaledKeyOf(object)];
  if (noticedAt === undefined) return undefined;
  const known = metadata.get(keyOf(object)) as CachedScaling | undefined; // as: only this module writes it
  return { noticedAt, scaling: known?.former };
}

/** Scaler attributes that are not cached yet, by metadata key. */
export const missingScalers = cachePerMetadata((metadata, objects: readonly ObjectRef[]): ReadonlyMap<string, AttributeRef> => {
  const missing = new Map<string, AttributeRef>();
  for (const object of objects) {
    const attributeId = SCALER_ATTRIBUTE.get(object.classId);
    const key = keyOf(object);
    if (attributeId !== undefined && !metadata.has(key)) missing.set(key, { ...object, attributeId });
  }
  return missing;
});

/** Scaler attributes of these objects; objects without scaler are left out. */
export function scalerRefs(objects: readonly ObjectRef[]): { object: ObjectRef; ref: AttributeRef }[] {
  return objects.flatMap((object) => {
    const attributeId = SCALER_ATTRIBUTE.get(object.classId);
    return attributeId === undefined ? [] : { object, ref: { ...object, attributeId } };
  });
}

/** Whether the scaler was compared with the meter within a day. */
const isTrusted = (device: MeterDevice, object: ObjectRef, now: number): boolean =>
  device.metadata.has(keyOf(object)) && now - (device.scalersCheckedAt.get(keyOf(object)) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;

/** Reads, in one request, the scalers that are unknown or were not compared within a day. Returns changes as lines of an event. */
export async function refreshScalers(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  { objects, now }: { objects: readonly ObjectRef[]; now: number },
): Promise<Outcome<string[]>> {
  const asked = scalerRefs(objects).filter(({ object }) => !isTrusted(device, object, now));
  if (asked.length === 0) return ok([]);
  const read = await link.getList(asked.map(({ ref }) => ref));
  if (!read.ok) return read;
  return ok(asked.flatMap(({ object }, index) => updateScaler(device, devices, { object, read: read.value[index], now })));
}

/** Caches a scaler that was read, and the former one. Returns changes as lines of an event. */
export function updateScaler(
  device: MeterDevice,
  devices: Devices,
  { object, read, now }: { object: ObjectRef; read: ReadOutcome | undefined; now: number },
): string[] {
  const key = keyOf(object);
  const isNone = read?.ok === false && (read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED');
  if (read === undefined || (!read.ok && !isNone)) return [];
  const before = device.metadata.get(key) as CachedScaling | undefined; // as: only this module writes it
  const scaling = decodedAnswer(scalerUnit, read);
  const after = scaling.ok ? scaling.value : ({ scaler: null } as const);
  const last = before === undefined || before.scaler === null ? before?.former : { scaler: before.scaler, unit: before.unit };
  const isRescaled = last !== undefined && after.scaler !== null && (last.scaler !== after.scaler || last.unit !== after.unit);
  const former = isRescaled || after.scaler === null ? last : before?.former;
  devices.setMetadata(device, key, former === undefined ? after : { ...after, former });
  device.scalersCheckedAt.set(key, now);
  if (isRescaled) devices.setWatermark(device, rescaledKeyOf(object), now);
  return before === undefined ? [] : differenceOf(object, before, after);
}

/** Caches a former scaling that only rows reveal, because other profiles of the meter may hold rows with it, too. */
export function rememberFormerScaling(
  device: MeterDevice,
  devices: Devices,
  { object, power, now }: { object: ObjectRef; power: number; now: number },
): void {
  const present = scalingOf(device.metadata, object);
  if (present === undefined) return;
  const { scaler, unit } = present;
  devices.setMetadata(device, keyOf(object), { scaler, unit, former: { scaler: scaler + power, unit } });
  devices.setWatermark(device, rescaledKeyOf(object), now);
}

const unitOf = (scaling: CachedScaling): string => (scaling.scaler === null ? '—' : unitSymbol(scaling.unit) || String(scaling.unit));

function differenceOf({ instance }: ObjectRef, before: CachedScaling, after: CachedScaling): string[] {
  const lines: string[] = [];
  if (before.scaler !== after.scaler) lines.push(changeLine('scaler', instance, String(before.scaler ?? '—'), String(after.scaler ?? '—')));
  if (unitOf(before) !== unitOf(after)) lines.push(changeLine('unit', instance, unitOf(before), unitOf(after)));
  return lines;
}

/** value × 10^exponent in decimal, so that 2301 × 10^-1 is exactly 230.1. */
export const scaleValue = (raw: number | bigint, exponent: number): number => (exponent === 0 ? Number(raw) : Number(`${raw}e${exponent}`));
