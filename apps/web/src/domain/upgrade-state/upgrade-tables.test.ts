import { UPGRADE_ENDS, upgradeJobState, upgradeState, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { expect, test } from 'vitest';
import { recordSign, stepSign, UPGRADE } from './upgrade-tables.ts';

const UNDER_WAY = upgradeState.options.filter((status) => UPGRADE[status].tone === 'run');
const NEXT: UpgradeState = 'translating';

test('a step that another one has followed is done, and never shown as under way', () => {
  expect(UNDER_WAY.length).toBeGreaterThan(10);
  for (const status of UNDER_WAY)
    for (const jobState of upgradeJobState.options) expect(stepSign(status, NEXT, jobState)).toMatchObject({ shape: 'tick', tone: 'ok' });
});

test('a step that ended with a failure is neither done nor under way', () => {
  expect(stepSign('check_image', 'error', 'running')).toMatchObject({ shape: 'stopped', text: UPGRADE.check_image.text });
  expect(stepSign('error', undefined, 'running').shape).toBe('cross');
});

test('the last step is animated only in an upgrade that makes progress', () => {
  for (const status of UNDER_WAY) {
    expect(stepSign(status, undefined, 'running')).toBe(UPGRADE[status]);
    for (const jobState of ['paused', 'halted', 'finished', 'stopped'] as const) {
      const sign = recordSign({ status, jobState });
      expect(sign.spin, `${status} ${jobState}`).not.toBe(true);
      expect(sign.shape).toBe(jobState === 'paused' || jobState === 'halted' ? 'paused' : 'stopped');
    }
  }
  for (const status of UPGRADE_ENDS) expect(recordSign({ status, jobState: 'paused' })).toBe(UPGRADE[status]);
});
