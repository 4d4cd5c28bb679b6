import { DCU_PARTS } from '@hes/contract/asset/dcu-part.ts';
import { failed, ok, REASONS, type Outcome } from '@hes/contract/core/outcome.ts';
import { msFromNow, msUntil } from '#platform/clock.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu, hasPart } from '#southbound/parts-of-dcu.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';
import { publishUpgrade } from './publish.ts';
import { endBroadcast, findAudience, findBroadcast, saveBroadcast, type BroadcastWork } from './broadcast-queries.ts';
import { yieldToUrgent } from './yield-to-urgent.ts';
import { identifierOctets, loadImage } from './image.ts';
import { yieldDelay, rescheduleIn, DONE, MAX_CONSECUTIVE_FAILURES, pollDelay, backOffDelay } from './pace.ts';
import { countDone, sendMissingBlocks } from './send-blocks.ts';
import { isSameImage, type Next } from './steps.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import { isOpen } from './window.ts';
import { findImage, ImageWire } from './wire.ts';

/** Meters that are not ready by then receive the image one by one instead. */
const GATHER_TIMEOUT_MS = 10 * 60_000;
/** Longest time that a DCU may need to send an image to all of its meters. */
const SEND_TIMEOUT_MS = 6 * 3_600_000;

type Broadcasting = UpgradeTools & { wire: ImageWire; device: DeviceWork };

/** Waits until the meters of the ring are ready to receive the broadcast, and chooses the block size of most of them. */
async function awaitAudience(tools: FeatureTools, work: BroadcastWork): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { ready, coming } = await findAudience(pool, work);
  const waitedMs = clock.now() - (work.releasedAt?.getTime() ?? clock.now());
  if (coming > 0 && waitedMs < GATHER_TIMEOUT_MS) return rescheduleIn(tools.upgradePace.onHoldMs);
  const [most] = ready;
  // A broadcast to one meter saves nothing.
  if (most === undefined || most.meters < 2) {
    await endBroadcast(pool, work, 'done');
    return DONE;
  }
  if (!(await hasPart(tools.ctx.db, work.dcuId, 'image_broadcast'))) {
    await endBroadcast(pool, work, 'failed', DCU_PARTS.image_broadcast.reason);
    return DONE;
  }
  await saveBroadcast(pool, work, { state: 'loading', meters: most.meters, blockSize: most.blockSize });
  return rescheduleIn(0);
}

async function prepareTransfer({ wire, ctx }: Broadcasting, work: BroadcastWork, size: number): Promise<Outcome<void>> {
  const enabled = await wire.enable();
  if (!enabled.ok) return enabled;
  const own = await wire.blockSize();
  if (!own.ok) return own;
  if (own.value !== work.blockSize) {
    const set = await wire.setBlockSize(work.blockSize ?? own.value);
    if (!set.ok) return set;
  }
  const begun = await wire.initiate(identifierOctets(work.imageIdentifier), size);
  if (!begun.ok) return begun;
  await saveBroadcast(ctx.pool, work, { blocksTotal: Math.ceil(size / (work.blockSize ?? size)), blocksDone: 0 });
  return ok(undefined);
}

/** Transfers the image to the DCU, verifies it there, and starts the broadcast. */
async function loadIntoDcu(tools: Broadcasting, work: BroadcastWork, isOver: () => boolean): Promise<Outcome<Next>> {
  const { wire, ctx, upgradePace } = tools;
  const image = await loadImage(ctx.pool, work.fileId, work.sha256);
  if (!image.ok) return image;
  if (work.blocksTotal === null) {
    const prepared = await prepareTransfer(tools, work, image.value.length);
    if (!prepared.ok) return prepared;
  }
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'verificationInitiated') return ok({ waitMs: pollDelay(upgradePace, ctx.clock.now() - work.changedAt.getTime()) });
  if (status.value === 'verificationSuccessful') {
    const info = await wire.toActivate();
    if (!info.ok) return info;
    if (!isSameImage(info.value, work, image.value.length)) return failed('IMAGE_VERIFY_FAILED');
    const { image_broadcast: broadcast } = await partsOfDcu(tools, tools.device);
    const ordered = broadcast === undefined ? lacks('image_broadcast') : await broadcast.activate();
    // TEMPORARY_FAILURE means that the DCU is already broadcasting; the status shows it in the next turn.
    if (!ordered.ok && ordered.reason !== 'TEMPORARY_FAILURE') return ordered;
    await saveBroadcast(ctx.pool, work, { state: 'sending', consecutiveFailures: 0 });
    return ok('continue');
  }
  if (status.value === 'activationInitiated' || status.value === 'activationSuccessful') {
    await saveBroadcast(ctx.pool, work, { state: 'sending', consecutiveFailures: 0 });
    return ok('continue');
  }
  if (status.value !== 'initiated') return failed('IMAGE_VERIFY_FAILED', status.value);
  const read = await wire.blockMap(work.blocksTotal ?? 0);
  if (!read.ok) return read;
  const before = work.octetsSent;
  const sent = await sendMissingBlocks({
    wire,
    image: image.value,
    blockSize: work.blockSize ?? 1,
    blockMap: read.value,
    isOver,
    save: ({ blockMap, octets }) =>
      saveBroadcast(ctx.pool, work, {
        blocksDone: countDone(blockMap),
        octetsSent: before + octets,
        ...(octets > 0 ? { consecutiveFailures: 0 } : {}),
      }),
  });
  if (!sent.ok) return sent;
  if (!sent.value) return ok({ waitMs: 0 });
  const verified = await wire.verify();
  // TEMPORARY_FAILURE means that verification is running or has failed; the status distinguishes them.
  return verified.ok || verified.reason === 'TEMPORARY_FAILURE' ? ok({ waitMs: upgradePace.pollMs.soonest }) : verified;
}

async function awaitSending({ wire, ctx, upgradePace }: Broadcasting, work: BroadcastWork): Promise<Outcome<Next>> {
  const status = await wire.status();
  if (!status.ok) return status;
  const sinceMs = ctx.clock.now() - work.changedAt.getTime();
  if (status.value === 'activationInitiated' && sinceMs < SEND_TIMEOUT_MS) return ok({ waitMs: pollDelay(upgradePace, sinceMs) });
  // Each meter reports its missing blocks itself, so the result that the DCU reports does not matter.
  await endBroadcast(ctx.pool, work, 'done');
  return ok('continue');
}

/** Runs one turn at the DCU. Collection uses the time between two turns. */
async function runTurn(tools: UpgradeTools, item: WorkItem, work: BroadcastWork): Promise<WorkReport> {
  const ahead = await tools.urgentCounts.load(work.dcuId);
  if (ahead > 0) return rescheduleIn(yieldDelay(tools.upgradePace, ahead));
  const ends = msFromNow(tools.upgradePace.turnMs);
  const session = tools.sessions.get(work.dcuId);
  const isWanted = (): boolean => session?.links.hasQueuedOperator(tools.devices.buildDcu(session.endpoint)) === true;
  const isOver = yieldToUrgent(tools.urgentCounts, work.dcuId, () => msUntil(ends) < 0 || isWanted());
  let next: Next = 'continue';
  const report = await withDevice(tools, item, async (device) => {
    const image = await findImage(tools, device, 'meters');
    if (!image.ok) return image;
    const all: Broadcasting = { ...tools, device, wire: new ImageWire(device.link, 'meters', image.value) };
    const done = await (work.state === 'loading' ? loadIntoDcu(all, work, isOver) : awaitSending(all, work));
    if (!done.ok) return done;
    next = done.value;
    return ok({});
  });
  if (!report.outcome.ok) return recordFailure(tools, work, report);
  const hasEnded = work.state === 'done' || work.state === 'failed';
  // as: the compiler does not see the assignment in the closure.
  const waits = next as Next;
  return hasEnded ? report : { ...report, againInMs: Math.max(waits === 'continue' ? 1 : waits.waitMs, 1) };
}

/** Schedules a retry with exponential back-off. After too many consecutive failures the meters receive the image one by one. */
async function recordFailure(tools: FeatureTools, work: BroadcastWork, report: WorkReport): Promise<WorkReport> {
  if (report.outcome.ok) return report;
  const { reason } = report.outcome;
  if (REASONS[reason].retry === 'no' || work.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
    await endBroadcast(tools.ctx.pool, work, 'failed', reason);
    return { ...DONE, traceId: report.traceId };
  }
  await saveBroadcast(tools.ctx.pool, work, { consecutiveFailures: work.consecutiveFailures + 1 });
  return rescheduleIn(backOffDelay(tools.upgradePace, work.consecutiveFailures), report.traceId);
}

/** Runs one turn of a broadcast. Its progress is stored in its row, so any server can continue after a crash. */
export async function runBroadcast(tools: UpgradeTools, item: WorkItem): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const work = await findBroadcast(pool, item.id);
  if (work === undefined || work.state === 'done' || work.state === 'failed') return DONE;
  try {
    if (work.jobState === 'stopped' || work.jobState === 'finished') {
      await endBroadcast(pool, work, 'failed', 'CANCELLED');
      return DONE;
    }
    if (work.jobState !== 'running' && work.jobState !== 'waiting_ring') return rescheduleIn(tools.upgradePace.onHoldMs);
    if (!isOpen(work.window, clock.now(), tools.zone)) return rescheduleIn(tools.upgradePace.outsideWindowMs);
    return await (work.state === 'gathering' ? awaitAudience(tools, work) : runTurn(tools, item, work));
  } finally {
    publishUpgrade(tools.ctx, work.jobId, []);
  }
}
