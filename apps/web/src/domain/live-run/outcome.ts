import type { TaskRow } from '@hes/contract/task/task.ts';
import type { T } from './texts.ts';

type Outcome = Pick<TaskRow, 'done' | 'total' | 'failed' | 'unknown'>;

/** Failures of a run in words, with unknown outcomes listed separately; empty without failures. */
export const failureParts = (t: T, { failed, unknown }: Pick<Outcome, 'failed' | 'unknown'>): string[] => [
  ...(failed > unknown ? [t('failedCount', { count: failed - unknown })] : []),
  ...(unknown > 0 ? [t('unknownCount', { count: unknown })] : []),
];

/** Progress and result of a run: "3 of 4 finished", "1 failed". */
export function outcomeParts(t: T, run: Outcome): string[] {
  const failures = failureParts(t, run);
  return [t('finished', { done: run.done, total: run.total }), ...(failures.length === 0 ? [t('noFailures')] : failures)];
}
