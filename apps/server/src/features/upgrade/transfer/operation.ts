import { failed, ok, REASONS, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { UPGRADE_ENDS, UPGRADE_NEXT, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { msFromNow, msUntil } from '#platform/clock.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { Device } from '#field/devices.ts';
import type { DcuSession } from '#field/dcu-session.ts';
import { Trace } from '#field/trace.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';
import { publishUpgrade } from './announce.ts';
import { broadcast } from './broadcast.ts';
import { giveWay, lookAhead } from './give-way.ts';
import { afterOthers, again, DONE, MAX_STUMBLES, pollAfter, stumbleMs } from './pace.ts';
import { findWork, goTo, saveProgress, Superseded, type UpgradeWork } from './record.ts';
import { STEPS, UPDATE_PATIENCE_MS, type Next, type Turn } from './steps.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import { isOpen } from './window.ts';
import { ImageWire } from './wire.ts';

/** From here on the device has the order: what becomes of it is watched, whatever the upgrade as a whole does. */
const AFTER_ORDER: readonly UpgradeState[] = ['wait_update', 'updating', 'update_success'];

/** One turn of one device. How far it is stands in its record, after every transition, so that anybody can go on from there. */
async function upgrade(tools: UpgradeTools, item: WorkItem, work: UpgradeWork): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { heldMs, shutMs, asleepMs } = tools.upgradePace;
  const tell = () => publishUpgrade(tools.ctx, work.jobId, [work.id]);
  try {
    const now = clock.now();
    const untilItsTimeMs = (work.scheduledAt?.getTime() ?? now) - now;
    const isHeld = work.jobState !== 'running' && work.jobState !== 'waiting_ring';
    if (untilItsTimeMs > 0) {
      const isTakenBack = work.isStopping || isHeld;
      return isTakenBack ? await take(tools, item, work, tell) : again(Math.min(untilItsTimeMs, asleepMs));
    }
    const isWatching = AFTER_ORDER.includes(work.status) && work.activatedAt !== null;
    if (work.isStopping && !isWatching) {
      await goTo(pool, work, 'error', { reason: 'CANCELLED' });
      tell();
      return DONE;
    }
    if (isHeld && !isWatching) return again(heldMs);
    if (!isWatching && !isOpen(work.window, now, tools.zone)) return again(shutMs);
    if (work.status === 'start_translate' && work.isBroadcastAhead) return again(heldMs);
    return await take(tools, item, work, tell);
  } catch (error) {
    // A stop or the supervisor came in between: what it wrote stands.
    if (error instanceof Superseded) return again(1);
    throw error;
  }
}

async function deviceOf(tools: FeatureTools, item: WorkItem, session: DcuSession): Promise<Device | undefined> {
  if (item.deviceKind === 'dcu') return tools.devices.buildDcu(session.dcu);
  return item.meterId === null ? undefined : tools.devices.loadMeter(item.meterId);
}

async function take(tools: UpgradeTools, item: WorkItem, work: UpgradeWork, tell: () => void): Promise<WorkReport> {
  const { clock } = tools.ctx;
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return stumble(tools, work, failed('DCU_OFFLINE'), undefined, tell);
  const device = await deviceOf(tools, item, session);
  if (device === undefined) {
    await goTo(tools.ctx.pool, work, 'error', { reason: 'INTERNAL', text: 'There is no such device' });
    return DONE;
  }
  // Whoever is more urgent goes first, and not one exchange later.
  const ahead = await tools.queue.load(item.dcuId);
  if (ahead > 0) return again(afterOthers(tools.upgradePace, ahead));
  const now = clock.now();
  const ends = msFromNow(tools.upgradePace.turnMs);
  const owner = { dcuId: item.dcuId, meterId: item.meterId, sessionId: session.rowId, taskId: item.taskId };
  const trace = new Trace(owner, now);
  const priority = 'bulk' as const;
  let outcome: Outcome<Next>;
  try {
    outcome = await session.links.withLink(device, { priority, trace }, async (link) => {
      const reached: DeviceWork = { link, device, meter: undefined, dcuId: item.dcuId, traceId: trace.id, taskId: item.taskId, now };
      const withoutTrace = async <T>(exchanges: () => Promise<T>): Promise<T> => {
        link.setUse({ priority, trace: new Silent(owner, now) });
        try {
          return await exchanges();
        } finally {
          link.setUse({ priority, trace });
        }
      };
      return run({
        tools,
        device: reached,
        work,
        wire: new ImageWire(link, work.target),
        isOver: giveWay(tools.queue, item.dcuId, () => msUntil(ends) < 0 || session.links.hasQueuedOperator(device)),
        onChanged: tell,
        withoutTrace,
      });
    });
  } finally {
    trace.close(tools.traces);
  }
  const traceId = trace.frames.length === 0 ? undefined : trace.id;
  if (traceId !== undefined) await tools.ctx.pool.query('update upgrade_record set trace_id = $2 where id = $1', [work.id, traceId]);
  if (!outcome.ok) return stumble(tools, work, outcome, traceId, tell);
  if (work.stumbles > 0 && work.status !== 'translating') await saveProgress(tools.ctx.pool, work, { stumbles: 0 });
  if (UPGRADE_ENDS.includes(work.status)) return { ...DONE, traceId };
  return again(outcome.value === 'on' ? 0 : outcome.value.waitMs, traceId);
}

/** Keeps nothing of what passes. */
class Silent extends Trace {
  override add(): void {
    // Blocks only.
  }
  override explainLast(): void {
    // Nothing was kept.
  }
}

async function run(turn: Turn): Promise<Outcome<Next>> {
  for (;;) {
    const step = STEPS[turn.work.status];
    if (step === undefined) return ok('on');
    const done = await step(turn);
    if (!done.ok || done.value !== 'on') return done;
    if (turn.isOver()) return done;
  }
}

/** A turn that came to nothing. The field is like that: it is tried again, less and less often, until it makes no sense any more. */
async function stumble(
  tools: FeatureTools,
  work: UpgradeWork,
  outcome: { ok: false; reason: ReasonCode; detail?: string },
  traceId: string | undefined,
  tell: () => void,
): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { reason, detail = null } = outcome;
  const giveUp = async (why: ReasonCode): Promise<WorkReport> => {
    // Nothing was begun yet: the table wants it begun before it fails.
    await goTo(pool, work, UPGRADE_NEXT[work.status].includes('error') ? 'error' : 'check_version', { reason: why, text: detail });
    tell();
    return { ...DONE, traceId };
  };
  if (AFTER_ORDER.includes(work.status) && work.activatedAt !== null && work.activatedAt.getTime() <= clock.now()) {
    const since = clock.now() - work.activatedAt.getTime();
    return since > UPDATE_PATIENCE_MS ? giveUp('UPGRADE_SILENT') : again(pollAfter(tools.upgradePace, since), traceId);
  }
  if (REASONS[reason].retry === 'no' || work.stumbles >= MAX_STUMBLES) return giveUp(reason);
  await saveProgress(pool, work, { stumbles: work.stumbles + 1 });
  tell();
  return again(stumbleMs(tools.upgradePace, work.stumbles), traceId);
}

/**
 * What nobody foresaw, and a database that is away for a moment: a turn that came to nothing like others. An item that ended
 * here would leave its record where it is for ever, and keep all others of the DCU waiting.
 */
async function survive(tools: UpgradeTools, item: WorkItem): Promise<WorkReport> {
  let work: UpgradeWork | undefined;
  try {
    work = await findWork(tools.ctx.pool, item.id);
    if (work === undefined) return await broadcast(tools, item);
    if (UPGRADE_ENDS.includes(work.status)) return DONE;
    return await upgrade(tools, item, work);
  } catch (error) {
    tools.ctx.log.error('A turn of an upgrade failed', { error, itemId: item.id, recordId: work?.id });
    if (work === undefined) return again(tools.upgradePace.heldMs);
    const { jobId, id } = work;
    const tell = () => publishUpgrade(tools.ctx, jobId, [id]);
    // The database may be what failed.
    return stumble(tools, work, failed('INTERNAL'), undefined, tell).catch(() => again(tools.upgradePace.heldMs));
  }
}

export function upgradeOperations(tools: FeatureTools): Pick<Operations, 'upgrade'> {
  const shared: UpgradeTools = { ...tools, queue: lookAhead(tools.ctx.pool) };
  return { upgrade: (item) => survive(shared, item) };
}
