import type { Text } from '@hes/contract/core/text.ts';
import { runPageOf } from '@hes/contract/task/order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { titles, type PagePath } from '../page.messages.ts';

/** A run without a page of its own is shown like a reading: wall, counts and results are the same. */
export const jobPath = (job: TaskRow): string => `${runPageOf(job) ?? '/action/on-demand-reading'}?task=${job.id}`;

/** What a person ordered is called like the page it was ordered on; what a plan or the system does has a title of its own. */
export function jobName(job: TaskRow): Text {
  const page = job.source === 'user' ? runPageOf(job) : undefined;
  const { en, zh } = page
    ? titles[page as PagePath /* as: pages of the contract are pages of the console */]
    : { en: job.title, zh: job.title };
  return { en: `${en} #${job.id}`, zh: `${zh} #${job.id}` };
}
