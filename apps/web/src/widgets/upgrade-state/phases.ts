import { UPGRADE_PHASES, type UpgradeState } from '@hes/contract/states/upgrade.ts';

export type Segment = 'ahead' | 'now' | 'done' | 'failed' | 'skipped';

const phaseOf = (state: UpgradeState): number =>
  UPGRADE_PHASES.findIndex(({ states }) => (states as readonly UpgradeState[]).includes(state)); // as: includes() wants one of its own

/** What each of the five segments of an upgrade shows; a failure stands in the phase where it happened. */
export function segmentsOf(status: UpgradeState, failedIn: UpgradeState | null): Segment[] {
  const last = UPGRADE_PHASES.length - 1;
  const isFailed = status === 'error' || status === 'update_fail';
  if (status === 'no_need_complete') return UPGRADE_PHASES.map(() => 'skipped');
  if (status === 'complete' || status === 'update_success') return UPGRADE_PHASES.map(() => 'done');
  const at = phaseOf(isFailed ? (failedIn ?? status) : status);
  // Failed before its first phase or after its last one: that one is red, none would look like waiting.
  const here = !isFailed || at !== -1 ? at : status === 'update_fail' || failedIn === 'update_success' ? last : 0;
  return UPGRADE_PHASES.map((_, index) => (index < here ? 'done' : index > here ? 'ahead' : isFailed ? 'failed' : 'now'));
}
