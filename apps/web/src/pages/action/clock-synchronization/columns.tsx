import type { ClockRow } from '@hes/contract/action/clock.ts';
import { CLOCK_CLASS_TEXT, CLOCK_METHOD_TEXT, clockStatusText, cosemZoneText, type ClockClass } from '@hes/contract/states/clock.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Sn } from '#shared/ui/text.tsx';
import type { RunColumn } from '#widgets/live-run/run-columns.tsx';
import { OpenOrderMark } from '#widgets/state-of/open-order.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import type { Sign } from '#widgets/state-of/tables.ts';
import { deviationText, type T } from './messages.ts';

export const keyOf = (row: Pick<ClockRow, 'deviceKind' | 'deviceId'>): string => `${row.deviceId}/${row.deviceKind}`;

const secondsOf = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : ms / 1000);

interface Options {
  t: T;
  say: (text: Text) => string;
  signs: Record<ClockClass, Sign>;
}

export function clockColumns({ t, say, signs }: Options): Column<ClockRow>[] {
  return [
    { key: 'sn', title: t('sn'), width: 148, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    { key: 'kind', title: t('kind'), width: 76, cell: (row) => t(row.deviceKind) },
    {
      key: 'class',
      title: t('class'),
      width: 196,
      cell: (row) => (
        <>
          <span title={say(CLOCK_CLASS_TEXT[row.class])}>
            <StateOf sign={signs[row.class]} />
          </span>{' '}
          <OpenOrderMark order={row.openOrder} />
        </>
      ),
    },
    {
      key: 'deviation',
      title: t('deviation'),
      width: 104,
      align: 'right',
      sort: 'deviation',
      value: (row) => secondsOf(row.deviationMs),
      unit: 's',
      cell: (row) => <b>{deviationText(t, row.deviationMs)}</b>,
    },
    { key: 'deviceTime', title: t('deviceTime'), width: 214, cell: (row) => row.deviceTime ?? '—' },
    { key: 'readAt', title: t('hesTime'), width: 152, sort: 'readAt', cell: (row) => (row.readAt ? dateTime(row.readAt) : '—') },
    {
      key: 'lastSyncAt',
      title: t('lastSync'),
      width: 152,
      sort: 'lastSyncAt',
      cell: (row) => (row.lastSyncAt ? dateTime(row.lastSyncAt) : '—'),
    },
    {
      key: 'method',
      title: t('method'),
      width: 92,
      cell: (row) => (row.lastSyncMethod ? say(CLOCK_METHOD_TEXT[row.lastSyncMethod]) : '—'),
    },
    { key: 'status', title: t('clockStatus'), width: 104, value: (row) => (row.status === null ? null : say(clockStatusText(row.status))) },
    {
      key: 'zone',
      title: t('zone'),
      width: 116,
      low: true,
      cell: (row) =>
        `${row.zoneMinutes === null ? '—' : cosemZoneText(row.zoneMinutes)}${row.hasDaylightSaving === true ? ` · ${t('daylight')}` : ''}`,
    },
    { key: 'transformer', title: t('transformer'), width: 160, low: true, cell: (row) => row.transformerName ?? '—' },
  ];
}

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
