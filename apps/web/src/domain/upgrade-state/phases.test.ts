import { UPGRADE_PHASES, upgradeState } from '@hes/contract/states/upgrade.ts';
import { expect, it } from 'vitest';
import { segmentsOf } from './phases.ts';

it('shows the phase that runs, those done before it and those ahead', () => {
  expect(segmentsOf('idle', null)).toEqual(['ahead', 'ahead', 'ahead', 'ahead', 'ahead']);
  expect(segmentsOf('translating', null)).toEqual(['done', 'done', 'now', 'ahead', 'ahead']);
  expect(segmentsOf('wait_update', null)).toEqual(['done', 'done', 'done', 'done', 'now']);
  expect(segmentsOf('complete', null)).toEqual(['done', 'done', 'done', 'done', 'done']);
});

it('puts a failure into the phase where it happened', () => {
  expect(segmentsOf('error', 'check_image')).toEqual(['done', 'done', 'done', 'failed', 'ahead']);
  expect(segmentsOf('error', 'idle')).toEqual(['failed', 'ahead', 'ahead', 'ahead', 'ahead']);
  expect(segmentsOf('error', 'update_success')).toEqual(['done', 'done', 'done', 'done', 'failed']);
  expect(segmentsOf('update_fail', null)).toEqual(['done', 'done', 'done', 'done', 'failed']);
});

it('knows a segment for every state and every phase', () => {
  for (const state of upgradeState.options) expect(segmentsOf(state, null)).toHaveLength(UPGRADE_PHASES.length);
});
