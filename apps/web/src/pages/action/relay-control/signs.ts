import type { ApprovalState, RelayCommandState } from '@hes/contract/states/relay.ts';
import type { RelayState } from '@hes/contract/states/device.ts';
import type { Sign } from '#widgets/state-of/tables.ts';
import { texts } from './messages.ts';

/** Neither green nor red: what is good about a closed contact differs by country and by moment. */
export const RELAY: Record<RelayState, Sign> = {
  connected: { shape: 'link', tone: 'none', text: texts.connected, quiet: true },
  disconnected: { shape: 'unlink', tone: 'orange', text: texts.disconnected },
  ready: { shape: 'clock', tone: 'amber', text: texts.ready },
  unknown: { shape: 'dashed', tone: 'none', text: texts.unknown, quiet: true },
};
export const RELAY_ORDER = ['connected', 'disconnected', 'ready', 'unknown'] as const satisfies readonly RelayState[];

export const COMMAND: Record<RelayCommandState, Sign> = {
  waiting: { shape: 'clock', tone: 'wait', text: texts.stWaiting },
  sent: { shape: 'arc', tone: 'run', text: texts.stSent },
  done: { shape: 'tick', tone: 'ok', text: texts.stDone, quiet: true },
  refused: { shape: 'cross', tone: 'red', text: texts.stRefused },
  failed: { shape: 'cross', tone: 'red', text: texts.stFailed },
  unknown: { shape: 'ring!', tone: 'amber', text: texts.stUnknown },
};

export const APPROVAL: Record<ApprovalState, Sign> = {
  pending: { shape: 'clock', tone: 'wait', text: texts.pending },
  approved: { shape: 'tick', tone: 'ok', text: texts.approved, quiet: true },
  rejected: { shape: 'cross', tone: 'red', text: texts.rejected },
  expired: { shape: 'stopped', tone: 'none', text: texts.expired },
  cancelled: { shape: 'stopped', tone: 'none', text: texts.cancelled },
};
