import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { isFreeze } from '@hes/contract/reading/reading.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { dayNumberOf, type Zone } from '@hes/contract/schedule/zone.ts';
import { depthKeyOf } from '#storage/buffer-depth.ts';
import {
  findOpenGaps,
  recordAttempt,
  markRefilled,
  NO_ATTEMPT_REASONS,
  nextTryAfter,
  closeFilledGaps,
  type OpenGap,
} from '#storage/gaps.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import type { MeterDevice } from '#field/devices.ts';
import { proveClock } from '#features/clock/port.ts';
import type { DcuCaches } from '#field/profiles/dcu-caches.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { collectRange } from '#field/profiles/profiles.ts';
import { withMeter } from '#field/operations/with-meter.ts';

const DAY_MS = 86_400_000;
/** Local hour with the least traffic on the channel. */
const NIGHT_HOUR = 2;
/** Failures before a request was sent: they count as no attempt for the gap. */
const NOT_TRIED: ReadonlySet<ReasonCode> = new Set(NO_ATTEMPT_REASONS);

/** The range of an order in epoch milliseconds, from the local days that it names. */
function orderOf({ params }: WorkItem<'refill'>, zone: Zone): { profile: string; from: number; until: number } | undefined {
  const { profile, from, to } = params;
  if (profile === undefined || from === undefined || to === undefined) return undefined;
  return { profile, from: zone.startOf(dayNumberOf(from)), until: zone.startOf(dayNumberOf(to) + 1) };
}

/**
 * Reads the missing slots of a meter, newest first. A requested slot that the meter does not have is marked as not existing, unless
 * its clock is wrong. Slots that could not be read are retried with back-off.
 */
export async function refillMeter(tools: OperationTools, item: WorkItem<'refill'>, caches: DcuCaches): Promise<WorkReport> {
  const { meterId } = item;
  if (meterId === null) return { outcome: failed('INTERNAL', 'A refill is about a meter'), traceId: undefined };
  const { pool } = tools.ctx;
  const all = await findOpenGaps(pool, meterId, orderOf(item, tools.zone));
  if (all.length === 0) return { outcome: ok({ rows: 0 }), traceId: undefined };
  const fromCache = item.params.source === 'cache' ? await takeFromCache(tools, item, all, caches) : undefined;
  const gaps = fromCache === undefined ? all : await findOpenGaps(pool, meterId, orderOf(item, tools.zone));
  if (gaps.length === 0) return { outcome: ok({ rows: fromCache?.rows ?? 0 }), traceId: fromCache?.traceId };
  const answered: OpenGap[] = [];
  const report = await withMeter(tools, item, async (meter): Promise<Outcome<ItemResult>> => {
    let rows = 0;
    for (const gap of gaps) {
      const range = { profile: gap.profile, from: gap.fromAt.getTime(), to: gap.toAt.getTime(), store: true };
      const read = await collectRange(tools, meter, range);
      if (!read.ok) return read;
      answered.push(gap);
      rows += read.value.rows;
    }
    const proved = rows > 0 ? ok(undefined) : await proveClock(tools, { ...meter, meter: meter.device });
    if (!proved.ok && proved.reason === 'CLOCK_INVALID') {
      // A meter with a wrong clock has its rows under other times, so an empty response proves nothing.
      answered.length = 0;
      return proved;
    }
    return ok({ rows: rows + (fromCache?.rows ?? 0) });
  });
  const settled = (report.stored ?? Promise.resolve()).then(() => recordTries(tools, meterId, { gaps, answered, outcome: report.outcome }));
  settled.catch(() => undefined);
  return { ...report, stored: settled };
}

interface FromCache {
  rows: number;
  traceId: string | undefined;
}

/** Stores the cached rows of the gaps, profile by profile; undefined when the DCU has none. */
async function takeFromCache(
  tools: OperationTools,
  item: WorkItem<'refill'>,
  gaps: readonly OpenGap[],
  caches: DcuCaches,
): Promise<FromCache | undefined> {
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  if (device === undefined) return undefined;
  let found: FromCache | undefined;
  for (const [profile, missing] of Map.groupBy(gaps, (gap) => gap.profile)) {
    const spans = missing.map(({ fromAt, toAt }) => ({ from: fromAt.getTime(), to: toAt.getTime() }));
    const from = Math.min(...spans.map((span) => span.from));
    const to = Math.max(...spans.map((span) => span.to));
    const isWanted = (at: number) => spans.some((span) => at >= span.from && at <= span.to);
    const taken = await caches.takeRows(tools, item, { device, profile, from, to, isWanted });
    if (taken === undefined) continue;
    await taken.store(false);
    await closeFilledGaps(tools.ctx.pool, profile, device.id);
    found = { rows: (found?.rows ?? 0) + taken.stamps.length, traceId: found?.traceId ?? taken.traceId };
  }
  return found;
}

interface Tried {
  gaps: OpenGap[];
  answered: OpenGap[];
  outcome: Outcome<ItemResult>;
}

/** The state of a gap that is still open after the meter was read: overwritten in its buffer, or not existing. */
function endOf(
  { profile, toAt }: OpenGap,
  device: MeterDevice | undefined,
  now: number,
): Pick<Parameters<typeof recordAttempt>[1], 'state' | 'reason'> {
  const depthSeconds = device?.metadata.get(depthKeyOf(profile));
  if (typeof depthSeconds === 'number' && toAt.getTime() < now - depthSeconds * 1000) return { state: 'lost', reason: 'BUFFER_PASSED' };
  // On the last day a slow clock may be the cause.
  return { state: toAt.getTime() < now - DAY_MS ? 'no_data' : 'open', reason: 'NO_DATA' };
}

async function recordTries(tools: OperationTools, meterId: string, { gaps, answered, outcome }: Tried): Promise<void> {
  const { pool, clock } = tools.ctx;
  const now = clock.now();
  const device = await tools.devices.loadMeter(meterId);
  for (const profile of new Set(answered.map((gap) => gap.profile))) await closeFilledGaps(pool, profile, meterId);
  const night = tools.zone.startOfHour(tools.zone.dayOf(now) + 1, NIGHT_HOUR);
  for (const gap of answered) {
    const { profile } = gap;
    if (isFreeze(profile)) await markRefilled(pool, meterId, { ...gap, profile });
    await recordAttempt(pool, { id: gap.id, ...endOf(gap, device, now), nextTryAt: nextTryAfter(gap.attempts + 1, now, night), now });
  }
  if (outcome.ok || NOT_TRIED.has(outcome.reason)) return;
  for (const gap of gaps) {
    if (answered.includes(gap)) continue;
    await recordAttempt(pool, {
      id: gap.id,
      reason: outcome.reason,
      state: 'open',
      nextTryAt: nextTryAfter(gap.attempts + 1, now, night),
      now,
    });
  }
}
