import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { Zone } from '#platform/zone.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { ItemResult, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { MeterDevice } from '../devices.ts';
import type { OperationTools } from './operation-tools.ts';
import { collectRange, isProfile, type CollectedProfile } from './profiles.ts';
import { withMeter, type MeterWork } from './with-meter.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LOOK_BACK_DAYS = 7;
const MAX_LOOK_BACK_DAYS = 60;
const LONGEST_MONTH_DAYS = 31;
/** A meter's clock may be behind ours: a capture is not expected before. */
const CLOCK_MARGIN_MS = 10_000;
const DEFAULT_PROFILES: CollectedProfile[] = ['daily', 'lpa'];

interface CollectOrder {
  profiles: CollectedProfile[];
  lookBackDays: number;
}

function orderOf(params: Record<string, unknown>): CollectOrder {
  const { profiles, lookBackDays } = params;
  const known = Array.isArray(profiles) ? profiles.filter(isProfile) : [];
  const days = typeof lookBackDays === 'number' ? Math.min(MAX_LOOK_BACK_DAYS, Math.max(1, lookBackDays)) : DEFAULT_LOOK_BACK_DAYS;
  return { profiles: known.length > 0 ? known : DEFAULT_PROFILES, lookBackDays: days };
}

const markOf = (profile: CollectedProfile): string => `through:${profile}`;

interface Gap {
  profile: CollectedProfile;
  from: number;
  to: number;
}

/** When the next capture after a stamp is expected. */
function nextAfter(profile: CollectedProfile, through: number, { periodSeconds }: Pick<MeterDevice, 'periodSeconds'>, zone: Zone): number {
  const day = zone.dayOf(through);
  switch (profile) {
    case 'daily':
      return zone.startOf(day + 1);
    case 'monthly':
      return zone.startOf(firstOfNextMonth(day));
    case 'lpa':
    case 'lpb':
      return through + 1000 * periodSeconds[profile];
    case 'energy':
      return through + 1000 * DEFAULT_PERIOD_S.energy;
  }
}

function firstOfNextMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
}

/**
 * What a meter has not been asked for yet. The mark says up to which stamp everything was read; it only moves when
 * collection has been there, so an operator's look at today never hides the week before.
 */
export function gapsOf(device: Pick<MeterDevice, 'memory' | 'periodSeconds'>, order: CollectOrder, now: number, zone: Zone): Gap[] {
  const today = zone.dayOf(now);
  const windowOf = (days: number) => zone.startOf(today - days + 1);
  const gaps: Gap[] = [];
  for (const profile of order.profiles) {
    const mark = device.memory.get(markOf(profile));
    const through = typeof mark === 'number' ? mark : 0;
    // A bill is there until the next one: whoever missed its day still finds it.
    const window = windowOf(profile === 'monthly' ? Math.max(LONGEST_MONTH_DAYS, order.lookBackDays) : order.lookBackDays);
    const from = Math.max(window, nextAfter(profile, through, device, zone));
    if (from + CLOCK_MARGIN_MS <= now) gaps.push({ profile, from, to: now });
  }
  return gaps;
}

/** Reads what is missing of a meter, all profiles in one association. Nothing missing: nothing is sent. */
export async function collect(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const order = orderOf(item.params);
  const device = item.meterId === null ? undefined : await tools.devices.meter(item.meterId);
  if (device !== undefined && gapsOf(device, order, tools.ctx.clock.now(), tools.zone).length === 0) {
    return { outcome: ok({ rows: 0 }), traceId: undefined };
  }
  return withMeter(tools, item, (meter) => collectGaps(tools, meter, order));
}

async function collectGaps(tools: OperationTools, meter: MeterWork, order: CollectOrder): Promise<Outcome<ItemResult>> {
  let rows = 0;
  for (const { profile, from, to } of gapsOf(meter.device, order, meter.now, tools.zone)) {
    let through: number | undefined;
    const onPart = (partTo: number, part: { newest: number | undefined }) => {
      // The last part may be ahead of the meter's clock: only what it gave counts as read.
      const reached = partTo < to ? partTo : part.newest;
      if (reached !== undefined && reached <= meter.now + DAY_MS) through = Math.max(through ?? 0, reached);
    };
    const stored: Promise<unknown>[] = [];
    const storing = (promise: Promise<unknown>) => {
      stored.push(promise);
      meter.storing(promise);
    };
    const collected = await collectRange(tools, { ...meter, storing }, { profile, from, to, store: true, onPart });
    markWhenStored(tools, meter.device, profile, through, stored);
    // A meter without this profile is not at fault: the other profiles are read all the same.
    if (!collected.ok && collected.reason === 'OBJECT_UNDEFINED') continue;
    if (!collected.ok) return collected;
    rows += collected.value.rows;
  }
  return ok({ rows });
}

/** The mark moves after the commit: what was read and not stored is read again. */
function markWhenStored(
  tools: OperationTools,
  device: MeterDevice,
  profile: CollectedProfile,
  through: number | undefined,
  stored: Promise<unknown>[],
): void {
  if (through === undefined) return;
  Promise.all(stored).then(
    () => tools.devices.remember(device, markOf(profile), through),
    // Told to the item by whoever waits for it.
    () => undefined,
  );
}
