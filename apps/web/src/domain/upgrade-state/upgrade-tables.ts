import {
  CHECK_RESULT_TEXT,
  FIRMWARE_STATE_TEXT,
  UPGRADE_FAILURES,
  UPGRADE_JOB_TEXT,
  UPGRADE_PLAIN_TEXT,
  UPGRADE_TEXT,
  type CheckResult,
  type FirmwareState,
  type UpgradeJobState,
  type UpgradeState,
} from '@hes/contract/states/upgrade.ts';
import type { UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import type { Sign } from '#kit/state/sign.ts';

/** In plain words, with the word of the specification as hint. */
const words = (state: UpgradeState) => ({ text: UPGRADE_PLAIN_TEXT[state], hint: UPGRADE_TEXT[state] });
const running = (state: UpgradeState): Sign => ({ shape: 'arc', tone: 'run', ...words(state), spin: true });

export const UPGRADE: Record<UpgradeState, Sign> = {
  idle: { shape: 'clock', tone: 'wait', ...words('idle') },
  check_version: running('check_version'),
  download_file: running('download_file'),
  enable_translate: running('enable_translate'),
  set_block_size: running('set_block_size'),
  translate_init: running('translate_init'),
  start_translate: running('start_translate'),
  translating: running('translating'),
  check_fail_block: running('check_fail_block'),
  check_image: running('check_image'),
  activate_image: running('activate_image'),
  send_upgrade_rt: running('send_upgrade_rt'),
  send_upgrade_sta: running('send_upgrade_sta'),
  wait_update: { shape: 'clock', tone: 'run', ...words('wait_update') },
  updating: running('updating'),
  update_success: { shape: 'tick', tone: 'ok', ...words('update_success'), quiet: true },
  update_fail: { shape: 'cross', tone: 'red', ...words('update_fail') },
  no_need_complete: { shape: 'minus', tone: 'none', ...words('no_need_complete') },
  complete: { shape: 'tick', tone: 'ok', ...words('complete'), quiet: true },
  error: { shape: 'cross', tone: 'red', ...words('error') },
};

const MOVING_JOBS: readonly UpgradeJobState[] = ['running', 'waiting_ring'];
/** Whether the devices of an upgrade in this state make progress. */
const isMoving = (jobState: UpgradeJobState): boolean => MOVING_JOBS.includes(jobState);

const isUnderWay = (status: UpgradeState): boolean => UPGRADE[status].tone === 'run';

/** The state of a device. When its upgrade is paused, halted or over, the device stays at its step. */
export function recordSign({ status, jobState }: Pick<UpgradeRecordRow, 'status' | 'jobState'>): Sign {
  const { text, hint } = words(status);
  if (!isUnderWay(status) || isMoving(jobState)) return UPGRADE[status];
  return jobState === 'paused' || jobState === 'halted'
    ? { shape: 'paused', tone: 'amber', text, hint }
    : { shape: 'stopped', tone: 'none', text, hint };
}

/** A step of the timeline: only the last one can be in progress; earlier ones are done, or failed when a failure follows. */
export function stepSign(status: UpgradeState, next: UpgradeState | undefined, jobState: UpgradeJobState): Sign {
  if (next === undefined) return recordSign({ status, jobState });
  const { text, hint } = words(status);
  if (!isUnderWay(status)) return UPGRADE[status];
  return UPGRADE_FAILURES.includes(next)
    ? { shape: 'stopped', tone: 'none', text, hint }
    : { shape: 'tick', tone: 'ok', text, hint, quiet: true };
}

export const FIRMWARE: Record<FirmwareState, Sign> = {
  draft: { shape: 'clock', tone: 'wait', text: FIRMWARE_STATE_TEXT.draft },
  approved: { shape: 'tick', tone: 'ok', text: FIRMWARE_STATE_TEXT.approved, quiet: true },
  retired: { shape: 'stopped', tone: 'none', text: FIRMWARE_STATE_TEXT.retired },
};

export const UPGRADE_JOB: Record<UpgradeJobState, Sign> = {
  running: { shape: 'arc', tone: 'run', text: UPGRADE_JOB_TEXT.running, spin: true },
  waiting_ring: { shape: 'clock', tone: 'wait', text: UPGRADE_JOB_TEXT.waiting_ring },
  paused: { shape: 'paused', tone: 'amber', text: UPGRADE_JOB_TEXT.paused },
  halted: { shape: 'ring!', tone: 'red', text: UPGRADE_JOB_TEXT.halted },
  finished: { shape: 'tick', tone: 'ok', text: UPGRADE_JOB_TEXT.finished, quiet: true },
  stopped: { shape: 'stopped', tone: 'none', text: UPGRADE_JOB_TEXT.stopped },
};

export const CHECK: Record<CheckResult, Sign> = {
  pass: { shape: 'tick', tone: 'ok', text: CHECK_RESULT_TEXT.pass, quiet: true },
  fail: { shape: 'cross', tone: 'red', text: CHECK_RESULT_TEXT.fail },
  skipped: { shape: 'stopped', tone: 'none', text: CHECK_RESULT_TEXT.skipped },
};
