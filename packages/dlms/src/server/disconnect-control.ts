import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { serverObject, type DescribedObject, type ObjectOptions } from './server-object.ts';
import { nextState, type StateTable } from './state-table.ts';

export type ControlState = AttributeValue<typeof disconnectControl, 'controlState'>;
export type ControlMode = AttributeValue<typeof disconnectControl, 'controlMode'>;

/** What can happen to a relay: over the line, by its button, or by a supervising function of the meter. */
export type ControlEvent =
  | 'remoteDisconnect'
  | 'remoteReconnect'
  | 'manualDisconnect'
  | 'manualReconnect'
  | 'localDisconnect'
  | 'localReconnect';
type ControlTable = StateTable<ControlState, ControlEvent>;

interface ModeRules {
  /** What remote_reconnect does: it closes the relay, or only lets somebody press the button. */
  remoteReconnect: 'closes' | 'arms';
  manualDisconnect: boolean;
  localReconnect: boolean;
}

/** The transitions of one mode. A relay that was opened locally waits for its button; one opened remotely does not. */
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
  // Always connected: nothing moves it.
  none: { connected: {}, disconnected: {}, readyForReconnection: {} },
  mode1: tableOf({ remoteReconnect: 'arms', manualDisconnect: true, localReconnect: false }),
  mode2: tableOf({ remoteReconnect: 'closes', manualDisconnect: true, localReconnect: false }),
  mode3: tableOf({ remoteReconnect: 'arms', manualDisconnect: false, localReconnect: false }),
  mode4: tableOf({ remoteReconnect: 'closes', manualDisconnect: false, localReconnect: false }),
  mode5: tableOf({ remoteReconnect: 'arms', manualDisconnect: true, localReconnect: true }),
  mode6: tableOf({ remoteReconnect: 'arms', manualDisconnect: false, localReconnect: true }),
};

/** A relay and the rules it moves by. */
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

  /** Whether there is supply behind the relay. */
  get isClosed(): boolean {
    return this.#state === 'connected';
  }

  /** Moves the relay if its mode lets it, and says whether it did. */
  apply(event: ControlEvent): boolean {
    const next = nextState(CONTROL_TABLES[this.mode], this.#state, event);
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }
}

/** An order that the mode does not allow is accepted and changes nothing: who gave it reads the state back. */
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
