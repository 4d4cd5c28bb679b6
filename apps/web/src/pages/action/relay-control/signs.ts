import type { HeldCallRow } from '@hes/contract/action/held-call.ts';
import { APPROVAL_TEXT, RELAY_COMMAND_TEXT, type ApprovalState, type RelayCommandState } from '@hes/contract/action/relay-rules.ts';
import type { RelayState } from '@hes/contract/states/device.ts';
import type { Sign } from '#kit/state/sign.ts';

export const RELAY_ORDER = ['connected', 'disconnected', 'ready', 'unknown'] as const satisfies readonly RelayState[];

export const COMMAND: Record<RelayCommandState, Sign> = {
  waiting: { shape: 'clock', tone: 'wait', text: RELAY_COMMAND_TEXT.waiting },
  sent: { shape: 'arc', tone: 'run', text: RELAY_COMMAND_TEXT.sent },
  done: { shape: 'tick', tone: 'ok', text: RELAY_COMMAND_TEXT.done, quiet: true },
  refused: { shape: 'cross', tone: 'red', text: RELAY_COMMAND_TEXT.refused },
  failed: { shape: 'cross', tone: 'red', text: RELAY_COMMAND_TEXT.failed },
  unknown: { shape: 'ring!', tone: 'amber', text: RELAY_COMMAND_TEXT.unknown },
};

/** Decisions about held calls; an approved call can still fail when it is executed. */
export const HELD_CALL: Record<HeldCallRow['state'], Sign> = {
  pending: { shape: 'clock', tone: 'wait', text: APPROVAL_TEXT.pending },
  approved: { shape: 'tick', tone: 'ok', text: APPROVAL_TEXT.approved, quiet: true },
  rejected: { shape: 'cross', tone: 'red', text: APPROVAL_TEXT.rejected },
  expired: { shape: 'stopped', tone: 'none', text: APPROVAL_TEXT.expired },
  failed: { shape: 'cross', tone: 'red', text: RELAY_COMMAND_TEXT.failed },
};

export const APPROVAL: Record<ApprovalState, Sign> = {
  pending: { shape: 'clock', tone: 'wait', text: APPROVAL_TEXT.pending },
  approved: { shape: 'tick', tone: 'ok', text: APPROVAL_TEXT.approved, quiet: true },
  rejected: { shape: 'cross', tone: 'red', text: APPROVAL_TEXT.rejected },
  expired: { shape: 'stopped', tone: 'none', text: APPROVAL_TEXT.expired },
  cancelled: { shape: 'stopped', tone: 'none', text: APPROVAL_TEXT.cancelled },
};
