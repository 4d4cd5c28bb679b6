import { failed, ok, REASONS, type Outcome } from '@hes/contract/core/outcome.ts';
import { msFromNow, msUntil } from '#platform/clock.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { placeInProfile } from '#field/operations/dcu-profile.ts';
import { runScript } from '#features/discovery/port.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';
import { publishUpgrade } from './announce.ts';
import { endBroadcast, findAudience, findBroadcast, saveBroadcast, type BroadcastWork } from './broadcast-record.ts';
import { giveWay } from './give-way.ts';
import { identifierOctets, loadImage } from './image.ts';
import { afterOthers, again, DONE, MAX_STUMBLES, pollAfter, stumbleMs } from './pace.ts';
import { doneIn, sendMissing } from './send-blocks.ts';
import { isOurs, type Next } from './steps.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import { isOpen } from './window.ts';
import { ImageWire } from './wire.ts';

/** Who is not ready by then hears nothing of it, and is sent the image alone. */
const GATHER_PATIENCE_MS = 10 * 60_000;
/** As long as this a DCU may take to send an image to all of its meters. */
const SEND_PATIENCE_MS = 6 * 3_600_000;

type Broadcasting = UpgradeTools & { wire: ImageWire; device: DeviceWork };

/** Waits until the meters of the ring are ready to hear it, and settles on the size of blocks that most of them have. */
async function gather(tools: FeatureTools, work: BroadcastWork): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const { ready, coming } = await findAudience(pool, work);
  const waitedMs = clock.now() - (work.releasedAt?.getTime() ?? clock.now());
  if (coming > 0 && waitedMs < GATHER_PATIENCE_MS) return again(tools.upgradePace.heldMs);
  const [most] = ready;
  // One meter alone gains nothing by it.
  if (most === undefined || most.meters < 2) {
    await endBroadcast(pool, work, 'done');
    return DONE;
  }
  if ((await placeInProfile(tools.ctx.db, work.dcuId, 'IMAGE_METERS')) === undefined) {
    await endBroadcast(pool, work, 'failed', 'OBJECT_UNDEFINED');
    return DONE;
  }
  await saveBroadcast(pool, work, { state: 'loading', meters: most.meters, blockSize: most.blockSize });
  return again(0);
}

async function prepare({ wire, ctx }: Broadcasting, work: BroadcastWork, size: number): Promise<Outcome<void>> {
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

/** Brings the image to the DCU, block by block and once, lets it verify it, and orders it to send. */
async function load(tools: Broadcasting, work: BroadcastWork, isOver: () => boolean): Promise<Outcome<Next>> {
  const { wire, ctx, upgradePace } = tools;
  const image = await loadImage(ctx.pool, work.fileId, work.sha256);
  if (!image.ok) return image;
  if (work.blocksTotal === null) {
    const prepared = await prepare(tools, work, image.value.length);
    if (!prepared.ok) return prepared;
  }
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'verificationInitiated') return ok({ waitMs: pollAfter(upgradePace, ctx.clock.now() - work.changedAt.getTime()) });
  if (status.value === 'verificationSuccessful') {
    const info = await wire.toActivate();
    if (!info.ok) return info;
    if (!isOurs(info.value, work, image.value.length)) return failed('IMAGE_VERIFY_FAILED');
    const ordered = await runScript(tools, tools.device, 'broadcastImage');
    // Whether a lost answer was an order is seen by the status.
    if (!ordered.ok && ordered.reason !== 'TEMPORARY_FAILURE') return ordered;
    await saveBroadcast(ctx.pool, work, { state: 'sending', stumbles: 0 });
    return ok('on');
  }
  if (status.value === 'activationInitiated' || status.value === 'activationSuccessful') {
    await saveBroadcast(ctx.pool, work, { state: 'sending', stumbles: 0 });
    return ok('on');
  }
  if (status.value !== 'initiated') return failed('IMAGE_VERIFY_FAILED', status.value);
  const read = await wire.blockMap(work.blocksTotal ?? 0);
  if (!read.ok) return read;
  const before = work.octetsSent;
  const sent = await sendMissing({
    wire,
    image: image.value,
    blockSize: work.blockSize ?? 1,
    blockMap: read.value,
    isOver,
    save: ({ blockMap, octets }) =>
      saveBroadcast(ctx.pool, work, { blocksDone: doneIn(blockMap), octetsSent: before + octets, ...(octets > 0 ? { stumbles: 0 } : {}) }),
  });
  if (!sent.ok) return sent;
  if (!sent.value) return ok({ waitMs: 0 });
  const verified = await wire.verify();
  // It is at work, or it has found something: the status says which.
  return verified.ok || verified.reason === 'TEMPORARY_FAILURE' ? ok({ waitMs: upgradePace.pollMs.soonest }) : verified;
}

async function watch({ wire, ctx, upgradePace }: Broadcasting, work: BroadcastWork): Promise<Outcome<Next>> {
  const status = await wire.status();
  if (!status.ok) return status;
  const sinceMs = ctx.clock.now() - work.changedAt.getTime();
  if (status.value === 'activationInitiated' && sinceMs < SEND_PATIENCE_MS) return ok({ waitMs: pollAfter(upgradePace, sinceMs) });
  // Who has heard what is asked of the meters themselves, whatever the DCU thinks of it.
  await endBroadcast(ctx.pool, work, 'done');
  return ok('on');
}

/** One turn at the DCU; between its turns collection takes its own. */
async function turn(tools: UpgradeTools, item: WorkItem, work: BroadcastWork): Promise<WorkReport> {
  const ahead = await tools.queue.load(work.dcuId);
  if (ahead > 0) return again(afterOthers(tools.upgradePace, ahead));
  const ends = msFromNow(tools.upgradePace.turnMs);
  const session = tools.sessions.get(work.dcuId);
  const isWanted = (): boolean => session?.links.hasQueuedOperator(tools.devices.buildDcu(session.dcu)) === true;
  const isOver = giveWay(tools.queue, work.dcuId, () => msUntil(ends) < 0 || isWanted());
  let next: Next = 'on';
  const report = await withDevice(tools, item, async (device) => {
    const all: Broadcasting = { ...tools, device, wire: new ImageWire(device.link, 'meters') };
    const done = await (work.state === 'loading' ? load(all, work, isOver) : watch(all, work));
    if (!done.ok) return done;
    next = done.value;
    return ok({});
  });
  if (!report.outcome.ok) return stumble(tools, work, report);
  const hasEnded = work.state === 'done' || work.state === 'failed';
  // as: what the closure assigned is out of the compiler's sight.
  const waits = next as Next;
  return hasEnded ? report : { ...report, againInMs: Math.max(waits === 'on' ? 1 : waits.waitMs, 1) };
}

/** The field is like that: it is tried again. When it makes no sense any more, the meters are sent the image one by one. */
async function stumble(tools: FeatureTools, work: BroadcastWork, report: WorkReport): Promise<WorkReport> {
  if (report.outcome.ok) return report;
  const { reason } = report.outcome;
  if (REASONS[reason].retry === 'no' || work.stumbles >= MAX_STUMBLES) {
    await endBroadcast(tools.ctx.pool, work, 'failed', reason);
    return { ...DONE, traceId: report.traceId };
  }
  await saveBroadcast(tools.ctx.pool, work, { stumbles: work.stumbles + 1 });
  return again(stumbleMs(tools.upgradePace, work.stumbles), report.traceId);
}

/** One turn of a broadcast. How far it is stands in its row, so that anybody can go on from there. */
export async function broadcast(tools: UpgradeTools, item: WorkItem): Promise<WorkReport> {
  const { pool, clock } = tools.ctx;
  const work = await findBroadcast(pool, item.id);
  if (work === undefined || work.state === 'done' || work.state === 'failed') return DONE;
  try {
    if (work.jobState === 'stopped' || work.jobState === 'finished') {
      await endBroadcast(pool, work, 'failed', 'CANCELLED');
      return DONE;
    }
    if (work.jobState !== 'running' && work.jobState !== 'waiting_ring') return again(tools.upgradePace.heldMs);
    if (!isOpen(work.window, clock.now(), tools.zone)) return again(tools.upgradePace.shutMs);
    return await (work.state === 'gathering' ? gather(tools, work) : turn(tools, item, work));
  } finally {
    publishUpgrade(tools.ctx, work.jobId, []);
  }
}
