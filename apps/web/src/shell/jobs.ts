import { onDemandKind } from '@hes/contract/action/read.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { titles, type PagePath } from '../page.messages.ts';

/** The page that shows a job, by how its kind begins; its address takes `task`. */
const PAGES: [start: string, path: PagePath][] = [
  ['real_time', '/action/real-time-reading'],
  ['events', '/action/event-reading'],
  ['clock', '/action/clock-synchronization'],
  ['relay', '/action/relay-control'],
  ['dcu', '/action/dcu-configuration'],
  ['archive', '/assets/archives-dispatch'],
  ['discovery', '/assets/meter-asset-discovery'],
  ['upgrade', '/system/upgrade/upgrade-detail'],
];

const knownPage = ({ kind }: TaskRow): PagePath | undefined => {
  if (onDemandKind.safeParse(kind).success) return '/action/on-demand-reading';
  return PAGES.find(([start]) => kind.startsWith(start))?.[1];
};

/** A run without a page of its own is shown like a reading: wall, counts and results are the same. */
export const jobPath = (job: TaskRow): string => `${knownPage(job) ?? '/action/on-demand-reading'}?task=${job.id}`;

/** What a person ordered is called like the page it was ordered on; what a plan or the system does has a title of its own. */
export function jobName(job: TaskRow): Text {
  const page = job.source === 'user' ? knownPage(job) : undefined;
  const { en, zh } = page ? titles[page] : { en: job.title, zh: job.title };
  return { en: `${en} #${job.id}`, zh: `${zh} #${job.id}` };
}
