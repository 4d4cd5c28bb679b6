import { describe, expect, it } from 'vitest';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { pressButton, relayObject, type ControlMode, type RelayState } from './relay.ts';

const { remoteDisconnect, remoteReconnect } = disconnectControl.methods;
const relayIn = (mode: ControlMode): RelayState => ({ state: 'connected', mode, orders: 0 });
const order = (relay: RelayState, method: { id: number }) =>
  relayObject(relay, WELL_KNOWN.RELAY.instance).invoke?.(method.id, { type: 'integer', value: 0 });

describe('a relay', () => {
  it('of mode 0 is always connected', () => {
    const relay = relayIn('none');
    order(relay, remoteDisconnect);
    expect(relay).toEqual({ state: 'connected', mode: 'none', orders: 1 });
  });

  it.each(['mode1', 'mode2', 'mode3', 'mode4', 'mode5', 'mode6'] as const)('of %s opens by remote order', (mode) => {
    const relay = relayIn(mode);
    order(relay, remoteDisconnect);
    expect(relay.state).toBe('disconnected');
  });

  it.each([
    ['mode1', 'readyForReconnection'],
    ['mode2', 'connected'],
    ['mode3', 'readyForReconnection'],
    ['mode4', 'connected'],
    ['mode5', 'readyForReconnection'],
    ['mode6', 'readyForReconnection'],
  ] as const)('of %s is %s after a remote reconnection', (mode, state) => {
    const relay = relayIn(mode);
    order(relay, remoteDisconnect);
    order(relay, remoteReconnect);
    expect(relay.state).toBe(state);
  });

  it('that is ready for reconnection closes by its button, or disconnects by a remote command', () => {
    const relay = relayIn('mode3');
    order(relay, remoteDisconnect);
    order(relay, remoteReconnect);
    pressButton(relay);
    expect(relay.state).toBe('connected');
    order(relay, remoteDisconnect);
    order(relay, remoteReconnect);
    order(relay, remoteDisconnect);
    expect(relay.state).toBe('disconnected');
  });

  it.each([
    ['mode1', 'readyForReconnection'],
    ['mode2', 'readyForReconnection'],
    ['mode3', 'connected'],
    ['mode4', 'connected'],
    ['mode5', 'readyForReconnection'],
    ['mode6', 'connected'],
  ] as const)('of %s is %s after a press of its button while it was closed', (mode, state) => {
    const relay = relayIn(mode);
    pressButton(relay);
    expect(relay.state).toBe(state);
  });
});
