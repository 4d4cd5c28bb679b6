import { failed, ok, REASONS, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { UPGRADE_ENDS, UPGRADE_NEXT, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { msFromNow, msUntil } from '#platform/clock.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { Device } from '#field/devices.ts';
import type { EndpointSession } from '#field/endpoint-session.ts';
import { Trace } from '#field/trace.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';
import { publishUpgrade } from './publish.ts';
import { runBroadcast } from './broadcast.ts';
import { batchUrgentCounts, yieldToUrgent } from './yield-to-urgent.ts';
import { yieldDelay, rescheduleIn, DONE, MAX_CONSECUTIVE_FAILURES, pollDelay, backOffDelay } from './pace.ts';
import { findWork, goTo, saveProgress, saveTrace, Superseded, type UpgradeWork } from './record-queries.ts';
import { STEPS, UPDATE_TIMEOUT_MS, type Next, type Turn } from './steps.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import { isOpen } from './window.ts';
import { findImage, ImageWire } from './wire.ts';

/** The device has received the activation request: its update is followed to the end even if the upgrade stops. */
const AFTER_ORDER: readonly UpgradeState[] = ['wait_update', 'updating', 'update_success'];

/** Runs one turn of one device. Every transition is stored in its record, so any server can continue after a crash. */
async function advanceRecord(tools: UpgradeTools, item: WorkItem, work: UpgradeWork): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { onHoldMs, outsideWindowMs, sleepingMs } = tools.upgradePace;
  const publish = () => publishUpgrade(tools.ctx, work.jobId, [work.id]);
  try {
    const now = clock.now();
    const untilActivationMs = (work.scheduledAt?.getTime() ?? now) - now;
    const isOnHold = work.jobState !== 'running' && work.jobState !== 'waiting_ring';
    if (untilActivationMs > 0) {
      const mustCancel = work.isStopping || isOnHold;
      return mustCancel ? await runTurn(tools, item, work, publish) : rescheduleIn(Math.min(untilActivationMs, sleepingMs));
    }
    const isWatching = AFTER_ORDER.includes(work.status) && work.activatedAt !== null;
    if (work.isStopping && !isWatching) {
      await goTo(pool, work, 'error', { reason: 'CANCELLED' });
      publish();
      return DONE;
    }
    if (isOnHold && !isWatching) return rescheduleIn(onHoldMs);
    if (!isWatching && !isOpen(work.window, now, tools.zone)) return rescheduleIn(outsideWindowMs);
    if (work.status === 'start_translate' && work.isBroadcastAhead) return rescheduleIn(onHoldMs);
    return await runTurn(tools, item, work, publish);
  } catch (error) {
    // A stop or the supervisor changed the record in the meantime; their change has precedence.
    if (error instanceof Superseded) return rescheduleIn(1);
    throw error;
  }
}

async function deviceOf(tools: FeatureTools, item: WorkItem, session: EndpointSession): Promise<Device | undefined> {
  if (item.deviceKind === 'dcu') return tools.devices.buildDcu(session.endpoint);
  return item.meterId === null ? undefined : tools.devices.loadMeter(item.meterId);
}

async function runTurn(tools: UpgradeTools, item: WorkItem, work: UpgradeWork, publish: () => void): Promise<WorkReport> {
  const { clock } = tools.ctx;
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return recordFailure(tools, work, failed('DCU_OFFLINE'), undefined, publish);
  const device = await deviceOf(tools, item, session);
  if (device === undefined) {
    await goTo(tools.ctx.pool, work, 'error', { reason: 'INTERNAL', text: 'There is no such device' });
    return DONE;
  }
  // More urgent work of the DCU goes first, without waiting for another round trip.
  const ahead = await tools.urgentCounts.load(item.dcuId);
  if (ahead > 0) return rescheduleIn(yieldDelay(tools.upgradePace, ahead));
  const now = clock.now();
  const ends = msFromNow(tools.upgradePace.turnMs);
  const owner = { dcuId: item.dcuId, meterId: item.meterId, sessionId: session.rowId, taskId: item.taskId };
  const trace = new Trace(owner, now);
  const priority = 'bulk' as const;
  let outcome: Outcome<Next>;
  try {
    outcome = await session.links.withLink(device, { priority, trace }, async (link) => {
      const reached: DeviceWork = {
        link,
        device,
        meter: undefined,
        dcuId: item.dcuId,
        epoch: session.rowId,
        traceId: trace.id,
        taskId: item.taskId,
        now,
      };
      const withoutTrace = async <T>(exchanges: () => Promise<T>): Promise<T> => {
        link.setUse({ priority, trace: new DiscardingTrace(owner, now) });
        try {
          return await exchanges();
        } finally {
          link.setUse({ priority, trace });
        }
      };
      const image = await findImage(tools, reached, work.target);
      if (!image.ok) return image;
      return runSteps({
        tools,
        device: reached,
        work,
        wire: new ImageWire(link, work.target, image.value),
        isOver: yieldToUrgent(tools.urgentCounts, item.dcuId, () => msUntil(ends) < 0 || session.links.hasQueuedOperator(device)),
        onChanged: publish,
        withoutTrace,
      });
    });
  } finally {
    trace.close(tools.traces);
  }
  const traceId = trace.frames.length === 0 ? undefined : trace.id;
  if (traceId !== undefined) await saveTrace(tools.ctx.pool, work.id, traceId);
  if (!outcome.ok) return recordFailure(tools, work, outcome, traceId, publish);
  if (work.consecutiveFailures > 0 && work.status !== 'translating') await saveProgress(tools.ctx.pool, work, { consecutiveFailures: 0 });
  if (UPGRADE_ENDS.includes(work.status)) return { ...DONE, traceId };
  return rescheduleIn(outcome.value === 'continue' ? 0 : outcome.value.waitMs, traceId);
}

/** A trace that records nothing. */
class DiscardingTrace extends Trace {
  override add(): void {
    // Blocks only.
  }
  override explainLast(): void {
    // No frame was recorded.
  }
}

async function runSteps(turn: Turn): Promise<Outcome<Next>> {
  for (;;) {
    const step = STEPS[turn.work.status];
    if (step === undefined) return ok('continue');
    const done = await step(turn);
    if (!done.ok || done.value !== 'continue') return done;
    if (turn.isOver()) return done;
  }
}

/** Schedules a retry with exponential back-off, or ends the record after too many consecutive failures. */
async function recordFailure(
  tools: FeatureTools,
  work: UpgradeWork,
  outcome: { ok: false; reason: ReasonCode; detail?: string },
  traceId: string | undefined,
  publish: () => void,
): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { reason, detail = null } = outcome;
  const abandon = async (why: ReasonCode): Promise<WorkReport> => {
    // A record in `idle` cannot fail directly: the transition table requires `check_version` first.
    await goTo(pool, work, UPGRADE_NEXT[work.status].includes('error') ? 'error' : 'check_version', { reason: why, text: detail });
    publish();
    return { ...DONE, traceId };
  };
  if (AFTER_ORDER.includes(work.status) && work.activatedAt !== null && work.activatedAt.getTime() <= clock.now()) {
    const since = clock.now() - work.activatedAt.getTime();
    return since > UPDATE_TIMEOUT_MS ? abandon('UPGRADE_SILENT') : rescheduleIn(pollDelay(tools.upgradePace, since), traceId);
  }
  if (REASONS[reason].retry === 'no' || work.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) return abandon(reason);
  await saveProgress(pool, work, { consecutiveFailures: work.consecutiveFailures + 1 });
  publish();
  return rescheduleIn(backOffDelay(tools.upgradePace, work.consecutiveFailures), traceId);
}

/** Treats an unexpected error like a failed turn: an item that ended here would leave its record open for ever and block the other records of the DCU. */
async function runItem(tools: UpgradeTools, item: WorkItem): Promise<WorkReport> {
  let work: UpgradeWork | undefined;
  try {
    work = await findWork(tools.ctx.pool, item.id);
    if (work === undefined) return await runBroadcast(tools, item);
    if (UPGRADE_ENDS.includes(work.status)) return DONE;
    return await advanceRecord(tools, item, work);
  } catch (error) {
    tools.ctx.log.error('A turn of an upgrade failed', { error, itemId: item.id, recordId: work?.id });
    if (work === undefined) return rescheduleIn(tools.upgradePace.onHoldMs);
    const { jobId, id } = work;
    const publish = () => publishUpgrade(tools.ctx, jobId, [id]);
    // The database itself may have caused the failure.
    return recordFailure(tools, work, failed('INTERNAL'), undefined, publish).catch(() => rescheduleIn(tools.upgradePace.onHoldMs));
  }
}

export function upgradeOperations(tools: FeatureTools): Pick<Operations, 'upgrade'> {
  const shared: UpgradeTools = { ...tools, urgentCounts: batchUrgentCounts(tools.ctx.pool) };
  return { upgrade: (item) => runItem(shared, item) };
}
