import type { RelayState } from '@hes/contract/states/device.ts';
import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import type { Sign } from '#kit/state/sign.ts';

/** Neutral colours: whether a closed contact is good depends on the country and the situation. */
export const RELAY: Record<RelayState, Sign> = {
  connected: { shape: 'link', tone: 'none', text: RELAY_TEXT.connected, quiet: true },
  disconnected: { shape: 'unlink', tone: 'orange', text: RELAY_TEXT.disconnected },
  ready: { shape: 'clock', tone: 'amber', text: RELAY_TEXT.ready },
  unknown: { shape: 'dashed', tone: 'none', text: RELAY_TEXT.unknown, quiet: true },
};
