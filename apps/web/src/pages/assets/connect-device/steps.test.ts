import type { Progress } from '@hes/contract/asset/connecting.ts';
import { describe, expect, it } from 'vitest';
import { currentStep, stepsOf, stepStates } from './steps.ts';

const at = '2026-11-27T00:00:00.000Z';
const NOTHING: Progress = {
  kind: 'dcu',
  id: '1',
  sn: 'DCU00001',
  typeId: '1',
  typeName: 'A',
  connectionType: 'dial_in',
  host: null,
  authenticationType: 'hls_gmac',
  hasKeys: true,
  onlineStatus: 'never',
  remote: null,
  attempts: [],
  orders: { test: null, check: null, meters: null, value: null },
  meters: 0,
  active: 0,
  found: 0,
  meter: null,
};
const order = (state: 'finished' | 'failed' | 'running') => ({ taskId: '1', itemId: '1', state, at });
const shown = (progress: Progress | undefined, isCollected = false) =>
  currentStep(stepStates(progress?.kind ?? 'dcu', progress, isCollected));

describe('the steps of the guide', () => {
  it('begin with the call, as long as nothing is registered', () => expect(shown(undefined)).toBe('call'));
  it('wait for the connection of a registered device', () => expect(shown(NOTHING)).toBe('online'));
  it('go on with the test of a connected device', () => expect(shown({ ...NOTHING, onlineStatus: 'online' })).toBe('test'));
  it('stay at a test that runs, and at one that failed', () => {
    for (const state of ['running', 'failed'] as const)
      expect(shown({ ...NOTHING, onlineStatus: 'online', orders: { ...NOTHING.orders, test: order(state) } })).toBe('test');
  });
  it('do not stop at an object list that the device refuses', () => {
    const orders = { ...NOTHING.orders, test: order('finished'), check: order('failed') };
    expect(shown({ ...NOTHING, onlineStatus: 'online', orders })).toBe('meters');
    expect(shown({ ...NOTHING, kind: 'meter', onlineStatus: 'online', orders })).toBe('value');
  });
  it('end with the plan', () => {
    const orders = { test: order('finished'), check: order('finished'), meters: null, value: order('finished') };
    const read = { ...NOTHING, onlineStatus: 'online' as const, orders, meters: 3 };
    expect(shown(read)).toBe('plan');
    expect([...stepStates('dcu', read, true).values()].every((state) => state === 'done')).toBe(true);
  });
  it('of a direct meter include no search for meters', () => expect(stepsOf('meter')).not.toContain('meters'));
});
