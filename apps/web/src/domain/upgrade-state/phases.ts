import { UPGRADE_PHASES, type UpgradeState } from '@hes/contract/states/upgrade.ts';

export type Segment = 'ahead' | 'now' | 'done' | 'failed' | 'skipped';

const phaseOf = (state: UpgradeState): number =>
  UPGRADE_PHASES.findIndex(({ states }) => (states as readonly UpgradeState[]).includes(state)); // as: `includes()` expects an element of the array

/** The five segments of an upgrade; a failure marks the phase in which it happened. */
export function segmentsOf(status: UpgradeState, failedIn: UpgradeState | null): Segment[] {
  const last = UPGRADE_PHASES.length - 1;
  const isFailed = status === 'error' || status === 'update_fail';
  if (status === 'no_need_complete') return UPGRADE_PHASES.map(() => 'skipped');
  if (status === 'complete' || status === 'update_success') return UPGRADE_PHASES.map(() => 'done');
  const at = phaseOf(isFailed ? (failedIn ?? status) : status);
  // A failure before the first or after the last phase marks that phase: without a red segment the upgrade would seem to wait.
  const here = !isFailed || at !== -1 ? at : status === 'update_fail' || failedIn === 'update_success' ? last : 0;
  return UPGRADE_PHASES.map((_, index) => (index < here ? 'done' : index > here ? 'ahead' : isFailed ? 'failed' : 'now'));
}
