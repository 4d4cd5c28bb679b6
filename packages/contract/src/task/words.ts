import type { Text } from '../core/text.ts';
import { orderWords, type OrderWords } from '../orders/define-order.ts';
import { orderOf } from '../orders/every-order.ts';
import type { RunItemState } from './run-state.ts';
import type { TaskItemRow, TaskItemState, TaskRow, TaskState } from './task.ts';

/** For a kind of a later version that this one does not know. */
const ANY_ORDER: OrderWords = orderWords(['Task', '任务'], {
  running: ['In progress', '执行中'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
});

/** What decides the words of a task. */
export interface Ordered {
  kind: string;
  params?: Record<string, unknown>;
}

/** The words of an order: heads, counters, filters, rows, notices, logs and files all take them from here. */
export function wordsOf({ kind, params }: Ordered): OrderWords {
  const order = orderOf(kind);
  return order?.modes?.[String(params?.['mode'])]?.words ?? order?.words ?? ANY_ORDER;
}

/** What a state of an item is called in this task. */
export function itemText(of: Ordered, state: RunItemState): Text {
  const words = wordsOf(of);
  switch (state) {
    case 'waiting':
      return words.waiting;
    case 'reading':
      return words.running;
    case 'read_success':
      return words.succeeded;
    case 'read_fail':
      return words.failed;
    case 'unknown':
      return { en: 'Unknown', zh: '结果未知' };
    case 'cancelled':
      return { en: 'Cancelled', zh: '已取消' };
    case 'expired':
      return { en: 'Expired', zh: '已过期' };
  }
}

/** Reason of an item whose command was sent and whose outcome nothing confirmed. */
export const UNKNOWN_OUTCOME = 'RELAY_UNKNOWN';

export const runItemStateOf = ({ state, reasonCode }: { state: TaskItemState; reasonCode: TaskItemRow['reasonCode'] }): RunItemState =>
  state === 'read_fail' && reasonCode === UNKNOWN_OUTCOME ? 'unknown' : state;

/** States of a task as a reader sees them. */
export type RunState = TaskState | 'unknown';

/** A task whose only failures are unknown outcomes has not failed: its outcome is unknown. */
export const runStateOf = ({ state, failed, unknown }: Pick<TaskRow, 'state' | 'failed' | 'unknown'>): RunState =>
  (state === 'failed' || state === 'partly_failed') && unknown > 0 && unknown === failed ? 'unknown' : state;

/** What a task is called: its kind, and its own name where it has one. */
export function taskName({ title, ...of }: Ordered & Pick<TaskRow, 'title'>): Text {
  const { name } = wordsOf(of);
  if (orderOf(of.kind)?.hasOwnTitle !== true || title === '' || title === name.en) return name;
  return { en: `${name.en}: ${title}`, zh: `${name.zh}：${title}` };
}
