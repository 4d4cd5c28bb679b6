import { SENDER_STATE_TEXT, type SenderState } from '@hes/contract/states/sender.ts';
import type { Sign } from '#kit/state/sign.ts';

export const SENDER: Record<SenderState, Sign> = {
  running: { shape: 'disc', tone: 'ok', text: SENDER_STATE_TEXT.running, quiet: true },
  failing: { shape: 'cross', tone: 'red', text: SENDER_STATE_TEXT.failing },
  paused: { shape: 'paused', tone: 'amber', text: SENDER_STATE_TEXT.paused },
};
