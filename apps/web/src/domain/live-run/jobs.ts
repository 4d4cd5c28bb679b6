import type { Text } from '@hes/contract/core/text.ts';
import { isRunPage, to } from '@hes/contract/page/links.ts';
import { PAGE_PATH, pageNameOf } from '@hes/contract/page/paths.ts';
import { runPageOf } from '@hes/contract/task/order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';

/**
 * Address of a run. A kind without its own page is shown like a reading: wall, counts and results are the same. A page that shows runs by its
 * lists takes no `task`.
 */
export function jobPath(job: TaskRow): string {
  const page = runPageOf(job) ?? PAGE_PATH.onDemandReading;
  const name = pageNameOf(page);
  return isRunPage(name) ? to[name]({ task: job.id }) : page;
}

/** Name and number of a run, as in all lists of runs. */
export function jobName(job: TaskRow): Text {
  const { en, zh } = taskName(job);
  return { en: `${en} #${job.id}`, zh: `${zh} #${job.id}` };
}
