import { ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { UpgradeState } from '@hes/contract/states/upgrade.ts';
import type { Pool } from 'pg';
import { runScript } from '#features/discovery/port.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';
import { mayFollow } from './chain.ts';
import { identifierOctets, loadImage } from './image.ts';
import { pollAfter } from './pace.ts';
import { postChecks, relayState } from './post-checks.ts';
import { asJson, goTo, saveProgress, type RecordFields, type Step, type UpgradeWork } from './record.ts';
import { doneIn, sendMissing } from './send-blocks.ts';
import type { UpgradeTools } from './upgrade-tools.ts';
import type { ImageWire, ImageStatus } from './wire.ts';

/** What a block costs beside itself: service, structure, protection, gateway header. */
export const APDU_OVERHEAD = 96;
const MIN_BLOCK = 16;
const MAX_REPAIRS = 5;
/** How long a device may take from the order to the new version. */
export const UPDATE_PATIENCE_MS = 10 * 60_000;
/** It runs again and says the old version: some answer before they have switched. */
const OLD_VERSION_PATIENCE_MS = 20_000;
/** So long after its time a device that has done nothing is ordered after all. */
const LATE_MS = 5 * 60_000;
const SENT = { from: 2, to: 90 } as const;

/** What a step leaves to be done: go on at once, or come back later. */
export type Next = 'on' | { waitMs: number };

/** One turn with one device. */
export interface Turn {
  tools: UpgradeTools;
  device: DeviceWork;
  work: UpgradeWork;
  wire: ImageWire;
  /** Its time is up, or others wait for the DCU. */
  isOver(): boolean;
  onChanged(): void;
  /** Blocks are many and all alike: they are not kept in the trace. */
  withoutTrace<T>(exchanges: () => Promise<T>): Promise<T>;
}

const poolOf = (turn: Turn): Pool => turn.tools.ctx.pool;

async function go(turn: Turn, next: UpgradeState, step?: Step): Promise<Outcome<Next>> {
  await goTo(poolOf(turn), turn.work, next, step);
  turn.work.enteredAt = turn.tools.ctx.clock.now();
  turn.onChanged();
  return ok('on');
}

const fail = (turn: Turn, reason: ReasonCode, text: string | null = null, fields: RecordFields = {}): Promise<Outcome<Next>> =>
  go(turn, 'error', { reason, text, fields });
const wait = (waitMs: number): Outcome<Next> => ok({ waitMs });
const waitFor = ({ tools, work }: Turn): Outcome<Next> => wait(pollAfter(tools.upgradePace, tools.ctx.clock.now() - work.enteredAt));
const isAway = ({ reason }: { reason: ReasonCode }): boolean => reason !== 'TEMPORARY_FAILURE';

async function checkVersion(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const version = await wire.version();
  if (!version.ok) return version;
  const fields: RecordFields = { oldVersion: version.value };
  if (version.value === work.newVersion)
    return go(turn, 'no_need_complete', { text: version.value, fields: { ...fields, process: 100, checkResult: 'skipped' } });
  if (!mayFollow(version.value, { version: work.newVersion, fromVersions: work.fromVersions }))
    return fail(turn, 'NOT_IN_CHAIN', version.value, fields);
  if (work.target === 'meter') {
    const relay = await relayState(turn.device.link);
    if (!relay.ok) return relay;
    fields.relayBefore = relay.value;
  }
  return go(turn, 'download_file', { text: version.value, fields });
}

async function downloadFile(turn: Turn): Promise<Outcome<Next>> {
  const image = await loadImage(poolOf(turn), turn.work.fileId, turn.work.sha256);
  if (!image.ok) return fail(turn, image.reason);
  return go(turn, 'enable_translate', {
    text: `${image.value.length} B, SHA-256 ${turn.work.sha256.slice(0, 12)}…`,
    fields: { process: 1 },
  });
}

async function enable(turn: Turn): Promise<Outcome<Next>> {
  const enabled = await turn.wire.isEnabled();
  if (!enabled.ok && enabled.reason !== 'ACCESS_DENIED') return enabled;
  if (!enabled.ok || !enabled.value) {
    const set = await turn.wire.enable();
    if (!set.ok) return set.reason === 'ACCESS_DENIED' ? fail(turn, 'IMAGE_REFUSED', set.detail ?? null) : set;
  }
  return go(turn, 'set_block_size');
}

/** The device's size is the one that counts; a smaller one is asked for, and what it then says holds. */
async function setBlockSize(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, device } = turn;
  const own = await wire.blockSize();
  if (!own.ok) return own;
  const wanted = Math.max(MIN_BLOCK, Math.min(work.firmwareBlockSize, own.value, device.device.maxPduSize - APDU_OVERHEAD));
  let blockSize = own.value;
  const isUnderWay = work.blocksTotal !== null && !work.isAnew && work.blockSize === own.value;
  if (wanted < own.value && !isUnderWay) {
    const set = await wire.setBlockSize(wanted);
    if (!set.ok && set.reason !== 'ACCESS_DENIED') return set;
    const said = await wire.blockSize();
    if (!said.ok) return said;
    blockSize = said.value;
  }
  if (blockSize < 1) return fail(turn, 'BAD_ANSWER', `${blockSize} B`);
  return go(turn, 'translate_init', { text: `${blockSize} B`, fields: { blockSize } });
}

/** What the device holds is used again when it is ours; initiating would erase it. */
async function mayGoOn(turn: Turn, status: ImageStatus, size: number): Promise<Outcome<boolean>> {
  const { work, wire } = turn;
  if (work.isAnew || work.blocksTotal === null) return ok(false);
  if (status === 'initiated' || status === 'verificationInitiated') return ok(true);
  if (status !== 'verificationSuccessful') return ok(false);
  const info = await wire.toActivate();
  if (!info.ok) return info;
  return ok(isOurs(info.value, work, size));
}

/** Whether what a device has verified is the image of this upgrade. */
export const isOurs = (
  info: readonly { size: number; identification: Uint8Array }[],
  work: Pick<UpgradeWork, 'imageIdentifier'>,
  size: number,
): boolean => info.some((one) => one.size === size && Buffer.from(one.identification).equals(identifierOctets(work.imageIdentifier)));

async function initiate(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return fail(turn, image.reason);
  const size = image.value.length;
  const blocksTotal = Math.ceil(size / (work.blockSize ?? 1));
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationInitiated') return waitFor(turn);
  const isOn = await mayGoOn(turn, status.value, size);
  if (!isOn.ok) return isOn;
  if (isOn.value && work.blocksTotal === blocksTotal) return go(turn, 'start_translate', { text: 'resume' });
  const begun = await wire.initiate(identifierOctets(work.imageIdentifier), size);
  if (!begun.ok) {
    if (begun.reason === 'ACCESS_DENIED') return fail(turn, 'IMAGE_REFUSED', begun.detail ?? null);
    return begun;
  }
  const fields = { blocksTotal, blocksDone: 0, blockMap: '0'.repeat(blocksTotal), isAnew: false };
  return go(turn, 'start_translate', { text: `${blocksTotal} × ${work.blockSize ?? 0} B`, fields });
}

async function startTransfer(turn: Turn): Promise<Outcome<Next>> {
  if (turn.work.isBroadcastAhead) return wait(turn.tools.upgradePace.heldMs);
  const status = await turn.wire.status();
  if (!status.ok) return status;
  if (status.value !== 'initiated' && status.value !== 'verificationInitiated' && status.value !== 'verificationSuccessful')
    return beginAgain(turn, status.value);
  const first = await turn.wire.firstMissing();
  if (!first.ok) return first;
  return go(turn, 'translating', { text: `${first.value}` });
}

/** Some devices lose with their power what they had of an image: those are told of it once more. Who refuses for another reason is believed. */
async function beginAgain(turn: Turn, refusal: string | null): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value !== 'notInitiated' || work.repairs >= MAX_REPAIRS) return fail(turn, 'IMAGE_REFUSED', refusal);
  return go(turn, 'enable_translate', { text: 'lost', fields: { repairs: work.repairs + 1 } });
}

const percentOf = (done: number, total: number): number => SENT.from + ((SENT.to - SENT.from) * done) / Math.max(total, 1);

/** Sends what the device itself says is missing, until the turn is over. */
async function transfer(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return fail(turn, image.reason);
  const { blockSize, blocksTotal } = work;
  if (blockSize === null || blocksTotal === null) return fail(turn, 'INTERNAL');
  const read = await wire.blockMap(blocksTotal);
  if (!read.ok) return read;
  const before = work.octetsSent;
  const save = async ({ blockMap, octets, elapsedMs }: { blockMap: string; octets: number; elapsedMs: number }) => {
    const blocksDone = doneIn(blockMap);
    await saveProgress(poolOf(turn), work, {
      blockMap,
      octetsSent: before + octets,
      process: percentOf(blocksDone, blocksTotal),
      ...(octets > 0 ? { rate: Math.round((octets * 1000) / Math.max(elapsedMs, 1)) } : {}),
      ...(blocksDone > work.blocksDone ? { stumbles: 0 } : {}),
      blocksDone,
    });
    turn.onChanged();
  };
  const { isOver } = turn;
  const sent = await turn.withoutTrace(() => sendMissing({ wire, image: image.value, blockSize, blockMap: read.value, isOver, save }));
  if (!sent.ok) return sent.reason === 'ACCESS_DENIED' ? beginAgain(turn, sent.detail ?? null) : sent;
  return sent.value ? go(turn, 'check_fail_block') : wait(0);
}

async function checkFailBlock(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const read = await wire.blockMap(work.blocksTotal ?? 0);
  if (!read.ok) return read;
  const missing = read.value.length - doneIn(read.value);
  const fields: RecordFields = { blockMap: read.value, blocksDone: doneIn(read.value) };
  if (missing === 0) return go(turn, 'check_image', { text: '0', fields: { ...fields, process: SENT.to } });
  if (work.repairs >= MAX_REPAIRS) return fail(turn, 'IMAGE_INCOMPLETE', `${missing}`, fields);
  return go(turn, 'translating', { text: `${missing}`, fields: { ...fields, repairs: work.repairs + 1 } });
}

async function checkImage(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'initiated') {
    const verified = await wire.verify();
    // It is at work, or it has found something: the status says which.
    if (!verified.ok && isAway(verified)) return verified;
    const after = await wire.status();
    if (!after.ok) return after;
    if (after.value === 'verificationInitiated') return waitFor(turn);
    if (after.value === 'initiated') return waitFor(turn);
    return ok('on');
  }
  if (status.value === 'verificationInitiated') return waitFor(turn);
  if (status.value !== 'verificationSuccessful')
    return fail(turn, 'IMAGE_VERIFY_FAILED', status.value, { checkResult: 'fail', checkText: status.value });
  const image = await loadImage(poolOf(turn), work.fileId, work.sha256);
  if (!image.ok) return fail(turn, image.reason);
  const info = await wire.toActivate();
  if (info.ok && !isOurs(info.value, work, image.value.length))
    return fail(turn, 'IMAGE_VERIFY_FAILED', 'identification', { checkResult: 'fail', checkText: 'identification' });
  if (!info.ok && isAway(info) && info.reason !== 'OBJECT_UNDEFINED' && info.reason !== 'ACCESS_DENIED') return info;
  const next = work.target === 'rt' ? 'send_upgrade_rt' : work.target === 'sta' ? 'send_upgrade_sta' : 'activate_image';
  return go(turn, next, { fields: { checkResult: 'pass', checkText: null, process: 92 } });
}

/** Ordered only where the device says that the image is verified; a lost answer is judged by what it says the next time. */
async function activate(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const now = tools.ctx.clock.now();
  if (work.activateAt !== null && work.activateAt.getTime() > now) return activateLater(turn, work.activateAt);
  const status = await wire.status();
  if (!status.ok) return status;
  const moved = () => go(turn, 'wait_update', { fields: { activatedAt: new Date(now), process: 94 } });
  if (status.value === 'activationInitiated' || status.value === 'activationSuccessful') return moved();
  if (status.value === 'activationFailed') return go(turn, 'update_fail', { reason: 'ACTIVATION_FAILED', text: status.value });
  if (status.value !== 'verificationSuccessful') {
    const version = await wire.version();
    if (version.ok && version.value === work.newVersion) return moved();
    return version.ok ? fail(turn, 'ACTIVATION_FAILED', status.value) : version;
  }
  const ordered = await order(turn);
  if (!ordered.ok) return ordered;
  const backInMs = work.target === 'meter' ? tools.restarts.recordRestart(work.jobId, work.deviceId) : undefined;
  await moved();
  return wait(backInMs ?? tools.upgradePace.pollMs.soonest);
}

/** The order itself; a device that is at work on it has taken it. */
async function order({ work, wire, tools, device }: Turn): Promise<Outcome<void>> {
  const ordered =
    work.target === 'rt'
      ? await runScript(tools, device, 'upgradeRouteModule')
      : work.target === 'sta'
        ? await runScript(tools, device, 'upgradeStations')
        : await wire.activate();
  return !ordered.ok && isAway(ordered) ? ordered : ok(undefined);
}

/** The device itself does it where it has a schedule, because then nobody need be there; otherwise it is ordered when the time has come. */
async function activateLater(turn: Turn, at: Date): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const untilThen = () => wait(Math.min(at.getTime() - tools.ctx.clock.now(), tools.upgradePace.asleepMs));
  // RT and STA are taken into use by scripts of their DCU.
  if (work.target === 'rt' || work.target === 'sta') return untilThen();
  // Its clock may be in another zone, or wrong: it is told in what it shows itself.
  const shown = await wire.shownTime();
  if (!shown.ok) return shown;
  const now = tools.ctx.clock.now();
  const clocksChangeMs = tools.zone.offsetMs(at.getTime()) - tools.zone.offsetMs(now);
  const set = await wire.schedule(shown.value + at.getTime() - now + clocksChangeMs);
  if (!set.ok) return set.reason === 'OBJECT_UNDEFINED' || set.reason === 'ACCESS_DENIED' ? untilThen() : set;
  const fields: RecordFields = { scheduledAt: at, activatedAt: at, process: 93 };
  if (work.status !== 'wait_update') return go(turn, 'wait_update', { text: at.toISOString(), fields });
  await saveProgress(poolOf(turn), work, fields);
  return untilThen();
}

/** Somebody stopped or paused the upgrade before its time: the device forgets it. */
async function takeBack(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const taken = await wire.schedule(null);
  if (!taken.ok) return taken;
  await saveProgress(poolOf(turn), work, { scheduledAt: null, activatedAt: null });
  return work.isStopping ? fail(turn, 'CANCELLED') : wait(tools.upgradePace.heldMs);
}

const sinceActivation = (turn: Turn): number => turn.tools.ctx.clock.now() - (turn.work.activatedAt?.getTime() ?? 0);

/** The moment it was told, or the first answer after the restart. */
async function waitUpdate(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire, tools } = turn;
  const now = tools.ctx.clock.now();
  if (work.scheduledAt !== null && work.scheduledAt.getTime() > now) return takeBack(turn);
  // It was taken back, and the upgrade goes on.
  const isOrdered = work.activatedAt !== null;
  if (!isOrdered && work.activateAt !== null && work.activateAt.getTime() > now) return activateLater(turn, work.activateAt);
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationInitiated' && sinceActivation(turn) < UPDATE_PATIENCE_MS) return waitFor(turn);
  if (status.value === 'verificationSuccessful' && (!isOrdered || work.scheduledAt !== null)) {
    // Clocks of devices are late now and then.
    if (isOrdered && sinceActivation(turn) < LATE_MS) return wait(Math.min(LATE_MS - sinceActivation(turn), tools.upgradePace.asleepMs));
    const ordered = await order(turn);
    if (!ordered.ok) return ordered;
    await saveProgress(poolOf(turn), work, { scheduledAt: null, activatedAt: new Date(now) });
    return wait(tools.upgradePace.pollMs.soonest);
  }
  return go(turn, 'updating', { text: status.value, fields: { process: 96, ...(isOrdered ? {} : { activatedAt: new Date(now) }) } });
}

async function updating(turn: Turn): Promise<Outcome<Next>> {
  const { work, wire } = turn;
  const version = await wire.version();
  if (!version.ok) return version;
  if (version.value === work.newVersion) {
    if (work.target === 'meter') turn.tools.restarts.recordReturn(work.jobId, work.deviceId, sinceActivation(turn));
    return go(turn, 'update_success', { text: version.value, fields: { process: 98, stumbles: 0 } });
  }
  const status = await wire.status();
  if (!status.ok) return status;
  if (status.value === 'activationFailed') return go(turn, 'update_fail', { reason: 'ACTIVATION_FAILED', text: version.value });
  const patience = status.value === 'activationInitiated' ? UPDATE_PATIENCE_MS : OLD_VERSION_PATIENCE_MS;
  if (sinceActivation(turn) < patience) return waitFor(turn);
  return go(turn, 'update_fail', { reason: 'VERSION_UNCHANGED', text: version.value });
}

async function finish(turn: Turn): Promise<Outcome<Next>> {
  const { work, device, tools } = turn;
  const { clock, pool } = tools.ctx;
  const session = { link: device.link, now: () => clock.now(), deviationMinutes: tools.zone.deviationMinutes(clock.now()) };
  const checks = await postChecks(session, work);
  if (!checks.ok) return checks;
  if (work.target === 'meter' || work.target === 'dcu')
    await pool.query(`update ${work.target} set firmware_version = $2 where id = $1`, [work.deviceId, work.newVersion]);
  const meter = work.target === 'meter' ? await tools.devices.loadMeter(work.deviceId) : undefined;
  if (meter !== undefined) tools.devices.requireRecheck(meter);
  const wrong = checks.value.filter((check) => check.result === 'fail');
  const postChecksJson = asJson(checks.value);
  if (wrong.length > 0) {
    const text = wrong.map(({ key, detail }) => `${key}: ${detail ?? ''}`).join(', ');
    return fail(turn, 'POST_CHECK_FAILED', text, { checkResult: 'fail', checkText: text, postChecks: postChecksJson });
  }
  return go(turn, 'complete', { fields: { process: 100, postChecks: postChecksJson } });
}

/** What is done in each state; the states that are missing here are ends. */
export const STEPS: Partial<Record<UpgradeState, (turn: Turn) => Promise<Outcome<Next>>>> = {
  idle: (turn) => go(turn, 'check_version'),
  check_version: checkVersion,
  download_file: downloadFile,
  enable_translate: enable,
  set_block_size: setBlockSize,
  translate_init: initiate,
  start_translate: startTransfer,
  translating: transfer,
  check_fail_block: checkFailBlock,
  check_image: checkImage,
  activate_image: activate,
  send_upgrade_rt: activate,
  send_upgrade_sta: activate,
  wait_update: waitUpdate,
  updating,
  update_success: finish,
};
