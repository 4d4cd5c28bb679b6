import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { changeLine } from '@hes/contract/states/field-event.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { oncePerMemory } from '../memory.ts';
import { learnScalers, scalerRefs, takeScaler, type ObjectRef } from './scalers.ts';

const CLOCK_CLASS = 8;
/** A capture list that was not compared with the meter's for longer than this is asked for again. */
const TRUSTED_MS = 24 * 3_600_000;
const SCALED_CLASSES = new Set([3, 4, 5]);
/** Periods of rows that the meter may still hold. */
const MAX_FORMER_PERIODS = 4;

/** A column of a profile, as the meter listed it. */
export interface Column {
  classId: number;
  /** Canonical: it was decoded from six octets, also when it was remembered in between. */
  instance: Obis;
  attributeId: number;
  dataIndex: number;
}

/** What a meter says about one of its profiles. */
export interface Layout {
  readonly columns: readonly Column[];
  readonly periodSeconds: number;
  /** Rows it holds when it is full; undefined: it did not say. */
  readonly entries?: number | undefined;
  /** Capture periods that it had before, newest first. */
  readonly formerPeriods?: readonly number[] | undefined;
}

/** Rows of a profile by columns; `values[k]` belongs to `columns[k]`, the clock is not among them. */
export interface ProfileAnswer {
  columns: readonly Column[];
  periodSeconds: number;
  /** Periods of rows that the meter may still hold. */
  formerPeriods: readonly number[];
  /** Rows that the buffer holds when it is full; undefined: the meter did not say. */
  entries: number | undefined;
  data: ProfileColumns;
}

/** As `learnLayout` wrote it. */
export const layoutOf = (device: MeterDevice, instance: Obis): Layout | undefined =>
  device.memory.get(`profile:${instance}`) as Layout | undefined; // as: written there only

/** The columns of a layout by what they are good for. */
interface Parts {
  /** Of the clock; negative: none. */
  clockColumn: number;
  values: readonly Column[];
  /** What has a scaler. */
  scaled: readonly ObjectRef[];
}

export const partsOf = oncePerMemory((_memory, { columns }: Layout): Parts => {
  const clockColumn = columns.findIndex((column) => column.classId === CLOCK_CLASS && column.attributeId === 2);
  return {
    clockColumn,
    values: columns.filter((_, index) => index !== clockColumn),
    scaled: columns.filter((column) => SCALED_CLASSES.has(column.classId)),
  };
});

/** When its capture list was last compared with the meter's. */
export const checkedKeyOf = (instance: Obis): string => `checked:${instance}`;

export const isTrusted = (device: MeterDevice, { instance, now }: { instance: Obis; now: number }): boolean =>
  now - (device.marks[checkedKeyOf(instance)] ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;

export const sameColumns = (a: readonly Column[], b: readonly Column[]): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Learnt {
  layout: Layout;
  /** What is not as it was, as lines of an event. */
  changes: string[];
}

/**
 * Asks for capture list, period, depth and all scalers of a profile, in one go where the columns are known already. When something has
 * changed, nothing else that was learnt from the meter is trusted any more.
 */
export async function learnLayout(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  { instance, now, name }: { instance: Obis; now: number; name: string },
): Promise<Outcome<Learnt>> {
  const profile: ObjectRef = { classId: profileGeneric.id, instance };
  const known = layoutOf(device, instance);
  const scalers = known === undefined ? [] : scalerRefs(partsOf(device.memory, known).scaled);
  const { captureObjects, capturePeriod, profileEntries } = profileGeneric.attributes;
  const own = [captureObjects, capturePeriod, profileEntries].map(({ id }) => ({ ...profile, attributeId: id }));
  const read = await link.getList([...own, ...scalers.map(({ ref }) => ref)]);
  if (!read.ok) return read;
  const [list, period, held, ...scalings] = read.value;
  if (list === undefined || !list.ok) return list ?? failed('BAD_ANSWER');
  try {
    const columns = decode(captureObjects.codec, list.value);
    const periodSeconds = period?.ok === true ? decode(capturePeriod.codec, period.value) : 0;
    const entries = held?.ok === true ? decode(profileEntries.codec, held.value) : undefined;
    const changes = known === undefined ? [] : differenceOf(name, known, { columns, periodSeconds });
    changes.push(...scalers.flatMap(({ object }, index) => takeScaler(device, devices, { object, read: scalings[index], now })));
    if (changes.length > 0) devices.distrust(device);
    const layout: Layout = { columns, periodSeconds, entries, ...formerOf(known, periodSeconds) };
    const missing = await learnScalers(link, device, devices, { objects: partsOf(device.memory, layout).scaled, now });
    if (!missing.ok) return missing;
    devices.remember(device, `profile:${instance}`, layout);
    devices.mark(device, checkedKeyOf(instance), now);
    return ok({ layout, changes: [...changes, ...missing.value] });
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
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
