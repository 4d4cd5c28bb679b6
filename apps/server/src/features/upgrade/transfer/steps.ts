import { ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { UpgradeState } from '@hes/contract/states/upgrade.ts';
import type { Pool } from 'pg';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';
import { mayFollow } from './chain.ts';
import { identifierOctets, loadImage } from './image.ts';
import { pollDelay } from './pace.ts';
import { readRelayState, runPostChecks } from './post-checks.ts';
import { asJson, goTo, saveFirmwareVersion, saveProgress, type RecordFields, type Step, type UpgradeWork } from './record-queries.ts';
import { countDone, sendMissingBlocks } from './send-blocks.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import { IMAGE_PARTS, type ImageWire, type ImageStatus } from './wire.ts';

/** Octets of an APDU that are not block data: service, structure, protection and gateway header. */
const APDU_OVERHEAD = 96;
const MIN_BLOCK = 16;
const MAX_REPAIRS = 5;
/** Longest time between the activation request and the first response with the new version. */
export const UPDATE_TIMEOUT_MS = 10 * 60_000;
/** Some devices still report the old version for a few seconds after the restart. */
const OLD_VERSION_TIMEOUT_MS = 20_000;
/** A device that has not activated its image this long after the scheduled time gets an activation request. */
const ACTIVATION_GRACE_MS = 5 * 60_000;
const SENT = { from: 2, to: 90 } as const;

/** Whether the next step follows at once, or in a later turn after `waitMs`. */
export type Next = 'continue' | { waitMs: number };

/** One turn with one device. */
export interface Turn {
  tools: UpgradeTools;
  device: DeviceWork;
  work: UpgradeWork;
  wire: ImageWire;
  /** True when the time of the turn is up or more urgent work waits for the DCU. */
  isOver(): boolean;
  onChanged(): void;
  /** Runs round trips without recording them: a trace of thousands of blocks has no value. */
  withoutTrace<T>(exchanges: () => Promise<T>): Promise<T>;
}

const poolOf = (turn: Turn): Pool => turn.tools.ctx.pool;

async function transition(turn: Turn, next: UpgradeState, step?: Step): Promise<Outcome<Next>> {
  await goTo(poolOf(turn), turn.work, next, step);
  turn.work.enteredAt = turn.tools.ctx.clock.now();
  turn.onChanged();
  return ok('continue');
}

const failWith = (turn: Turn, reason: ReasonCode, text: string | null = null, fields: RecordFields = {}): Promise<Outcome<Next>> =>
  transition(turn, 'error', { reason, text, fields });
const rescheduleStep = (waitMs: number): Outcome<Next> => ok({ waitMs });
const pollLater = ({ tools, work }: Turn): Outcome<Next> =>
  rescheduleStep(pollDelay(tools.upgradePace, tools.ctx.clock.now() - work.enteredAt));
const isNotBusy = ({ reason }: { reason: ReasonCode }): boolean => reason !== 'TEMPORARY_FAILURE';

async function checkVersion(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const version = await wire.version();
  if (!version.ok) return version;
  const fields: RecordFields = { oldVersion: version.value };
  if (version.value === work.newVersion)
    return transition(turn, 'no_need_complete', { text: version.value, fields: { ...fields, process: 100, checkResult: 'skipped' } });
  if (!mayFollow(version.value, { version: work.newVersion, fromVersions: work.fromVersions }))
    return failWith(turn, 'NOT_IN_CHAIN', version.value, fields);
  if (work.target === 'meter') {
    const relay = await readRelayState(turn.device.link);
    if (!relay.ok) return relay;
    fields.relayBefore = relay.value;
  }
  return transition(turn, 'download_file', { text: version.value, fields });
}

async function downloadFile(turn: Turn): Promise<Outcome<Next>> {
  const image = await loadImage(poolOf(turn), turn.work.fileId, turn.work.sha256);
  if (!image.ok) return failWith(turn, image.reason);
  return transition(turn, 'enable_translate', {
    text: `${image.value.length} B, SHA-256 ${turn.work.sha256.slice(0, 12)}…`,
    fields: { process: 1 },
  });
}

async function enableTransfer(turn: Turn): Promise<Outcome<Next>> {
  const enabled = await turn.wire.isEnabled();
  if (!enabled.ok && enabled.reason !== 'ACCESS_DENIED') return enabled;
  if (!enabled.ok || !enabled.value) {
    const set = await turn.wire.enable();
    if (!set.ok) return set.reason === 'ACCESS_DENIED' ? failWith(turn, 'IMAGE_REFUSED', set.detail ?? null) : set;
  }
  return transition(turn, 'set_block_size');
}

/** Requests a smaller block size where the device's own does not fit, and uses the size that the device then reports. */
async function setBlockSize(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, device } = turn;
  const own = await wire.blockSize();
  if (!own.ok) return own;
  const wanted = Math.max(MIN_BLOCK, Math.min(work.preferredBlockSize, own.value, device.device.maxPduSize - APDU_OVERHEAD));
  let blockSize = own.value;
  const isUnderWay = work.blocksTotal !== null && !work.isRestart && work.blockSize === own.value;
  if (wanted < own.value && !isUnderWay) {
    const set = await wire.setBlockSize(wanted);
    if (!set.ok && set.reason !== 'ACCESS_DENIED') return set;
    const said = await wire.blockSize();
    if (!said.ok) return said;
    blockSize = said.value;
  }
  if (blockSize < 1) return failWith(turn, 'BAD_ANSWER', `${blockSize} B`);
  return transition(turn, 'translate_init', { text: `${blockSize} B`, fields: { blockSize } });
}

/** A transfer resumes only if the device holds blocks of the same image: initiating a transfer erases them. */
async function canResume(turn: Turn, status: ImageStatus, size: number): Promise<Outcome<boolean>> {
  const { work, wire } = turn;
  if (work.isRestart || work.blocksTotal === null) return ok(false);
  if (status === 'initiated' || status === 'verificationInitiated') return ok(true);
  if (status !== 'verificationSuccessful') return ok(false);
  const info = await wire.toActivate();
  if (!info.ok) return info;
  return ok(isSameImage(info.value, work, size));
}

/** Whether the image that a device reports for activation is the image of this upgrade. */
export const isSameImage = (
  info: readonly { size: number; identification: Uint8Array }[],
  work: Pick<UpgradeWork, 'imageIdentifier'>,
  size: number,
): boolean => info.some((one) => one.size === size && Buffer.from(one.identification).equals(identifierOctets(work.imageIdentifier)));

async function initiateTransfer(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return failWith(turn, image.reason);
  const size = image.value.length;
  const blocksTotal = Math.ceil(size / (work.blockSize ?? 1));
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationInitiated') return pollLater(turn);
  const resumable = await canResume(turn, status.value, size);
  if (!resumable.ok) return resumable;
  if (resumable.value && work.blocksTotal === blocksTotal) return transition(turn, 'start_translate', { text: 'resume' });
  const begun = await wire.initiate(identifierOctets(work.imageIdentifier), size);
  if (!begun.ok) {
    if (begun.reason === 'ACCESS_DENIED') return failWith(turn, 'IMAGE_REFUSED', begun.detail ?? null);
    return begun;
  }
  const fields = { blocksTotal, blocksDone: 0, blockMap: '0'.repeat(blocksTotal), isRestart: false };
  return transition(turn, 'start_translate', { text: `${blocksTotal} × ${work.blockSize ?? 0} B`, fields });
}

async function startTransfer(turn: Turn): Promise<Outcome<Next>> {
  if (turn.work.isBroadcastAhead) return rescheduleStep(turn.tools.upgradePace.onHoldMs);
  const status = await turn.wire.status();
  if (!status.ok) return status;
  if (status.value !== 'initiated' && status.value !== 'verificationInitiated' && status.value !== 'verificationSuccessful')
    return restartTransfer(turn, status.value);
  const first = await turn.wire.firstMissing();
  if (!first.ok) return first;
  return transition(turn, 'translating', { text: `${first.value}` });
}

/** Initiates the transfer again on devices that lose the received blocks at a power failure. Any other refusal is final. */
async function restartTransfer(turn: Turn, refusal: string | null): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value !== 'notInitiated' || work.repairs >= MAX_REPAIRS) return failWith(turn, 'IMAGE_REFUSED', refusal);
  return transition(turn, 'enable_translate', { text: 'lost', fields: { repairs: work.repairs + 1 } });
}

const percentOf = (done: number, total: number): number => SENT.from + ((SENT.to - SENT.from) * done) / Math.max(total, 1);

/** Sends the blocks that the device reports as missing, until the turn is over. */
async function transferBlocks(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return failWith(turn, image.reason);
  const { blockSize, blocksTotal } = work;
  if (blockSize === null || blocksTotal === null) return failWith(turn, 'INTERNAL');
  const read = await wire.blockMap(blocksTotal);
  if (!read.ok) return read;
  const before = work.octetsSent;
  const save = async ({ blockMap, octets, elapsedMs }: { blockMap: string; octets: number; elapsedMs: number }) => {
    const blocksDone = countDone(blockMap);
    await saveProgress(poolOf(turn), work, {
      blockMap,
      octetsSent: before + octets,
      process: percentOf(blocksDone, blocksTotal),
      ...(octets > 0 ? { rate: Math.round((octets * 1000) / Math.max(elapsedMs, 1)) } : {}),
      ...(blocksDone > work.blocksDone ? { consecutiveFailures: 0 } : {}),
      blocksDone,
    });
    turn.onChanged();
  };
  const { isOver } = turn;
  const sent = await turn.withoutTrace(() =>
    sendMissingBlocks({ wire, image: image.value, blockSize, blockMap: read.value, isOver, save }),
  );
  if (!sent.ok) return sent.reason === 'ACCESS_DENIED' ? restartTransfer(turn, sent.detail ?? null) : sent;
  return sent.value ? transition(turn, 'check_fail_block') : rescheduleStep(0);
}

async function checkFailBlock(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const read = await wire.blockMap(work.blocksTotal ?? 0);
  if (!read.ok) return read;
  const missing = read.value.length - countDone(read.value);
  const fields: RecordFields = { blockMap: read.value, blocksDone: countDone(read.value) };
  if (missing === 0) return transition(turn, 'check_image', { text: '0', fields: { ...fields, process: SENT.to } });
  if (work.repairs >= MAX_REPAIRS) return failWith(turn, 'IMAGE_INCOMPLETE', `${missing}`, fields);
  return transition(turn, 'translating', { text: `${missing}`, fields: { ...fields, repairs: work.repairs + 1 } });
}

async function checkImage(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'initiated') {
    const verified = await wire.verify();
    // TEMPORARY_FAILURE means that verification is running or has failed; the status distinguishes them.
    if (!verified.ok && isNotBusy(verified)) return verified;
    const after = await wire.status();
    if (!after.ok) return after;
    if (after.value === 'verificationInitiated') return pollLater(turn);
    if (after.value === 'initiated') return pollLater(turn);
    return ok('continue');
  }
  if (status.value === 'verificationInitiated') return pollLater(turn);
  if (status.value !== 'verificationSuccessful')
    return failWith(turn, 'IMAGE_VERIFY_FAILED', status.value, { checkResult: 'fail', checkText: status.value });
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return failWith(turn, image.reason);
  const info = await wire.toActivate();
  if (info.ok && !isSameImage(info.value, work, image.value.length))
    return failWith(turn, 'IMAGE_VERIFY_FAILED', 'identification', { checkResult: 'fail', checkText: 'identification' });
  if (!info.ok && isNotBusy(info) && info.reason !== 'OBJECT_UNDEFINED' && info.reason !== 'ACCESS_DENIED') return info;
  const next = work.target === 'rt' ? 'send_upgrade_rt' : work.target === 'sta' ? 'send_upgrade_sta' : 'activate_image';
  return transition(turn, next, { fields: { checkResult: 'pass', checkText: null, process: 92 } });
}

/** Activates only an image that the device reports as verified. After a lost response the next turn reads the status. */
async function activateImage(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const now = tools.ctx.clock.now();
  if (work.activateAt !== null && work.activateAt.getTime() > now) return activateLater(turn, work.activateAt);
  const status = await wire.status();
  if (!status.ok) return status;
  const awaitUpdate = () => transition(turn, 'wait_update', { fields: { activatedAt: new Date(now), process: 94 } });
  if (status.value === 'activationInitiated' || status.value === 'activationSuccessful') return awaitUpdate();
  if (status.value === 'activationFailed') return transition(turn, 'update_fail', { reason: 'ACTIVATION_FAILED', text: status.value });
  if (status.value !== 'verificationSuccessful') {
    const version = await wire.version();
    if (version.ok && version.value === work.newVersion) return awaitUpdate();
    return version.ok ? failWith(turn, 'ACTIVATION_FAILED', status.value) : version;
  }
  const ordered = await orderActivation(turn);
  if (!ordered.ok) return ordered;
  const backInMs = work.target === 'meter' ? tools.restarts.recordRestart(work.jobId, work.deviceId) : undefined;
  await awaitUpdate();
  return rescheduleStep(backInMs ?? tools.upgradePace.pollMs.soonest);
}

/** Sends the activation request. TEMPORARY_FAILURE means that the device is already executing it. */
async function orderActivation(turn: Turn): Promise<Outcome<void>> {
  const ordered = await activate(turn);
  return !ordered.ok && isNotBusy(ordered) ? ordered : ok(undefined);
}

/** The DCU activates the images of its modules by a command; a device activates its own by its image object. */
async function activate({ work, wire, tools, device }: Turn): Promise<Outcome<void>> {
  if (work.target !== 'rt' && work.target !== 'sta') return wire.activate();
  const part = IMAGE_PARTS[work.target];
  const ordered = (await partsOfDcu(tools, device))[part];
  return ordered === undefined ? lacks(part) : ordered.activate();
}

/** Stores the time in the device's schedule, so that activation needs no connection. A device without a schedule is activated by the HES at that time. */
async function activateLater(turn: Turn, at: Date): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const sleepUntilThen = () => rescheduleStep(Math.min(at.getTime() - tools.ctx.clock.now(), tools.upgradePace.sleepingMs));
  // Scripts of the DCU activate the images of RT and STA.
  if (work.target === 'rt' || work.target === 'sta') return sleepUntilThen();
  // The device's clock may be wrong or in another zone: the schedule is relative to the time it shows.
  const shown = await wire.shownTime();
  if (!shown.ok) return shown;
  const now = tools.ctx.clock.now();
  const clocksChangeMs = tools.zone.offsetMs(at.getTime()) - tools.zone.offsetMs(now);
  const set = await wire.schedule(shown.value + at.getTime() - now + clocksChangeMs);
  if (!set.ok) return set.reason === 'OBJECT_UNDEFINED' || set.reason === 'ACCESS_DENIED' ? sleepUntilThen() : set;
  const fields: RecordFields = { scheduledAt: at, activatedAt: at, process: 93 };
  if (work.status !== 'wait_update') return transition(turn, 'wait_update', { text: at.toISOString(), fields });
  await saveProgress(poolOf(turn), work, fields);
  return sleepUntilThen();
}

/** Deletes the schedule of the device after an operator has stopped or paused the upgrade before that time. */
async function cancelSchedule(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const taken = await wire.schedule(null);
  if (!taken.ok) return taken;
  await saveProgress(poolOf(turn), work, { scheduledAt: null, activatedAt: null });
  return work.isStopping ? failWith(turn, 'CANCELLED') : rescheduleStep(tools.upgradePace.onHoldMs);
}

const msSinceActivation = (turn: Turn): number => turn.tools.ctx.clock.now() - (turn.work.activatedAt?.getTime() ?? 0);

/**
 * Waits for the first response after the restart. Before the scheduled time it runs only after a stop or pause, and deletes the schedule.
 */
async function awaitActivation(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const now = tools.ctx.clock.now();
  if (work.scheduledAt !== null && work.scheduledAt.getTime() > now) return cancelSchedule(turn);
  // Without a time of activation the schedule was deleted during a pause, and the upgrade continues.
  const isOrdered = work.activatedAt !== null;
  if (!isOrdered && work.activateAt !== null && work.activateAt.getTime() > now) return activateLater(turn, work.activateAt);
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationInitiated' && msSinceActivation(turn) < UPDATE_TIMEOUT_MS) return pollLater(turn);
  if (status.value === 'verificationSuccessful' && (!isOrdered || work.scheduledAt !== null)) {
    // The device's clock may be slow.
    if (isOrdered && msSinceActivation(turn) < ACTIVATION_GRACE_MS)
      return rescheduleStep(Math.min(ACTIVATION_GRACE_MS - msSinceActivation(turn), tools.upgradePace.sleepingMs));
    const ordered = await orderActivation(turn);
    if (!ordered.ok) return ordered;
    await saveProgress(poolOf(turn), work, { scheduledAt: null, activatedAt: new Date(now) });
    return rescheduleStep(tools.upgradePace.pollMs.soonest);
  }
  return transition(turn, 'updating', {
    text: status.value,
    fields: { process: 96, ...(isOrdered ? {} : { activatedAt: new Date(now) }) },
  });
}

async function awaitNewVersion(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const version = await wire.version();
  if (!version.ok) return version;
  if (version.value === work.newVersion) {
    if (work.target === 'meter') turn.tools.restarts.recordReturn(work.jobId, work.deviceId, msSinceActivation(turn));
    return transition(turn, 'update_success', { text: version.value, fields: { process: 98, consecutiveFailures: 0 } });
  }
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationFailed') return transition(turn, 'update_fail', { reason: 'ACTIVATION_FAILED', text: version.value });
  const timeoutMs = status.value === 'activationInitiated' ? UPDATE_TIMEOUT_MS : OLD_VERSION_TIMEOUT_MS;
  if (msSinceActivation(turn) < timeoutMs) return pollLater(turn);
  return transition(turn, 'update_fail', { reason: 'VERSION_UNCHANGED', text: version.value });
}

async function checkUpdatedDevice(turn: Turn): Promise<Outcome<Next>> {
  const { work, device, tools } = turn;
  const { clock, pool } = tools.ctx;
  const session = { link: device.link, now: () => clock.now(), deviationMinutes: tools.zone.deviationMinutes(clock.now()) };
  const checks = await runPostChecks(session, work);
  if (!checks.ok) return checks;
  if (work.target === 'meter' || work.target === 'dcu') await saveFirmwareVersion(pool, work.target, work);
  const meter = work.target === 'meter' ? await tools.devices.loadMeter(work.deviceId) : undefined;
  if (meter !== undefined) tools.devices.requireRecheck(meter);
  const wrong = checks.value.filter((check) => check.result === 'fail');
  const postChecksJson = asJson(checks.value);
  if (wrong.length > 0) {
    const text = wrong.map(({ key, detail }) => `${key}: ${detail ?? ''}`).join(', ');
    return failWith(turn, 'POST_CHECK_FAILED', text, { checkResult: 'fail', checkText: text, postChecks: postChecksJson });
  }
  return transition(turn, 'complete', { fields: { process: 100, postChecks: postChecksJson } });
}

/** The step of each state; final states have none. */
export const STEPS: Partial<Record<UpgradeState, (turn: Turn) => Promise<Outcome<Next>>>> = {
  idle: (turn) => transition(turn, 'check_version'),
  check_version: checkVersion,
  download_file: downloadFile,
  enable_translate: enableTransfer,
  set_block_size: setBlockSize,
  translate_init: initiateTransfer,
  start_translate: startTransfer,
  translating: transferBlocks,
  check_fail_block: checkFailBlock,
  check_image: checkImage,
  activate_image: activateImage,
  send_upgrade_rt: activateImage,
  send_upgrade_sta: activateImage,
  wait_update: awaitActivation,
  updating: awaitNewVersion,
  update_success: checkUpdatedDevice,
};
