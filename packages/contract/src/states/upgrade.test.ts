import { describe, expect, it } from 'vitest';
import { UPGRADE_ENDS, UPGRADE_FAILURES, UPGRADE_NEXT, UPGRADE_PHASES, upgradeState, type UpgradeState } from './upgrade.ts';

function reachableFrom(first: UpgradeState): Set<UpgradeState> {
  const seen = new Set<UpgradeState>([first]);
  for (const state of seen) for (const next of UPGRADE_NEXT[state]) seen.add(next);
  return seen;
}

describe('the states of a firmware upgrade', () => {
  it('are all reachable from idle', () => {
    expect([...reachableFrom('idle')].toSorted()).toEqual([...upgradeState.options].toSorted());
  });

  it('S-322: lead to an end from every state, and from a failure back to the start', () => {
    for (const state of upgradeState.options) expect([...reachableFrom(state)].some((one) => UPGRADE_ENDS.includes(one))).toBe(true);
    for (const state of UPGRADE_FAILURES) expect(UPGRADE_NEXT[state]).toEqual(['idle']);
  });

  it('do not activate an image before it is checked', () => {
    const before = upgradeState.options.filter((state) =>
      UPGRADE_NEXT[state].some((next) => next === 'activate_image' || next.startsWith('send_upgrade')),
    );
    expect(before).toEqual(['check_image']);
  });

  it('belong to one phase each, or to none before the first and after the last', () => {
    const inPhases = UPGRADE_PHASES.flatMap((phase): readonly UpgradeState[] => phase.states);
    expect(new Set(inPhases).size).toBe(inPhases.length);
    expect(upgradeState.options.filter((state) => !inPhases.includes(state)).toSorted()).toEqual(
      ['complete', 'error', 'idle', 'no_need_complete', 'update_fail', 'update_success'].toSorted(),
    );
  });
});
