import type { Text } from '@hes/contract/core/text.ts';
import { runPageOf } from '@hes/contract/task/order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';

/** Page of a run. A kind without its own page is shown like a reading: wall, counts and results are the same. */
export const jobPath = (job: TaskRow): string => `${runPageOf(job) ?? '/action/on-demand-reading'}?task=${job.id}`;

/** Name and number of a run, as in all lists of runs. */
export function jobName(job: TaskRow): Text {
  const { en, zh } = taskName(job);
  return { en: `${en} #${job.id}`, zh: `${zh} #${job.id}` };
}
