import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { simulate } from '#devices/simulate.ts';

export interface RelayState {
  state: 'disconnected' | 'connected' | 'readyForReconnection';
  mode: 'none' | 'mode4';
}

/** Mode 4: remote reconnect closes the relay directly. Mode `none`: orders are accepted and ignored. */
export const relayObject = simulate(disconnectControl, (relay: RelayState) => ({
  read: {
    outputState: () => relay.state === 'connected',
    controlState: () => relay.state,
    controlMode: () => relay.mode,
  },
  invoke: {
    remoteDisconnect: () => void (relay.mode !== 'none' && (relay.state = 'disconnected')),
    remoteReconnect: () => void (relay.mode !== 'none' && (relay.state = 'connected')),
  },
}));
