import type { Allow, Action } from '../core/route.ts';
import type { Danger } from '../core/guard.ts';
import { kindsWhere, orderOf, type TaskKind } from '../orders/every-order.ts';
import type { TaskRow } from './task.ts';

interface OrderRight {
  page: string;
  action: Action;
}

/** Kinds whose run a page of the console shows. */
export const RUN_KINDS: readonly TaskKind[] = kindsWhere(({ showsRun }) => showsRun);

/** Where runs of a kind that this version does not know are shown. */
const ANY_RUN = '/action/on-demand-reading';

const pageOf = (kind: string): string => orderOf(kind)?.page ?? ANY_RUN;

/** The right to place such an order, which is also the right to steer its task and to retry its items. */
export const orderRight = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): { allow: Exclude<Allow, string> } => ({
  allow: { page: source === 'plan' ? '/meter/collect-plan' : pageOf(kind), action: 'execute' },
});

/** The page that shows such a run; undefined when none does, and it is shown like a reading. */
export const runPageOf = ({ kind }: { kind: string }): string | undefined => (orderOf(kind)?.showsRun === true ? pageOf(kind) : undefined);

/** Whether such a task can be paused while it runs. */
export const canPause = ({ kind }: Pick<TaskRow, 'kind'>): boolean => orderOf(kind)?.mayPause !== false;

/** The right that ordering a task once more takes; undefined where that is not possible. Plans repeat their own tasks. */
export const repeatRight = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): OrderRight | undefined =>
  (source === 'user' || source === 'api') && orderOf(kind)?.mayRepeat === true ? { page: pageOf(kind), action: 'execute' } : undefined;

/** What sending the items of a task endangers. */
export const dangerOfKind = (kind: string): Danger => orderOf(kind)?.danger ?? 'nothing';
