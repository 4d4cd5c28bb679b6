import type { Text } from '@hes/contract/core/text.ts';
import { CLOCK_METHOD_TEXT } from '@hes/contract/states/clock.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { deviationText } from '#domain/device-orders/clock-order.messages.ts';
import { type T } from './messages.ts';

const secondsOf = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : ms / 1000);

/** The result of the order for each device of a run. */
export function runColumns(t: T, say: (text: Text) => string, isReading: boolean): RunColumn[] {
  const clockOf = (row: TaskItemRow) => row.result?.clock;
  const before: RunColumn = {
    key: 'before',
    title: t('before'),
    width: 100,
    align: 'right',
    value: (row) => secondsOf(clockOf(row)?.beforeMs),
    unit: 's',
    cell: (row) => deviationText(t, clockOf(row)?.beforeMs ?? null),
  };
  const after: RunColumn = {
    key: 'after',
    title: t(isReading ? 'deviation' : 'after'),
    width: 100,
    align: 'right',
    value: (row) => secondsOf(clockOf(row)?.deviationMs),
    unit: 's',
    cell: (row) => <b>{deviationText(t, clockOf(row)?.deviationMs ?? null)}</b>,
  };
  const method: RunColumn = {
    key: 'method',
    title: t('method'),
    width: 96,
    value: (row) => {
      const clock = clockOf(row);
      if (clock === undefined) return null;
      return clock.method === null ? t('leftAlone') : say(CLOCK_METHOD_TEXT[clock.method]);
    },
  };
  const time: RunColumn = {
    key: 'deviceTime',
    title: t('deviceTime'),
    width: 210,
    value: (row) => clockOf(row)?.deviceTime,
  };
  return isReading ? [time, after] : [before, after, method, time];
}
