import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { decodeProfileBuffer, type ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { oncePerMemory } from '../memory.ts';
import { learnScalers, missingScalers, type ObjectRef } from './scalers.ts';

const CLOCK_CLASS = 8;
/** A capture list that was not compared with the meter's for longer than this is asked for again. */
const TRUSTED_MS = 24 * 3_600_000;
const SCALED_CLASSES = new Set([3, 4, 5]);
/** Rows may lie so far beside what was asked for: some meters begin a row early, and an hour changes twice a year. */
const BESIDE_MS = 3_600_000;

/** A column of a profile, as the meter listed it. */
export interface Column {
  classId: number;
  /** Canonical: it was decoded from six octets, also when it was remembered in between. */
  instance: Obis;
  attributeId: number;
  dataIndex: number;
}

/** What a meter told about one of its profiles. */
interface Layout {
  readonly columns: readonly Column[];
  readonly periodSeconds: number;
  /** Rows it holds when it is full; undefined: it did not say. */
  readonly entries?: number | undefined;
}

export interface ProfileQuery {
  instance: Obis;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** Zone offset for the selection, and for stamps that do not say theirs. */
  deviationMinutes: number;
  now: number;
}

/** Rows of a profile by columns; `values[k]` belongs to `columns[k]`, the clock is not among them. */
export interface ProfileAnswer {
  columns: readonly Column[];
  periodSeconds: number;
  /** Rows that the buffer holds when it is full; undefined: the meter did not say. */
  entries: number | undefined;
  data: ProfileColumns;
}

/** As `learnLayout` wrote it. */
const layoutOf = (device: MeterDevice, instance: Obis): Layout | undefined =>
  device.memory.get(`profile:${instance}`) as Layout | undefined; // as: written there only

/** The columns of a layout by what they are good for. */
interface Parts {
  /** Of the clock; negative: none. */
  clockColumn: number;
  values: readonly Column[];
  /** What has a scaler. */
  scaled: readonly ObjectRef[];
}

const partsOf = oncePerMemory((_memory, { columns }: Layout): Parts => {
  const clockColumn = columns.findIndex((column) => column.classId === CLOCK_CLASS && column.attributeId === 2);
  return {
    clockColumn,
    values: columns.filter((_, index) => index !== clockColumn),
    scaled: columns.filter((column) => SCALED_CLASSES.has(column.classId)),
  };
});

/** When its capture list was last compared with the meter's. */
const checkedKeyOf = (instance: Obis): string => `checked:${instance}`;

const isTrusted = (device: MeterDevice, { instance, now }: ProfileQuery): boolean =>
  now - (device.marks[checkedKeyOf(instance)] ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;

const sameColumns = (a: readonly Column[], b: readonly Column[]): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Rows of a profile between two moments. The capture list is remembered, and never trusted blindly: it is asked for
 * again once a day, when rows have another width, and when the first row is missing, because a meter whose list is
 * changed begins its buffer anew. So no value is ever put under another quantity's name, nor at another time than it was
 * measured: rows of a time that nobody asked for were stamped by a wrong clock.
 */
export async function readProfile(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  query: ProfileQuery,
): Promise<Outcome<ProfileAnswer>> {
  const profile: ObjectRef = { classId: profileGeneric.id, instance: query.instance };
  const known = layoutOf(device, query.instance);
  const trusted = isTrusted(device, query) ? known : undefined;
  const layout = trusted !== undefined ? ok(trusted) : await learnLayout(link, device, devices, profile, query.now);
  if (!layout.ok) return layout;
  const scalers = await learnScalers(link, device, devices, partsOf(device.memory, layout.value).scaled);
  if (!scalers.ok) return scalers;
  const read = await link.get(
    { ...profile, attributeId: profileGeneric.attributes.buffer.id },
    rangeSelection({ from: fromEpochMs(query.from, query.deviationMinutes), to: fromEpochMs(query.to, query.deviationMinutes) }),
  );
  if (!read.ok) return read;
  const decoded = columnsIn(device, read.value, layout.value, query);
  if (trusted === undefined || (decoded.ok && !startsLate(decoded.value, layout.value, query))) return decoded;
  return checked(link, device, devices, { profile, octets: read.value, layout: layout.value, decoded }, query);
}

/** Rows that a meter sent unasked. */
export interface PushedRows extends ProfileQuery {
  /** One encoded Data. */
  octets: Uint8Array;
  /** The capture list, where it was sent along; one encoded Data. */
  captureObjects: Uint8Array | undefined;
}

/**
 * Rows of a profile that were sent and not asked for. Nobody can be asked about them, so they are only taken by a capture list that the
 * meter said within a day, or says with them, and with the scalers it told before; all others are left to be read.
 */
export function readPushedRows(device: MeterDevice, devices: Devices, pushed: PushedRows): Outcome<ProfileAnswer> {
  const { instance, octets, captureObjects, now } = pushed;
  const known = layoutOf(device, instance);
  if (known === undefined) return failed('TYPE_MISMATCH', 'Its capture list was never read');
  if (missingScalers(device.memory, partsOf(device.memory, known).scaled).size > 0) return failed('TYPE_MISMATCH', 'A scaler is not known');
  try {
    if (captureObjects !== undefined) {
      if (!sameColumns(decode(profileGeneric.attributes.captureObjects.codec, captureObjects), known.columns))
        return failed('TYPE_MISMATCH', 'Its capture list is another one than it was');
      devices.mark(device, checkedKeyOf(instance), now);
    } else if (!isTrusted(device, pushed)) return failed('TYPE_MISMATCH', 'Its capture list was not read for a day');
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
  return columnsIn(device, octets, known, pushed);
}

const startsLate = (answer: ProfileAnswer, layout: Layout, query: ProfileQuery): boolean => {
  const first = answer.data.clock[0];
  return first !== undefined && !(first < query.from + layout.periodSeconds * 1000);
};

interface Doubt {
  profile: ObjectRef;
  octets: Uint8Array;
  layout: Layout;
  decoded: Outcome<ProfileAnswer>;
}

/** Compares the remembered capture list with the meter's; reads the rows again with the new one if it has changed. */
async function checked(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  doubt: Doubt,
  query: ProfileQuery,
): Promise<Outcome<ProfileAnswer>> {
  const layout = await learnLayout(link, device, devices, doubt.profile, query.now);
  if (!layout.ok) return layout;
  if (sameColumns(layout.value.columns, doubt.layout.columns)) return doubt.decoded;
  const scalers = await learnScalers(link, device, devices, partsOf(device.memory, layout.value).scaled);
  return scalers.ok ? columnsIn(device, doubt.octets, layout.value, query) : scalers;
}

async function learnLayout(
  link: DeviceLink,
  device: MeterDevice,
  devices: Devices,
  profile: ObjectRef,
  now: number,
): Promise<Outcome<Layout>> {
  const { captureObjects, capturePeriod, profileEntries } = profileGeneric.attributes;
  const read = await link.getList([
    { ...profile, attributeId: captureObjects.id },
    { ...profile, attributeId: capturePeriod.id },
    { ...profile, attributeId: profileEntries.id },
  ]);
  if (!read.ok) return read;
  const [list, period, held] = read.value;
  if (list === undefined || !list.ok) return list ?? failed('BAD_ANSWER');
  try {
    const columns = decode(captureObjects.codec, list.value);
    const periodSeconds = period?.ok === true ? decode(capturePeriod.codec, period.value) : 0;
    const entries = held?.ok === true ? decode(profileEntries.codec, held.value) : undefined;
    const layout: Layout = { columns, periodSeconds, entries };
    devices.remember(device, `profile:${profile.instance}`, layout);
    devices.mark(device, checkedKeyOf(profile.instance), now);
    return ok(layout);
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

/** Rows without a time are not used anyway. */
function isBeside({ clock }: ProfileColumns, { from, to }: ProfileQuery): boolean {
  for (let row = 0; row < clock.length; row++) {
    const stamp = clock[row] ?? Number.NaN;
    if (stamp < from - BESIDE_MS || stamp > to + BESIDE_MS) return true;
  }
  return false;
}

function columnsIn(device: MeterDevice, octets: Uint8Array, layout: Layout, query: ProfileQuery): Outcome<ProfileAnswer> {
  const { clockColumn, values } = partsOf(device.memory, layout);
  if (clockColumn < 0) return failed('TYPE_MISMATCH', 'The profile captures no clock');
  const { periodSeconds, entries } = layout;
  const shape = {
    columns: layout.columns.length,
    clockColumn,
    capturePeriodSeconds: periodSeconds,
    assumedDeviationMinutes: query.deviationMinutes,
  };
  try {
    const data = decodeProfileBuffer(octets, shape);
    if (isBeside(data, query)) return failed('CLOCK_INVALID', 'Rows of a time that was not asked for');
    return ok({ columns: values, periodSeconds, entries, data });
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}
