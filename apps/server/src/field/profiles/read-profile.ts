import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { changeLine, FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { decodeProfileBuffer, type ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { isCapturePeriod } from '#storage/grids.ts';
import type { Anchor } from '../anchor-queries.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import { decoded, decodedBy } from '../decoded.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import { findDifferences, doubtsOf, powerOfTen, rowOfAnchor, type Difference, type Doubt } from './doubts.ts';
import { inPresentScale, mayBeOfFormerScale, rowsIn, findUndetectedRescalings } from './former-scale.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import {
  checkedKeyOf,
  isTrusted,
  layoutOf,
  refreshLayout,
  partsOf,
  sameColumns,
  type Layout,
  type ProfileAnswer,
} from './profile-layout.ts';
import { rangesOf, timeSelection } from '../quirks.ts';
import { missingScalers, rememberFormerScaling } from './scalers.ts';
import { joinAnswers, rowOctetsOf, rowSizeOf } from './split-answers.ts';
import { readStanding, withStanding, type Standing } from './standing-registers.ts';
import type { MeterWork } from '../operations/with-meter.ts';

/** Tolerance of rows outside the requested range: some meters return an earlier row, and the clock changes by an hour twice a year. */
const RANGE_TOLERANCE_MS = 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum distance of the anchor before the requested range: reading a few more rows is cheaper than another round trip. */
const ANCHOR_REACH_MS: Record<CountedProfile, number> = {
  lpa: 4 * HOUR_MS,
  lpb: 4 * HOUR_MS,
  energy: 4 * HOUR_MS,
  daily: 3 * DAY_MS,
  monthly: 62 * DAY_MS,
};

export interface ProfileQuery {
  profile: CountedProfile;
  instance: Obis;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** Deviation for the selection, and for timestamps without one. Minutes. */
  deviationMinutes: number;
  now: number;
  /** The newest row of the part before this one, which may not be stored yet. */
  before?: Anchor | undefined;
}

/**
 * Reads rows of a profile together with the newest stored row, the anchor, and checks the metadata that decodes them: see decision 98. In
 * doubt metadata is read again after the rows, because a meter may change between two requests, and after a change the rows, too.
 */
export async function readProfile(tools: OperationTools, meter: MeterWork, query: ProfileQuery): Promise<Outcome<ProfileAnswer>> {
  const { device } = meter;
  const from = query.from - ANCHOR_REACH_MS[query.profile];
  const { before } = query;
  const anchor =
    before !== undefined && before.at >= from
      ? before
      : await tools.anchors.load({ meterId: device.id, profile: query.profile, from, to: query.to });
  const known = layoutOf(device, query.instance);
  const needsLayout =
    known === undefined || !isTrusted(device, query) || missingScalers(device.metadata, partsOf(device.metadata, known).scaled).size > 0;
  const reading: Reading = { tools, meter, query, anchor };
  const first = needsLayout ? await readLayout(reading) : ok({ layout: known });
  if (!first.ok) return first;
  const read = await readRows(reading, first.value.layout);
  if (!read.ok && read.reason !== 'BAD_ANSWER') return read;
  const doubts = read.ok ? doubtsIn(reading, read.value, first.value.layout) : [];
  if (read.ok && doubts.length === 0) return acceptRows(reading, read, first.value.layout);
  const refreshed = await readLayout(reading);
  if (!refreshed.ok) return refreshed;
  const { layout, hasChanged } = refreshed.value;
  const answer = hasChanged ? await readRows(reading, layout) : read;
  if (!answer.ok || !doubts.includes('unvouched')) return acceptRows(reading, answer, layout);
  const standing = await readStanding(meter.link, device, { profile: query.profile, answer: answer.value });
  return acceptRows(reading, answer, layout, standing);
}

/** Context of one read. */
interface Reading {
  tools: OperationTools;
  meter: MeterWork;
  query: ProfileQuery;
  anchor: Anchor | undefined;
}

/** Reads the layout of the profile and raises an event about changes. */
async function readLayout({ tools, meter, query }: Reading): Promise<Outcome<{ layout: Layout; hasChanged: boolean }>> {
  const { link, device, dcuId, traceId } = meter;
  const refreshed = await refreshLayout(link, device, tools.devices, { instance: query.instance, now: query.now, name: query.profile });
  if (!refreshed.ok) return refreshed;
  const { layout, changes } = refreshed.value;
  if (changes.length > 0)
    meter.storing(tools.fieldEvents.raise({ device, dcuId, traceId, code: FIELD_EVENT.meterChanged, lines: changes }));
  return ok({ layout, hasChanged: changes.length > 0 });
}

const BUFFER_OCTETS = 64;

/** Estimated size of a response, which limits the duration of its read. */
function expectedOctets(layout: Layout, { profile, from, to }: ProfileQuery): number {
  const rowMs = isFreeze(profile) ? DAY_MS : Math.max(60, layout.periodSeconds) * 1000;
  return BUFFER_OCTETS + Math.ceil((to - from) / rowMs + 1) * rowOctetsOf(layout);
}

/** Reads all rows from the anchor on. */
async function readRows({ meter, query, anchor }: Reading, layout: Layout): Promise<Outcome<ProfileAnswer>> {
  const { device, link } = meter;
  const from = Math.min(query.from, anchor?.at ?? query.from);
  const buffer = attributeRef({ cosemClass: profileGeneric, instance: query.instance }, 'buffer');
  let answers: [ProfileAnswer, ...ProfileAnswer[]] | undefined;
  for (const range of rangesOf(device, { from, to: query.to }, rowSizeOf(device, layout, query.profile))) {
    const asked = { ...query, ...range };
    const read = await link.get(buffer, timeSelection(device, range, query.deviationMinutes), { octets: expectedOctets(layout, asked) });
    if (!read.ok) return read;
    const answer = columnsIn(device, read.value, layout, asked);
    if (!answer.ok) return answer;
    answers = answers === undefined ? [answer.value] : [...answers, answer.value];
  }
  return answers === undefined ? failed('NO_DATA') : ok(joinAnswers(answers));
}

/** The newest row of a response, as the anchor of the next part of the range. */
export function newestRow({ profile }: Pick<ProfileQuery, 'profile'>, device: MeterDevice, answer: ProfileAnswer): Anchor | undefined {
  const { stamps, values } = rowsIn({ profile }, device, answer);
  let row = -1;
  stamps.forEach((stamp, index) => (row = stamp > (stamps[row] ?? 0) ? index : row));
  if (row < 0) return undefined;
  const periodMs = isFreeze(profile) ? DAY_MS : answer.periodSeconds * 1000;
  const valueIn = (column: Float64Array | undefined): number | null => {
    const value = column?.[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  };
  return { at: stamps[row] ?? 0, periodMs, values: values.map(valueIn) };
}

function doubtsIn({ meter, query, anchor }: Reading, answer: ProfileAnswer, layout: Layout): Doubt[] {
  const rows = rowsIn(query, meter.device, answer);
  const until = Math.min(query.to, query.now);
  return doubtsOf(rows, { anchor, isFreeze: isFreeze(query.profile), periodMs: layout.periodSeconds * 1000, until });
}

/**
 * Returns the requested rows in the present scale, also those captured before a scaler changed. When the anchor still differs, its row is
 * returned as well: the value of the meter replaces the stored one as a correction, and an event reports it.
 */
function acceptRows(
  reading: Reading,
  read: Outcome<ProfileAnswer>,
  layout: Layout,
  standing: Standing = new Map(),
): Outcome<ProfileAnswer> {
  if (!read.ok) return read;
  const { tools, meter, query, anchor } = reading;
  const { device, dcuId, traceId } = meter;
  const { periodSeconds } = layout;
  if (!isFreeze(query.profile) && periodSeconds !== 0 && !isCapturePeriod(periodSeconds)) {
    const lines = [stateLine('period', query.profile, `${periodSeconds} s`)];
    meter.storing(tools.fieldEvents.raiseHourly({ device, dcuId, traceId, code: FIELD_EVENT.periodWithoutSlots, lines }));
    return failed('TYPE_MISMATCH', `A capture period of ${periodSeconds} s does not divide a day`);
  }
  const presentRows = rowsIn(query, device, read.value);
  const asked = { ...query, rows: withStanding(presentRows, standing, query.now), anchor };
  const scaled = inPresentScale(device, read.value, asked);
  if (!scaled.ok) return scaled;
  const rows = scaled.value === read.value ? presentRows : rowsIn(query, device, scaled.value);
  for (const { object, power } of findUndetectedRescalings(device, read.value, asked))
    rememberFormerScaling(device, tools.devices, { object, power, now: meter.now });
  const row = anchor === undefined ? -1 : rowOfAnchor(rows, anchor);
  const found = anchor === undefined || row < 0 ? [] : findDifferences(rows, row, anchor);
  // A difference by one power of ten is that of a scaler, and the stored row is right.
  const isCorrection = found.length > 0 && powerOfTen(found) === undefined;
  // Rows without time are dropped when they are stored.
  if (!isCorrection || anchor === undefined) return ok(withRows(scaled.value, (stamp) => !(stamp < query.from)));
  const lines = linesOf(query, found, anchor);
  meter.storing(tools.fieldEvents.raise({ device, dcuId, traceId, code: FIELD_EVENT.storedDiffers, lines }));
  return scaled;
}

function linesOf({ profile }: ProfileQuery, found: readonly Difference[], anchor: Anchor): string[] {
  const names = isFreeze(profile) ? DAILY_REGISTERS : CHANNELS;
  // Without colons, because a colon ends the subject of a line.
  const subject = `${profile} ${new Date(anchor.at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  return found.map(({ index, before, after }) => changeLine('value', subject, `${names[index]?.column ?? index} ${before}`, String(after)));
}

/** A copy of the response with the selected rows. */
function withRows(answer: ProfileAnswer, isKept: (stamp: number, row: number) => boolean): ProfileAnswer {
  const { data } = answer;
  if (data.clock.every(isKept)) return answer;
  const kept = [...data.clock.keys()].filter((row) => isKept(data.clock[row] ?? Number.NaN, row));
  const pick = (column: Float64Array) => pickRows(column, kept);
  const trimmed = {
    rows: kept.length,
    clock: pick(data.clock),
    clockStatus: Uint8Array.from(kept, (row) => data.clockStatus[row] ?? 0),
    values: data.values.map(pick),
    inferred: data.inferred,
  };
  return { ...answer, data: trimmed };
}

/** A loop, because `Float64Array.from` with a mapping takes more than ten times as long, for each of a dozen columns. */
function pickRows(column: Float64Array, rows: readonly number[]): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = column[rows[at] ?? -1] ?? Number.NaN;
  return picked;
}

/** Pushed rows of a profile. */
export interface PushedRows extends ProfileQuery {
  /** One encoded Data. */
  octets: Uint8Array;
  /** One encoded Data with the capture list; undefined: not pushed. */
  captureObjects: Uint8Array | undefined;
  anchor: Anchor | undefined;
}

/**
 * Decodes pushed rows. They are accepted only with a capture list that was checked within a day or is pushed along, with known scalers, and
 * when they continue the stored rows plausibly; other rows are read when they are due.
 */
export function readPushedRows(device: MeterDevice, devices: Devices, pushed: PushedRows): Outcome<ProfileAnswer> {
  const { instance, octets, captureObjects, now, anchor, profile } = pushed;
  const known = layoutOf(device, instance);
  if (known === undefined) return failed('TYPE_MISMATCH', 'The capture list was never read');
  if (missingScalers(device.metadata, partsOf(device.metadata, known).scaled).size > 0)
    return failed('TYPE_MISMATCH', 'A scaler is not known');
  if (!isFreeze(profile) && known.periodSeconds !== 0 && !isCapturePeriod(known.periodSeconds))
    return failed('TYPE_MISMATCH', 'The capture period does not divide a day');
  if (captureObjects !== undefined) {
    const columns = decoded(profileGeneric.attributes.captureObjects.codec, captureObjects);
    if (!columns.ok) return columns;
    if (!sameColumns(columns.value, known.columns)) return failed('TYPE_MISMATCH', 'The capture list has changed');
    devices.setWatermark(device, checkedKeyOf(instance), now);
  } else if (!isTrusted(device, pushed)) return failed('TYPE_MISMATCH', 'The capture list was not read within a day');
  const answer = columnsIn(device, octets, known, pushed);
  if (!answer.ok) return answer;
  if (mayBeOfFormerScale(profile, device, answer.value)) return failed('SCALE_UNKNOWN', 'Captured before its scaler changed');
  const rows = rowsIn(pushed, device, answer.value);
  const doubts = doubtsOf(rows, { anchor, isFreeze: isFreeze(profile), periodMs: known.periodSeconds * 1000, until: now });
  return doubts.some((doubt) => doubt === 'differs' || doubt === 'leaps')
    ? failed('TYPE_MISMATCH', 'The rows do not continue the stored ones')
    : answer;
}

/** Whether a row is outside the requested range; rows without time are ignored. */
function isOutOfRange({ clock }: ProfileColumns, { from, to }: ProfileQuery): boolean {
  for (let row = 0; row < clock.length; row++) {
    const stamp = clock[row] ?? Number.NaN;
    if (stamp < from - RANGE_TOLERANCE_MS || stamp > to + RANGE_TOLERANCE_MS) return true;
  }
  return false;
}

function columnsIn(device: MeterDevice, octets: Uint8Array, layout: Layout, query: ProfileQuery): Outcome<ProfileAnswer> {
  const { clockColumn, values } = partsOf(device.metadata, layout);
  if (clockColumn < 0) return failed('TYPE_MISMATCH', 'The profile captures no clock');
  const { periodSeconds, entries, formerPeriods = [] } = layout;
  const shape = {
    columns: layout.columns.length,
    clockColumn,
    capturePeriodSeconds: periodSeconds,
    assumedDeviationMinutes: query.deviationMinutes,
  };
  const buffer = decodedBy(() => decodeProfileBuffer(octets, shape));
  if (!buffer.ok) return buffer;
  const { value: data } = buffer;
  if (isOutOfRange(data, query)) return failed('CLOCK_INVALID', 'The response contains rows outside the requested range');
  return ok({ columns: values, periodSeconds, formerPeriods, entries, data });
}
