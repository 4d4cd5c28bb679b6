import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { changeLine } from '@hes/contract/states/field-event.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import { attributeRef, isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import { decodedBy } from '../decoded.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { cachePerMetadata } from '../meter-metadata.ts';
import { hasScaler, refreshScalers, scalerRefs, updateScaler, type ObjectRef } from './scalers.ts';

/** A capture list is read again when it was last compared with the meter before this time. */
const TRUSTED_MS = 24 * 3_600_000;
/** Number of former periods kept, for rows that the meter may still hold. */
const MAX_FORMER_PERIODS = 4;

/** A column of a profile, from its capture list. */
export interface Column {
  classId: number;
  /** In canonical notation, because it was decoded from six octets. */
  instance: Obis;
  attributeId: number;
  dataIndex: number;
}

/** Capture list and parameters of a profile of a meter. */
export interface Layout {
  readonly columns: readonly Column[];
  readonly periodSeconds: number;
  /** Capacity of the buffer in rows; undefined: unknown. */
  readonly entries?: number | undefined;
  /** Former capture periods in seconds, newest first. */
  readonly formerPeriods?: readonly number[] | undefined;
}

/** Rows of a profile by columns without the clock; `values[k]` belongs to `columns[k]`. */
export interface ProfileAnswer {
  columns: readonly Column[];
  periodSeconds: number;
  /** Former capture periods, of rows that the meter may still hold. */
  formerPeriods: readonly number[];
  /** Capacity of the buffer in rows; undefined: unknown. */
  entries: number | undefined;
  data: ProfileColumns;
}

/** Cached layout of a profile, written by `refreshLayout`. */
export const layoutOf = (device: MeterDevice, instance: Obis): Layout | undefined =>
  device.metadata.get(`profile:${instance}`) as Layout | undefined; // as: only `refreshLayout` writes it

/** The columns of a layout by purpose. */
interface Parts {
  /** Index of the clock; negative: none. */
  clockColumn: number;
  values: readonly Column[];
  /** Objects with a scaler. */
  scaled: readonly ObjectRef[];
}

export const partsOf = cachePerMetadata((_metadata, { columns }: Layout): Parts => {
  const clockColumn = columns.findIndex((column) => isAttribute(column, clock, 'time'));
  return {
    clockColumn,
    values: columns.filter((_, index) => index !== clockColumn),
    scaled: columns.filter(hasScaler),
  };
});

/** Key of the time at which the capture list was last compared with the meter. */
export const checkedKeyOf = (instance: Obis): string => `checked:${instance}`;

export const isTrusted = (device: MeterDevice, { instance, now }: { instance: Obis; now: number }): boolean =>
  now - (device.watermarks[checkedKeyOf(instance)] ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;

export const sameColumns = (a: readonly Column[], b: readonly Column[]): boolean => JSON.stringify(a) === JSON.stringify(b);

interface RefreshedLayout {
  layout: Layout;
  /** Changes as lines of an event. */
  changes: string[];
}

/**
 * Reads capture list, period, capacity and all scalers of a profile, in one request where the columns are known. After a change, all other
 * metadata of the meter counts as unchecked.
 */
export async function refreshLayout(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  { instance, now, name }: { instance: Obis; now: number; name: string },
): Promise<Outcome<RefreshedLayout>> {
  const profile = { cosemClass: profileGeneric, instance };
  const known = layoutOf(device, instance);
  const scalers = known === undefined ? [] : scalerRefs(partsOf(device.metadata, known).scaled);
  const { captureObjects, capturePeriod, profileEntries } = profileGeneric.attributes;
  const refs = (['captureObjects', 'capturePeriod', 'profileEntries'] as const).map((name) => attributeRef(profile, name));
  const read = await link.getList([...refs, ...scalers.map(({ ref }) => ref)]);
  if (!read.ok) return read;
  const [list, period, held, ...scalings] = read.value;
  if (list === undefined || !list.ok) return list ?? failed('BAD_ANSWER');
  const own = decodedBy(() => ({
    columns: decode(captureObjects.codec, list.value),
    periodSeconds: period?.ok === true ? decode(capturePeriod.codec, period.value) : 0,
    entries: held?.ok === true ? decode(profileEntries.codec, held.value) : undefined,
  }));
  if (!own.ok) return own;
  const changes = known === undefined ? [] : differenceOf(name, known, own.value);
  changes.push(...scalers.flatMap(({ object }, index) => updateScaler(device, devices, { object, read: scalings[index], now })));
  if (changes.length > 0) devices.requireRecheck(device);
  const layout: Layout = { ...own.value, ...formerOf(known, own.value.periodSeconds) };
  const missing = await refreshScalers(link, device, devices, { objects: partsOf(device.metadata, layout).scaled, now });
  if (!missing.ok) return missing;
  devices.setMetadata(device, `profile:${instance}`, layout);
  devices.setWatermark(device, checkedKeyOf(instance), now);
  return ok({ layout, changes: [...changes, ...missing.value] });
}

function formerOf(known: Layout | undefined, periodSeconds: number): Pick<Layout, 'formerPeriods'> {
  const former = [...(known === undefined ? [] : [known.periodSeconds]), ...(known?.formerPeriods ?? [])];
  const others = [...new Set(former)].filter((period) => period !== periodSeconds && period > 0).slice(0, MAX_FORMER_PERIODS);
  return others.length === 0 ? {} : { formerPeriods: others };
}

const listOf = (columns: readonly Column[]): string => columns.map(({ instance, attributeId }) => `${instance}/${attributeId}`).join(', ');

function differenceOf(name: string, before: Layout, after: Layout): string[] {
  const lines: string[] = [];
  if (!sameColumns(before.columns, after.columns)) lines.push(changeLine('layout', name, listOf(before.columns), listOf(after.columns)));
  if (before.periodSeconds !== after.periodSeconds)
    lines.push(changeLine('period', name, `${before.periodSeconds} s`, `${after.periodSeconds} s`));
  return lines;
}
