import { fill, nameText, type Text } from '../core/text.ts';
import { orderWords, type OrderWords } from '../orders/define-order.ts';
import { orderOf } from '../orders/every-order.ts';
import type { RunItemState } from './run-state.ts';
import type { TaskItemRow, TaskItemState, TaskRow, TaskState } from './task.ts';

/** Words for kinds of later versions. */
const ANY_ORDER: OrderWords = orderWords(['Task', '任务'], {
  running: ['In progress', '执行中'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
});

/** Fields of a task that determine its words. */
export interface Ordered {
  kind: string;
  params?: Record<string, unknown>;
}

/** Words of an order for all uses: headings, counters, filters, rows, notices, logs and files. */
export function wordsOf({ kind, params }: Ordered): OrderWords {
  const order = orderOf(kind);
  return order?.modes?.[String(params?.['mode'])]?.words ?? order?.words ?? ANY_ORDER;
}

/** Label of an item state in this task. */
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

/** Reason code of items whose command was sent without a confirmed outcome. */
export const UNKNOWN_OUTCOME = 'RELAY_UNKNOWN';

export const runItemStateOf = ({ state, reasonCode }: { state: TaskItemState; reasonCode: TaskItemRow['reasonCode'] }): RunItemState =>
  state === 'read_fail' && reasonCode === UNKNOWN_OUTCOME ? 'unknown' : state;

/** Displayed states of a task. */
export type RunState = TaskState | 'unknown';

/** Displayed state of a task; it is `unknown` if all failures are unknown outcomes. */
export const runStateOf = ({ state, failed, unknown }: Pick<TaskRow, 'state' | 'failed' | 'unknown'>): RunState =>
  (state === 'failed' || state === 'partly_failed') && unknown > 0 && unknown === failed ? 'unknown' : state;

/** Name and number of a task, as in all lists of tasks. */
export const numberedTaskName = (of: Ordered & Pick<TaskRow, 'title' | 'id'>): Text =>
  fill(nameText('{name} #{id}'), { name: taskName(of), id: of.id });

/** Name of a task: that of its kind, followed by its own title if it has one. */
export function taskName({ title, ...of }: Ordered & Pick<TaskRow, 'title'>): Text {
  const { name } = wordsOf(of);
  if (orderOf(of.kind)?.hasOwnTitle !== true || title === '' || title === name.en) return name;
  return fill({ en: '{name}: {title}', zh: '{name}：{title}' }, { name, title });
}
