import { isRunPage, to } from '@hes/contract/page/links.ts';
import { PAGE_PATH, pageNameOf } from '@hes/contract/page/paths.ts';
import { runPageOf } from '@hes/contract/task/order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';

/**
 * Address of a run. A kind without its own page is shown like a reading: wall, counts and results are the same. A page that shows runs by its
 * lists takes no `task`.
 */
export function jobPath(job: TaskRow): string {
  const page = runPageOf(job) ?? PAGE_PATH.onDemandReading;
  const name = pageNameOf(page);
  return isRunPage(name) ? to[name]({ task: job.id }) : page;
}
