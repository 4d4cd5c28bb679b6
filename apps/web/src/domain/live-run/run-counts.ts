import type { RunItemState } from '@hes/contract/task/run-state.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import type { WallGroup } from '#domain/meter-wall/meter-wall.tsx';

export type Counts = Record<RunItemState, number>;

export function countStates(groups: WallGroup[]): Counts {
  const counts: Counts = { waiting: 0, reading: 0, read_success: 0, read_fail: 0, unknown: 0, cancelled: 0, expired: 0 };
  for (const group of groups) for (const cell of group.cells) counts[cell.state] += 1;
  return counts;
}

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
export const doneOf = (counts: Counts): number => totalOf(counts) - counts.waiting - counts.reading;

const ENDED = new Set(['finished', 'partly_failed', 'failed', 'cancelled', 'expired']);
export const hasEnded = (task: Pick<TaskRow, 'state'>): boolean => ENDED.has(task.state);

/** Elapsed time, rate, and estimated remaining time at that rate. */
export function paceOf(
  task: TaskRow,
  done: number,
  total: number,
  now: number,
): { elapsedMs: number; perSecond: number | undefined; leftMs: number | undefined } {
  const from = Date.parse(task.startedAt ?? task.createdAt);
  const elapsedMs = Math.max(0, (task.finishedAt ? Date.parse(task.finishedAt) : now) - from);
  const perSecond = done > 0 && elapsedMs > 0 ? (done * 1000) / elapsedMs : undefined;
  const isMoving = !hasEnded(task) && task.state !== 'paused';
  const leftMs = perSecond && isMoving ? ((total - done) / perSecond) * 1000 : undefined;
  return { elapsedMs, perSecond, leftMs };
}
