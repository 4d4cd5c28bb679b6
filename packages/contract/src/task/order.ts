import type { Allow, Action } from '../core/route.ts';
import type { Danger } from '../core/guard.ts';
import { kindsWhere, orderOf, type TaskKind } from '../orders/every-order.ts';
import type { TaskRow } from './task.ts';
import { PAGE_PATH, type PagePath } from '../page/paths.ts';

interface OrderRight {
  page: PagePath;
  action: Action;
}

/** Kinds whose runs have a page in the console. */
export const RUN_KINDS: readonly TaskKind[] = kindsWhere(({ showsRun }) => showsRun);

/** Page for runs of kinds that this version does not know. */
const ANY_RUN = PAGE_PATH.onDemandReading;

const pageOf = (kind: string): PagePath => orderOf(kind)?.page ?? ANY_RUN;

/** Right that permits placing an order, steering its task and retrying its items. */
export const orderRight = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): { allow: Exclude<Allow, string> } => ({
  allow: { page: source === 'plan' ? PAGE_PATH.plans : pageOf(kind), action: 'execute' },
});

/** Page of the runs of a kind; undefined: shown like a reading. */
export const runPageOf = ({ kind }: { kind: string }): PagePath | undefined =>
  orderOf(kind)?.showsRun === true ? pageOf(kind) : undefined;

/** Whether a running task of the kind can be paused. */
export const canPause = ({ kind }: Pick<TaskRow, 'kind'>): boolean => orderOf(kind)?.mayPause !== false;

/** Right needed to rerun a task; undefined if it cannot be rerun. Tasks of plans are repeated by the plan. */
export const repeatRight = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): OrderRight | undefined =>
  (source === 'user' || source === 'api') && orderOf(kind)?.mayRepeat === true ? { page: pageOf(kind), action: 'execute' } : undefined;

/** Danger of sending the items of a task. */
export const dangerOfKind = (kind: string): Danger => orderOf(kind)?.danger ?? 'nothing';
