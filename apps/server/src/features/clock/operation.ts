import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { clockClassOf, needsConfirmation, type ClockMethod } from '@hes/contract/states/clock.ts';
import type { ItemResult, ClockResult } from '@hes/contract/orders/results.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { findClockLimits, storeClock, type ClockLimits } from './store.ts';
import { describeClock, MAX_SHIFT_S, readClock, setClock, shiftClock, type ClockReading } from './read-clock.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const DEFAULT_METER_SET_TRIES = 2;

type Session = Parameters<typeof readClock>[0];
type Found = ClockReading & { raw: Parameters<typeof setClock>[1] };

const sessionOf = (tools: OperationTools, { link, now }: DeviceWork): Session => ({
  link,
  now: () => tools.ctx.clock.now(),
  deviationMinutes: tools.zone.deviationMinutes(now),
});

async function storeReading(
  tools: OperationTools,
  { device, traceId }: DeviceWork,
  reading: ClockReading,
  method: ClockMethod | null,
): Promise<void> {
  await storeClock(tools.ctx.pool, { deviceKind: device.kind, deviceId: device.id, reading, method, traceId });
}

const resultOf = (reading: ClockReading, method: ClockMethod | null, beforeMs: number | null): ClockResult => ({
  deviceTime: reading.deviceTime,
  deviationMs: reading.deviationMs,
  roundTripMs: reading.roundTripMs,
  status: reading.status,
  method,
  beforeMs,
});

/** Reads time, zone, status and base of a clock. */
const clockRead = (tools: OperationTools, item: WorkItem<'clock_read'>): Promise<WorkReport> =>
  withDevice(tools, item, async (work) => {
    const found = await readAndStore(tools, work);
    return found.ok ? ok({ clock: resultOf(found.value, null, null) }) : found;
  });

/**
 * Fails with CLOCK_INVALID when the deviation is so large that a correction would shift the timestamps of profiles, because
 * existing rows then have other times. Fails also when the reading fails.
 */
export async function proveClock(tools: OperationTools, work: DeviceWork): Promise<Outcome<void>> {
  const found = await readAndStore(tools, work);
  if (!found.ok) return found;
  const { deviationMs, status, deviceTime } = found.value;
  const isWrong = needsConfirmation(clockClassOf(deviationMs, status, await findClockLimits(tools.ctx.pool)));
  return isWrong ? failed('CLOCK_INVALID', deviceTime) : ok(undefined);
}

/** Reads a clock and stores the reading. */
async function readAndStore(tools: OperationTools, work: DeviceWork): Promise<Outcome<Found>> {
  const found = await readAll(tools, work);
  if (found.ok) await storeReading(tools, work, found.value, null);
  return found;
}

async function readAll(tools: OperationTools, work: DeviceWork): Promise<Outcome<Found>> {
  const read = await readClock(sessionOf(tools, work));
  if (!read.ok) return read;
  const more = await describeClock(work.link);
  if (!more.ok) return more;
  const { status, ...rest } = more.value;
  // The status in the time attribute belongs to exactly this reading and has precedence.
  return ok({ ...read.value, ...rest, zoneMinutes: rest.zoneMinutes ?? read.value.zoneMinutes, status: read.value.status ?? status });
}

/**
 * Corrects a clock and confirms it by read-back. Reads it first each time, so a command whose response was lost is not repeated
 * blindly.
 */
async function clockSync(tools: OperationTools, item: WorkItem<'clock_sync'>): Promise<WorkReport> {
  const limits = await findClockLimits(tools.ctx.pool);
  const report = await withDevice(tools, item, (work) => synchroniseClock(tools, item, work, limits));
  return { ...report, logged: report.outcome.ok ? { ...report.outcome.value.clock } : {} };
}

type Synchronization = WorkItem<'clock_sync' | 'clock_broadcast'>;

async function synchroniseClock(
  tools: OperationTools,
  { params }: Synchronization,
  work: DeviceWork,
  limits: ClockLimits,
): Promise<Outcome<ItemResult>> {
  const session = sessionOf(tools, work);
  const before = await readAndStore(tools, work);
  if (!before.ok) return before;
  const { deviationMs, status } = before.value;
  const found = clockClassOf(deviationMs, status, limits);
  if (found === 'fine') return ok({ clock: resultOf(before.value, null, deviationMs) });
  if (needsConfirmation(found) && !params.isConfirmed)
    return failed('CLOCK_CONFIRM', deviationMs === null ? before.value.deviceTime : `${Math.round(deviationMs / 1000)} s`);
  const method = methodFor(params.method, deviationMs, limits);
  let last: Outcome<Found> = before;
  for (let tries = 0; tries < DEFAULT_METER_SET_TRIES; tries++) {
    const sent = await sendCorrection(session, last.value, method);
    if (!sent.ok) return sent;
    last = await readClock(session);
    if (!last.ok) return last;
    const after = { ...before.value, ...last.value, clockBase: before.value.clockBase, hasDaylightSaving: before.value.hasDaylightSaving };
    const isProved = last.value.deviationMs !== null && Math.abs(last.value.deviationMs) <= limits.clockFineS * 1000;
    await storeReading(tools, work, after, isProved ? method : null);
    if (isProved) return ok({ clock: resultOf(after, method, deviationMs) });
  }
  return failed('CLOCK_NOT_SET', last.ok && last.value.deviationMs !== null ? `${last.value.deviationMs} ms` : undefined);
}

/** Shifting keeps the order of timestamps but is limited; larger deviations are set. */
function methodFor(asked: 'auto' | 'shift' | 'set', deviationMs: number | null, limits: ClockLimits): 'shift' | 'set' {
  if (deviationMs === null || asked === 'set') return 'set';
  const seconds = Math.abs(deviationMs) / 1000;
  if (asked === 'shift') return seconds <= MAX_SHIFT_S ? 'shift' : 'set';
  return seconds <= Math.min(limits.clockAdjustS, MAX_SHIFT_S) ? 'shift' : 'set';
}

function sendCorrection(session: Session, found: Found, method: 'shift' | 'set'): Promise<Outcome<void>> {
  if (method === 'set' || found.deviationMs === null) return setClock(session, found.raw, found.roundTripMs);
  return shiftClock(session.link, -Math.round(found.deviationMs / 1000));
}

/** Sets the DCU's clock first, then broadcasts its time to the meters. The next reading of each meter shows the result. */
async function clockBroadcast(tools: OperationTools, item: WorkItem<'clock_broadcast'>): Promise<WorkReport> {
  const limits = await findClockLimits(tools.ctx.pool);
  const report = await withDevice(tools, item, async (work) => {
    const own = await synchroniseClock(tools, item, work, limits);
    if (!own.ok) return own;
    const { clock_broadcast: broadcast } = await partsOfDcu(tools, work);
    if (broadcast === undefined) return lacks('clock_broadcast');
    const sent = await broadcast();
    if (!sent.ok) return sent;
    return own.value.clock === undefined ? own : ok({ clock: { ...own.value.clock, method: 'broadcast' as const } });
  });
  return { ...report, logged: report.outcome.ok ? { ...report.outcome.value.clock } : {} };
}

export const clockOperations = (tools: OperationTools): Pick<Operations, 'clock_read' | 'clock_sync' | 'clock_broadcast'> => ({
  clock_read: (item) => clockRead(tools, item),
  clock_sync: (item) => clockSync(tools, item),
  clock_broadcast: (item) => clockBroadcast(tools, item),
});
