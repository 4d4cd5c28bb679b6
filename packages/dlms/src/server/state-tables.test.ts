import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTROL_TABLES, Relay, type ControlEvent, type ControlMode } from './disconnect-control.ts';
import { IMAGE_TABLE, ImageStore, type ImageStatus } from './image-transfer.ts';
import { reachableStates, type StateTable } from './state-table.ts';

const MODES = Object.keys(CONTROL_TABLES) as ControlMode[]; // as: keys() widens
const EVENTS: ControlEvent[] = [
  'remoteDisconnect',
  'remoteReconnect',
  'manualDisconnect',
  'manualReconnect',
  'localDisconnect',
  'localReconnect',
];

function deadEnds(table: StateTable<string, string>): string[] {
  return Object.keys(table).filter((state) => Object.keys(table[state] ?? {}).length === 0);
}

describe('a relay', () => {
  it.each(MODES.filter((mode) => mode !== 'none'))('of %s reaches and leaves every state', (mode) => {
    const table = CONTROL_TABLES[mode];
    for (const state of ['connected', 'disconnected', 'readyForReconnection'] as const) expect(reachableStates(table, state).size).toBe(3);
    expect(deadEnds(table)).toEqual([]);
  });

  it('of mode none is always connected', () => {
    const relay = new Relay('none');
    expect(EVENTS.map((event) => relay.apply(event))).not.toContain(true);
    expect(relay.isClosed).toBe(true);
  });

  // The Blue Book's table of modes: the transitions each permits.
  it.each([
    ['mode1', { arms: true, manualDisconnect: true, localReconnect: false }],
    ['mode2', { arms: false, manualDisconnect: true, localReconnect: false }],
    ['mode3', { arms: true, manualDisconnect: false, localReconnect: false }],
    ['mode4', { arms: false, manualDisconnect: false, localReconnect: false }],
    ['mode5', { arms: true, manualDisconnect: true, localReconnect: true }],
    ['mode6', { arms: true, manualDisconnect: false, localReconnect: true }],
  ] as const)('of %s permits only the transitions of its mode', (mode, { arms, manualDisconnect, localReconnect }) => {
    const relay = new Relay(mode);
    expect(relay.apply('manualDisconnect')).toBe(manualDisconnect);
    if (manualDisconnect) expect(relay.apply('manualReconnect')).toBe(true);
    expect(relay.apply('localDisconnect')).toBe(true);
    expect(relay.state).toBe('readyForReconnection');
    expect(relay.apply('localReconnect')).toBe(localReconnect);
    if (!localReconnect) expect(relay.apply('manualReconnect')).toBe(true);
    expect(relay.apply('remoteDisconnect')).toBe(true);
    expect(relay.apply('manualReconnect')).toBe(false);
    expect(relay.apply('remoteReconnect')).toBe(true);
    expect(relay.state).toBe(arms ? 'readyForReconnection' : 'connected');
    expect(relay.apply('remoteReconnect')).toBe(false);
  });

  it('stays within its states in any order of events', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODES), fc.array(fc.constantFrom(...EVENTS)), (mode, events) => {
        const relay = new Relay(mode);
        for (const event of events) {
          const before = relay.state;
          expect(relay.apply(event)).toBe(CONTROL_TABLES[mode][before][event] !== undefined);
        }
        expect(Object.keys(CONTROL_TABLES[mode])).toContain(relay.state);
      }),
    );
  });
});

describe('an image', () => {
  const storeOf = (verify: boolean | 'working', activate: boolean | 'working' = true) => {
    const store = new ImageStore({ blockSize: 4, maxSize: 100, verify: () => verify, activate: () => activate });
    store.enabled = true;
    return store;
  };
  const identification = Uint8Array.of(1);
  const fill = (store: ImageStore) => {
    store.initiate({ identification, size: 10 });
    for (const blockNumber of [2, 0, 1]) store.put({ blockNumber, block: new Uint8Array(blockNumber === 2 ? 2 : 4) });
  };

  it('reaches and leaves every state', () => {
    expect(reachableStates(IMAGE_TABLE, 'notInitiated').size).toBe(Object.keys(IMAGE_TABLE).length);
    for (const state of Object.keys(IMAGE_TABLE) as ImageStatus[])
      expect(reachableStates(IMAGE_TABLE, state)).toContain('activationSuccessful'); // as: keys() widens
    expect(deadEnds(IMAGE_TABLE)).toEqual([]);
  });

  it('accepts its blocks in any order', () => {
    const store = storeOf(true);
    expect(store.initiate({ identification, size: 10 })).toBe('success');
    expect([store.bitmap, store.firstMissing]).toEqual(['000', 0]);
    expect(store.put({ blockNumber: 2, block: new Uint8Array(2) })).toBe('success');
    expect(store.put({ blockNumber: 0, block: new Uint8Array(4) })).toBe('success');
    expect([store.bitmap, store.firstMissing]).toEqual(['101', 1]);
    expect(store.verify()).toBe('readWriteDenied');
    expect(store.put({ blockNumber: 1, block: new Uint8Array(3) })).toBe('otherReason');
    expect(store.put({ blockNumber: 3, block: new Uint8Array(4) })).toBe('otherReason');
    expect(store.put({ blockNumber: 1, block: new Uint8Array(4) })).toBe('success');
    expect([store.bitmap, store.firstMissing]).toEqual(['111', 3]);
    expect(store.verify()).toBe('success');
    expect(store.toActivate).toMatchObject([{ size: 10, identification }]);
    expect(store.activate()).toBe('success');
    expect(store.status).toBe('activationSuccessful');
  });

  it('in a long verification returns temporaryFailure', () => {
    const store = storeOf('working', 'working');
    fill(store);
    expect([store.verify(), store.verify(), store.status]).toEqual(['temporaryFailure', 'temporaryFailure', 'verificationInitiated']);
    expect(store.initiate({ identification, size: 1 })).toBe('temporaryFailure');
    store.verified(true);
    expect([store.activate(), store.activate(), store.status]).toEqual(['temporaryFailure', 'temporaryFailure', 'activationInitiated']);
    store.activated(false);
    expect(store.status).toBe('activationFailed');
  });

  it('that fails verification is not activated', () => {
    const store = storeOf(false);
    fill(store);
    expect([store.verify(), store.status, store.activate()]).toEqual(['otherReason', 'verificationFailed', 'readWriteDenied']);
    expect(store.toActivate).toEqual([]);
  });

  it('is refused when transfer is disabled, or it is too large or empty', () => {
    const store = storeOf(true);
    expect(store.initiate({ identification, size: 101 })).toBe('readWriteDenied');
    expect(store.initiate({ identification, size: 0 })).toBe('readWriteDenied');
    expect(store.put({ blockNumber: 0, block: new Uint8Array(4) })).toBe('readWriteDenied');
    store.enabled = false;
    expect(store.initiate({ identification, size: 10 })).toBe('readWriteDenied');
  });
});
