import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile, type ProfileName } from '@hes/contract/reading/reading.ts';
import type { WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { depthKeyOf, depthSecondsOf } from '#storage/buffer-depth.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { ProfileReading, Source } from '#storage/day-rows.ts';
import { isCapturePeriod } from '#storage/grids.ts';
import type { DailyRow } from '#storage/staging.ts';
import { type Places, USUAL_PLACES } from '../meter-places.ts';
import { cosemObjectOf } from '../typed-link.ts';
import type { Anchor } from '../anchor-queries.ts';
import type { MeterDevice } from '../devices.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import { channelsOf, dailyRowsOf, statusOf } from './quantities.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { newestRow, readProfile } from './read-profile.ts';
import type { MeterWork } from '../operations/with-meter.ts';

const DAY_MS = 86_400_000;

/** What a profile is called, and how many days of it one request asks for: what fits some blocks, so that little is lost when one is. */
const PROFILES: Record<CountedProfile, { key: WellKnownKey; daysPerRequest: number }> = {
  daily: { key: 'DAILY', daysPerRequest: 31 },
  monthly: { key: 'MONTHLY', daysPerRequest: 400 },
  energy: { key: 'ENERGY', daysPerRequest: 7 },
  lpa: { key: 'LPA', daysPerRequest: 2 },
  lpb: { key: 'LPB', daysPerRequest: 2 },
};

/** Where a profile stands: where the meter's model has it, else where it usually does. */
export const instanceOf = (profile: CountedProfile, places: Places = USUAL_PLACES): Obis =>
  cosemObjectOf(places, PROFILES[profile].key).instance;

/** The profile that stands there, if any. */
export const profileAt = (instance: Obis, places: Places): CountedProfile | undefined =>
  (Object.keys(PROFILES) as CountedProfile[]).find((profile) => instanceOf(profile, places) === instance); // as: keys() widens

export const isProfile = (name: unknown): name is CountedProfile => typeof name === 'string' && Object.hasOwn(PROFILES, name);

export interface Collected {
  rows: number;
  /** Stamp of the newest row; undefined when there was none. */
  newest: number | undefined;
}

export interface RangeOrder {
  profile: CountedProfile;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** Hand what arrives to the writer. */
  store: boolean;
  /** Told after every request that was answered: up to `to` everything there was has been read; `stored` is its commit. */
  onPart?(to: number, part: Collected, stored: Promise<unknown> | undefined): void;
}

/** The spans of a range that one request each asks for. */
export function partsOf(profile: CountedProfile, from: number, to: number): { from: number; to: number }[] {
  const partMs = PROFILES[profile].daysPerRequest * DAY_MS;
  const parts: { from: number; to: number }[] = [];
  for (let at = from; at <= to; at += partMs) parts.push({ from: at, to: Math.min(to, at + partMs - 1000) });
  return parts;
}

/** Reads a range of a profile in parts, oldest first, and hands each part to the writer as it arrives. */
export async function collectRange(tools: OperationTools, meter: MeterWork, order: RangeOrder): Promise<Outcome<Collected>> {
  const instance = instanceOf(order.profile, meter.device.places);
  const all: Collected = { rows: 0, newest: undefined };
  let before: Anchor | undefined;
  for (const { from, to } of partsOf(order.profile, order.from, order.to)) {
    const { profile } = order;
    const query = { profile, instance, from, to, deviationMinutes: tools.zone.deviationMinutes(from), now: meter.now, before };
    const answer = await readProfile(tools, meter, query);
    if (!answer.ok) return answer;
    rememberDepth(tools, meter, order.profile, answer.value);
    const part = partOf(answer.value);
    if (order.store) await tools.devices.kept(meter.device);
    const stored = order.store && part.rows > 0 ? storeRows(tools, meter, order.profile, answer.value) : undefined;
    if (stored !== undefined) meter.storing(stored);
    order.onPart?.(to, part, stored);
    before = newestRow(query, meter.device, answer.value);
    all.rows += part.rows;
    all.newest = part.newest ?? all.newest;
  }
  return ok(all);
}

/** For how long the meter holds what is missing of it. */
function rememberDepth(tools: OperationTools, { device }: MeterWork, profile: CountedProfile, answer: ProfileAnswer): void {
  const depth = depthSecondsOf(profile, answer);
  if (depth !== undefined && device.memory.get(depthKeyOf(profile)) !== depth) tools.devices.remember(device, depthKeyOf(profile), depth);
}

function partOf({ data }: ProfileAnswer): Collected {
  let newest: number | undefined;
  let rows = 0;
  // By index: an iterator makes an object of every number. Rows whose clock said nothing are no captures.
  for (let row = 0; row < data.clock.length; row++) {
    const stamp = data.clock[row] ?? Number.NaN;
    if (Number.isNaN(stamp)) continue;
    rows++;
    if (stamp > (newest ?? 0)) newest = stamp;
  }
  return { rows, newest };
}

/** Whose rows they are and how they came. */
export interface RowsOrigin {
  device: MeterDevice;
  dcuId: string;
  traceId: string;
  now: number;
  urgent: boolean;
  /** Undefined: the meter was asked. */
  source?: Source;
  /** The task that asked for them; undefined: the meter sent them without being asked. */
  taskId?: string | undefined;
}

/** Rows that do not lie on the grid of the present period belong to a former one that may still be in the buffer. */
const SUB_PERIODS_S = [1800, 900, 600, 300];
const MIN_ROWS_OF_A_PERIOD = 2;

/** The longest period whose grid holds all rows that any known or usual period explains; others were captured between two slots. */
export function gridPeriodOf(stamps: Float64Array, periodSeconds: number, formerPeriods: readonly number[]): number {
  const misses = [...stamps].filter((stamp) => stamp % (periodSeconds * 1000) !== 0 && !Number.isNaN(stamp));
  if (misses.length === 0) return periodSeconds;
  const fits = (period: number, count: number) =>
    periodSeconds % period === 0 && misses.filter((stamp) => stamp % (period * 1000) === 0).length >= count;
  const former = formerPeriods.filter(isCapturePeriod).toSorted((a, b) => b - a);
  return former.find((period) => fits(period, 1)) ?? SUB_PERIODS_S.find((period) => fits(period, MIN_ROWS_OF_A_PERIOD)) ?? periodSeconds;
}

/** What the meter does not say is said by its type. */
const periodOfType = (profile: ProfileName, { periodSeconds }: MeterDevice): number =>
  profile === 'energy' ? DEFAULT_PERIOD_S.energy : periodSeconds[profile];

/** Hands rows to the writer; resolves after the commit. They are copied before this returns. */
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
    periodSeconds: gridPeriodOf(answer.data.clock, answer.periodSeconds || periodOfType(profile, device), answer.formerPeriods),
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

/** A billing period that ends at midnight ends with that day's freeze; registers of another hour are no freeze. */
const isMidnight = ({ deviceTime, freezeDay }: DailyRow, zone: OperationTools['zone']): boolean =>
  deviceTime !== undefined && Date.parse(deviceTime) === zone.startOf(freezeDay);

/** The answer of an order for a range: nothing at all is a reason, not a success. */
export const rangeResult = (collected: Collected): Outcome<{ rows: number }> =>
  collected.rows === 0 ? failed('NO_DATA') : ok({ rows: collected.rows });
