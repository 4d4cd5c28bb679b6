import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { simulate } from '#devices/simulate.ts';

export type ControlMode = 'none' | 'mode1' | 'mode2' | 'mode3' | 'mode4' | 'mode5' | 'mode6';

export interface RelayState {
  state: 'disconnected' | 'connected' | 'readyForReconnection';
  mode: ControlMode;
  /** Executed remote commands, including ineffective ones: reveals a command that was sent twice. */
  orders: number;
  /** Welded contacts: current flows regardless of the relay's state. */
  isWelded?: boolean;
}

/** Modes in which a remote reconnection closes the contact; in the others it only enables manual reconnection. @spec BB 4 (class_id 70) */
const CLOSES: ReadonlySet<ControlMode> = new Set(['mode2', 'mode4']);
/** Modes in which the contact can be opened manually at the meter. */
const OPENED_BY_HAND: ReadonlySet<ControlMode> = new Set(['mode1', 'mode2', 'mode5']);

/** Transitions b and c: from connected, or from ready for reconnection. Mode `none` always stays connected. */
function disconnect(relay: RelayState): void {
  relay.orders++;
  if (relay.mode !== 'none') relay.state = 'disconnected';
}

/** Transitions a and d: both only from disconnected. */
function reconnect(relay: RelayState): void {
  relay.orders++;
  if (relay.mode === 'none' || relay.state !== 'disconnected') return;
  relay.state = CLOSES.has(relay.mode) ? 'connected' : 'readyForReconnection';
}

/** The button at the meter: transition e closes a contact that is ready, transition f opens it where the mode allows it. */
export function pressButton(relay: RelayState): void {
  if (relay.state === 'readyForReconnection') relay.state = 'connected';
  else if (relay.state === 'connected' && OPENED_BY_HAND.has(relay.mode)) relay.state = 'readyForReconnection';
}

export const relayObject = simulate(disconnectControl, (relay: RelayState) => ({
  read: {
    outputState: () => relay.state === 'connected',
    controlState: () => relay.state,
    controlMode: () => relay.mode,
  },
  invoke: { remoteDisconnect: () => disconnect(relay), remoteReconnect: () => reconnect(relay) },
}));
