import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { serverObject, type DescribedObject, type ObjectOptions } from './server-object.ts';
import { nextState, type StateTable } from './state-table.ts';

export type ControlState = AttributeValue<typeof disconnectControl, 'controlState'>;
export type ControlMode = AttributeValue<typeof disconnectControl, 'controlMode'>;

/** Events of a relay: remote commands, its button, or a supervising function of the meter. */
export type ControlEvent =
  | 'remoteDisconnect'
  | 'remoteReconnect'
  | 'manualDisconnect'
  | 'manualReconnect'
  | 'localDisconnect'
  | 'localReconnect';
type ControlTable = StateTable<ControlState, ControlEvent>;

interface ModeRules {
  /** Effect of remote_reconnect: it closes the relay, or arms it for the button. */
  remoteReconnect: 'closes' | 'arms';
  manualDisconnect: boolean;
  localReconnect: boolean;
}

/** The transitions of one mode. The button can reconnect a locally opened relay; a remotely opened one requires remote_reconnect. */
const tableOf = ({ remoteReconnect, manualDisconnect, localReconnect }: ModeRules): ControlTable => ({
  connected: {
    remoteDisconnect: 'disconnected',
    localDisconnect: 'readyForReconnection',
    ...(manualDisconnect ? { manualDisconnect: 'readyForReconnection' } : {}),
  },
  disconnected: { remoteReconnect: remoteReconnect === 'closes' ? 'connected' : 'readyForReconnection' },
  readyForReconnection: {
    manualReconnect: 'connected',
    remoteDisconnect: 'disconnected',
    ...(localReconnect ? { localReconnect: 'connected' } : {}),
  },
});

/** @spec BB 4 (control_mode) */
export const CONTROL_TABLES: Readonly<Record<ControlMode, ControlTable>> = {
  // Always connected: no event has an effect.
  none: { connected: {}, disconnected: {}, readyForReconnection: {} },
  mode1: tableOf({ remoteReconnect: 'arms', manualDisconnect: true, localReconnect: false }),
  mode2: tableOf({ remoteReconnect: 'closes', manualDisconnect: true, localReconnect: false }),
  mode3: tableOf({ remoteReconnect: 'arms', manualDisconnect: false, localReconnect: false }),
  mode4: tableOf({ remoteReconnect: 'closes', manualDisconnect: false, localReconnect: false }),
  mode5: tableOf({ remoteReconnect: 'arms', manualDisconnect: true, localReconnect: true }),
  mode6: tableOf({ remoteReconnect: 'arms', manualDisconnect: false, localReconnect: true }),
};

/** A relay with the transitions of its mode. */
export class Relay {
  #state: ControlState;
  mode: ControlMode;

  constructor(mode: ControlMode, state: ControlState = 'connected') {
    this.mode = mode;
    this.#state = state;
  }

  get state(): ControlState {
    return this.#state;
  }

  /** Whether supply is connected. */
  get isClosed(): boolean {
    return this.#state === 'connected';
  }

  /** Applies an event if the mode permits it; returns whether it did. */
  apply(event: ControlEvent): boolean {
    const next = nextState(CONTROL_TABLES[this.mode], this.#state, event);
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }
}

/** A command that the mode does not permit succeeds without effect; clients read the state back. */
export const disconnectControlObject = (relay: Relay, options: ObjectOptions): DescribedObject =>
  serverObject(
    disconnectControl,
    {
      read: { outputState: () => relay.isClosed, controlState: () => relay.state, controlMode: () => relay.mode },
      write: { controlMode: (mode) => void (relay.mode = mode) },
      invoke: {
        remoteDisconnect: () => void relay.apply('remoteDisconnect'),
        remoteReconnect: () => void relay.apply('remoteReconnect'),
      },
    },
    options,
  );
