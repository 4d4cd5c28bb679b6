import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { daysBackOf } from '@hes/contract/states/plan.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { allOf } from '#platform/all-of.ts';
import { monthEndFrom, type Zone } from '@hes/contract/schedule/zone.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { MeterDevice } from '#field/devices.ts';
import type { DcuCaches, Taken } from '#field/profiles/dcu-caches.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { collectRange, type Collected } from '#field/profiles/profiles.ts';
import { withMeter, type MeterWork } from '#field/operations/with-meter.ts';
import { advanceWhenStored, nextCapture, watermarkKey } from '#field/profiles/watermarks.ts';

const DAY_MS = 86_400_000;
const MAX_LOOK_BACK_DAYS = 60;
/** Tolerance for a meter's clock that is slow: a capture is not expected earlier. */
const CLOCK_MARGIN_MS = 10_000;

interface CollectOrder {
  /** Read the cache of the DCU first, and the meter for the rest. */
  fromCache: boolean;
  /** Epoch milliseconds until which the DCU's own task reads the meter: rows before it come from the cache only. Undefined: no limit. */
  cacheOnlyUntil: number | undefined;
  profiles: CountedProfile[];
  lookBackDays: number;
}

function orderOf({ params }: WorkItem<'collect'>): CollectOrder {
  const { profiles, lookBackDays, fromCache, cacheOnly, readUntil } = params;
  return {
    profiles,
    lookBackDays: Math.min(MAX_LOOK_BACK_DAYS, Math.max(1, lookBackDays)),
    fromCache,
    cacheOnlyUntil: cacheOnly ? (readUntil ?? Number.POSITIVE_INFINITY) : undefined,
  };
}

interface Gap {
  profile: CountedProfile;
  from: number;
  to: number;
}

/**
 * Ranges that collection has not read yet. Only collection advances the watermark, so an operator's reading of today never hides a
 * gap in the week before.
 */
export function gapsOf(device: Pick<MeterDevice, 'watermarks' | 'periodSeconds'>, order: CollectOrder, now: number, zone: Zone): Gap[] {
  const today = zone.dayOf(now);
  const windowOf = (days: number) => zone.startOf(today - days + 1);
  const gaps: Gap[] = [];
  for (const profile of order.profiles) {
    const through = device.watermarks[watermarkKey(profile)] ?? 0;
    const from = Math.max(windowOf(daysBackOf(profile, order.lookBackDays)), nextCapture(profile, through, device, zone));
    if (from + CLOCK_MARGIN_MS <= now) gaps.push({ profile, from, to: now });
  }
  return gaps;
}

/**
 * Reads the unread ranges of a meter, all profiles in one association. Sends nothing when there are none. Rows from the cache of
 * the DCU are not read from the meter again.
 */
export async function collectMeter(tools: OperationTools, item: WorkItem<'collect'>, caches: DcuCaches): Promise<WorkReport> {
  const order = orderOf(item);
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  if (device === undefined) return withMeter(tools, item, (meter) => collectGaps(tools, meter, []));
  const gaps = gapsOf(device, order, tools.ctx.clock.now(), tools.zone);
  const cached: Cached[] = [];
  if (order.fromCache) for (const gap of gaps) cached.push(await takeFromCache(tools, item, { device, gap, caches, order }));
  const left = order.fromCache ? cached.flatMap((taken) => taken.left) : gaps;
  const rows = cached.reduce((sum, taken) => sum + taken.rows, 0);
  const traceId = cached.find((taken) => taken.traceId !== undefined)?.traceId;
  const stored = allOf(cached.map((taken) => taken.stored));
  stored?.catch(() => undefined);
  if (left.length === 0) return { outcome: ok({ rows }), traceId, stored };
  if (order.cacheOnlyUntil !== undefined) return { outcome: failed('DCU_NOT_READ'), traceId, stored };
  const report = await withMeter(tools, item, (meter) => collectGaps(tools, meter, left));
  const outcome = report.outcome.ok ? ok({ rows: rows + (report.outcome.value.rows ?? 0) }) : report.outcome;
  return { ...report, outcome, stored: allOf([report.stored, stored]) };
}

interface Cached {
  rows: number;
  /** Ranges that the cache lacks, from the first missing row on. */
  left: Gap[];
  traceId: string | undefined;
  stored: Promise<unknown> | undefined;
}

interface CacheSearch {
  device: MeterDevice;
  gap: Gap;
  caches: DcuCaches;
  order: CollectOrder;
}

/** Stores the cached rows of a range and returns the rest of the range. */
async function takeFromCache(
  tools: OperationTools,
  item: WorkItem<'collect'>,
  { device, gap, caches, order }: CacheSearch,
): Promise<Cached> {
  const { profile, from, to } = gap;
  const until = Math.min(to, order.cacheOnlyUntil ?? to);
  const taken = await caches.takeRows(tools, item, { device, profile, from, to });
  if (taken === undefined) return { rows: 0, left: from > until ? [] : [gap], traceId: undefined, stored: undefined };
  const { through, next } = reachedBy(taken, gap, tools.zone);
  const stored = taken.store(item.priority <= LAST_OPERATOR_PRIORITY);
  if (through !== undefined) advanceWhenStored(tools, device, profile, through, [stored]);
  stored.catch(() => undefined);
  return {
    rows: taken.stamps.length,
    left: next + CLOCK_MARGIN_MS > until ? [] : [{ ...gap, from: next }],
    traceId: taken.traceId,
    stored,
  };
}

/** The end of the contiguous rows, and the due time of the row after them. */
export function reachedBy(
  { stamps, periodSeconds }: Pick<Taken, 'stamps' | 'periodSeconds'>,
  { profile, from }: Gap,
  zone: Zone,
): { through: number | undefined; next: number } {
  let through: number | undefined;
  let next = profile === 'monthly' ? monthEndFrom(from, zone) : from;
  for (const stamp of stamps) {
    const isNext = isFreeze(profile) ? stamp === next : stamp - next < periodSeconds * 1000;
    if (!isNext) break;
    through = stamp;
    next = afterRow(profile, stamp, periodSeconds, zone);
  }
  return { through, next };
}

function afterRow(profile: CountedProfile, stamp: number, periodSeconds: number, zone: Zone): number {
  if (profile === 'monthly') return monthEndFrom(stamp + 1, zone);
  return profile === 'daily' ? zone.startOf(zone.dayOf(stamp) + 1) : stamp + periodSeconds * 1000;
}

async function collectGaps(tools: OperationTools, meter: MeterWork, gaps: readonly Gap[]): Promise<Outcome<ItemResult>> {
  let rows = 0;
  let unscaled: Outcome<never> | undefined;
  for (const { profile, from, to } of gaps) {
    let through: number | undefined;
    const commits: Promise<unknown>[] = [];
    const onPart = (_to: number, { newest }: Pick<Collected, 'newest'>, stored: Promise<unknown> | undefined) => {
      if (stored !== undefined) commits.push(stored);
      // A part counts as read up to its newest row, and one without rows proves nothing: our clock may be ahead of that of the meter by parts.
      if (newest === undefined) return;
      if (newest <= meter.now + DAY_MS) through = Math.max(through ?? 0, newest);
    };
    const collected = await collectRange(tools, meter, { profile, from, to, store: true, onPart });
    advanceWhenStored(tools, meter.device, profile, through, commits);
    // A meter without this profile is not an error: the other profiles are read as well.
    if (!collected.ok && collected.reason === 'OBJECT_UNDEFINED') continue;
    // An unknown scaler of one profile does not affect the others.
    if (!collected.ok && collected.reason === 'SCALE_UNKNOWN') unscaled ??= collected;
    else if (!collected.ok) return collected;
    else rows += collected.value.rows;
  }
  return unscaled ?? ok({ rows });
}
