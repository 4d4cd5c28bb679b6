import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile, type ProfileName } from '@hes/contract/reading/reading.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import type { WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { depthKeyOf, depthSecondsOf } from '#storage/buffer-depth.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { ProfileReading, Source } from '#storage/day-rows.ts';
import { isCapturePeriod } from '#storage/grids.ts';
import type { DailyRow } from '#storage/staging.ts';
import { type ObjectMap, STANDARD_OBJECTS } from '../object-map.ts';
import { cosemObjectOf } from '../cosem-object.ts';
import type { Anchor } from '../anchor-queries.ts';
import type { MeterDevice } from '../devices.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import { channelsOf, dailyRowsOf, statusOf } from './quantities.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { newestRow, readProfile } from './read-profile.ts';
import type { MeterWork } from '../operations/with-meter.ts';

const DAY_MS = 86_400_000;

/** Key of each profile, and the days of one request: a few blocks, so that a lost block costs little. */
const PROFILES: Record<CountedProfile, { key: WellKnownKey; daysPerRequest: number }> = {
  daily: { key: 'DAILY', daysPerRequest: 31 },
  monthly: { key: 'MONTHLY', daysPerRequest: 400 },
  energy: { key: 'ENERGY', daysPerRequest: 7 },
  lpa: { key: 'LPA', daysPerRequest: 2 },
  lpb: { key: 'LPB', daysPerRequest: 2 },
};

/** Logical name of a profile: that of the meter type, else the standard one. */
export const instanceOf = (profile: CountedProfile, objectMap: ObjectMap = STANDARD_OBJECTS): Obis =>
  cosemObjectOf(objectMap, PROFILES[profile].key).instance;

/** Profile with this logical name; undefined: none. */
export const profileAt = (instance: Obis, objectMap: ObjectMap): CountedProfile | undefined =>
  (Object.keys(PROFILES) as CountedProfile[]).find((profile) => instanceOf(profile, objectMap) === instance); // as: keys() widens

export interface Collected {
  rows: number;
  /** Time of the newest row, epoch milliseconds; undefined: no rows. */
  newest: number | undefined;
}

export interface RangeOrder {
  profile: CountedProfile;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** Whether the rows are stored. */
  store: boolean;
  /** Called after each answered request: all rows up to `to` have been read; `stored` resolves after their commit. */
  onPart?(to: number, part: Collected, stored: Promise<unknown> | undefined): void;
}

/** Splits a range into the ranges of single requests. */
export function partsOf(profile: CountedProfile, from: number, to: number): { from: number; to: number }[] {
  const partMs = PROFILES[profile].daysPerRequest * DAY_MS;
  const parts: { from: number; to: number }[] = [];
  for (let at = from; at <= to; at += partMs) parts.push({ from: at, to: Math.min(to, at + partMs - 1000) });
  return parts;
}

/** Reads a range of a profile in parts, oldest first, and passes each part to the writer at once. */
export async function collectRange(tools: OperationTools, meter: MeterWork, order: RangeOrder): Promise<Outcome<Collected>> {
  const instance = instanceOf(order.profile, meter.device.objectMap);
  const all: Collected = { rows: 0, newest: undefined };
  let before: Anchor | undefined;
  for (const { from, to } of partsOf(order.profile, order.from, order.to)) {
    const { profile } = order;
    const { metadataLosses } = meter.device;
    const query = { profile, instance, from, to, deviationMinutes: tools.zone.deviationMinutes(from), now: meter.now, before };
    const answer = await readProfile(tools, meter, query);
    if (!answer.ok) return answer;
    updateDepth(tools, meter, order.profile, answer.value);
    const part = partOf(answer.value);
    if (order.store) await tools.devices.flushMetadata(meter.device, metadataLosses);
    const stored = order.store && part.rows > 0 ? storeRows(tools, meter, order.profile, answer.value) : undefined;
    if (stored !== undefined) meter.storing(stored);
    order.onPart?.(to, part, stored);
    before = newestRow(query, meter.device, answer.value);
    all.rows += part.rows;
    all.newest = part.newest ?? all.newest;
  }
  return ok(all);
}

/** Caches the depth of the buffer in seconds, which decides whether a gap can still be read. */
function updateDepth(tools: OperationTools, { device }: MeterWork, profile: CountedProfile, answer: ProfileAnswer): void {
  const depth = depthSecondsOf(profile, answer);
  if (depth !== undefined && device.metadata.get(depthKeyOf(profile)) !== depth)
    tools.devices.setMetadata(device, depthKeyOf(profile), depth);
}

function partOf({ data }: ProfileAnswer): Collected {
  let newest: number | undefined;
  let rows = 0;
  // By index, because an iterator allocates an object per number. Rows without time are no captures.
  for (let row = 0; row < data.clock.length; row++) {
    const stamp = data.clock[row] ?? Number.NaN;
    if (Number.isNaN(stamp)) continue;
    rows++;
    if (stamp > (newest ?? 0)) newest = stamp;
  }
  return { rows, newest };
}

/** Device, source and circumstances of rows. */
export interface RowsOrigin {
  device: MeterDevice;
  dcuId: string;
  traceId: string;
  now: number;
  urgent: boolean;
  /** Default: read from the meter. */
  source?: Source;
  /** Task that requested the rows; undefined: pushed. */
  taskId?: string | undefined;
}

/** Candidate periods for rows off the grid of the present period, which were captured with a former one that is no longer known. */
const SUB_PERIODS_S = [3600, 1800, 900, 600, 300];
/** A capture after a change of the clock is on the grid of a short period by chance: that takes a second row. */
const SHORT_PERIOD_S = 600;

/**
 * The longest former or common period whose grid in local time contains rows off the present grid; the present period when no other one
 * fits. On the present grid, such a row would replace an earlier one.
 */
function gridPeriodOf(stamps: Float64Array, zone: Zone, periodSeconds: number, formerPeriods: readonly number[]): number {
  const isOn = (stamp: number, period: number) => (stamp + zone.offsetMs(stamp)) % (period * 1000) === 0;
  const misses = [...stamps].filter((stamp) => !Number.isNaN(stamp) && !isOn(stamp, periodSeconds));
  if (misses.length === 0) return periodSeconds;
  const fits = (period: number, count: number) =>
    periodSeconds % period === 0 && misses.filter((stamp) => isOn(stamp, period)).length >= count;
  const former = formerPeriods.filter(isCapturePeriod).toSorted((a, b) => b - a);
  return (
    former.find((period) => fits(period, 1)) ??
    SUB_PERIODS_S.find((period) => fits(period, period > SHORT_PERIOD_S ? 1 : 2)) ??
    periodSeconds
  );
}

/** Capture period of the meter type, for meters that do not return one. */
const periodOfType = (profile: ProfileName, { periodSeconds }: MeterDevice): number =>
  profile === 'energy' ? DEFAULT_PERIOD_S.energy : periodSeconds[profile];

/** Passes rows to the writer, which copies them before this function returns; resolves after the commit. */
export function storeRows(
  tools: Pick<OperationTools, 'writer' | 'zone'>,
  origin: RowsOrigin,
  profile: CountedProfile,
  answer: ProfileAnswer,
): Promise<unknown> {
  const { device, dcuId, traceId, now, urgent, source = 'meter', taskId } = origin;
  if (isFreeze(profile)) {
    const rows = dailyRowsOf(answer, device, { zone: tools.zone, dcuId, readAt: now, source, traceId, taskId });
    return tools.writer.storeDaily(profile === 'daily' ? rows : rows.filter((row) => isMidnight(row, tools.zone)), urgent);
  }
  const reading: ProfileReading = {
    meterId: device.id,
    dcuId,
    profile,
    periodSeconds: gridPeriodOf(answer.data.clock, tools.zone, answer.periodSeconds || periodOfType(profile, device), answer.formerPeriods),
    stamps: answer.data.clock,
    status: statusOf(answer, device),
    channels: channelsOf(answer, device),
    readAt: now,
    source,
    traceId,
    taskId,
  };
  return tools.writer.storeProfile(reading, urgent);
}

/** Only a billing period that ends at midnight is stored as a freeze. */
const isMidnight = ({ deviceTime, freezeDay }: DailyRow, zone: OperationTools['zone']): boolean =>
  deviceTime !== undefined && Date.parse(deviceTime) === zone.startOf(freezeDay);

/** Result of an order for a range, which fails with NO_DATA without rows. */
export const rangeResult = (collected: Collected): Outcome<{ rows: number }> =>
  collected.rows === 0 ? failed('NO_DATA') : ok({ rows: collected.rows });
