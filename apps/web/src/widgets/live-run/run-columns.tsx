import { REASONS } from '@hes/contract/core/outcome.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { clockTime, dateTime } from '#shared/time/format.ts';
import { Num, Sn } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ITEM } from '#widgets/state-of/tables.ts';
import type { T } from './texts.ts';
import styles from './live-run.module.css';

/** A column of results. `value` also goes into the file. */
export type RunColumn = Column<TaskItemRow> & { title: string };

export function reasonOf(row: TaskItemRow, say: (text: Text) => string): string | null {
  const known = row.reasonCode && row.reasonCode in REASONS ? REASONS[row.reasonCode as keyof typeof REASONS] : undefined; // checked by `in`
  return known ? say(known) : (row.reasonText ?? row.reasonCode);
}

interface RunColumnsOptions {
  own: RunColumn[];
  say: (text: Text) => string;
  t: T;
  /** Little room: the last columns leave. */
  narrow: boolean;
  /** Not every row is a meter. */
  hasDcus: boolean;
}

/** State, device, what this kind of run brings, when and how long. A failed row says why across the columns it has no values for. */
export function runColumns({ own, say, t, narrow, hasDcus }: RunColumnsOptions): RunColumn[] {
  const reasonColumn: RunColumn = { key: 'reason', title: t('result'), cell: () => '—' };
  const results = (own.length > 0 ? own : [reasonColumn]).map((column, at, all): RunColumn => ({
    ...column,
    span: (row) => (row.state !== 'read_fail' || reasonOf(row, say) === null ? (column.span?.(row) ?? 1) : at === 0 ? all.length : 0),
    cell: (row) =>
      row.state === 'read_fail' && at === 0 ? (
        <span className={styles['reason']} data-reason={row.reasonCode}>
          {reasonOf(row, say)}
        </span>
      ) : (
        column.cell(row)
      ),
  }));
  const attempts: RunColumn = {
    key: 'attempts',
    title: t('attempts'),
    width: 84,
    align: 'right',
    value: (row) => row.attempts,
    cell: (row) => <Num value={row.attempts} />,
  };
  return [
    { key: 'state', title: t('status'), width: 136, cell: (row) => <StateOf sign={ITEM[row.state]} /> },
    { key: 'meterSn', title: t(hasDcus ? 'deviceSn' : 'meterSn'), width: 138, cell: (row) => <Sn sn={row.meterSn ?? row.dcuSn} /> },
    { key: 'transformer', title: t('transformer'), width: 166, cell: (row) => row.transformerName ?? '—' },
    ...results,
    {
      key: 'finishedAt',
      title: t('time'),
      width: 92,
      align: 'right',
      cell: (row) => (row.finishedAt ? clockTime(row.finishedAt) : row.state === 'reading' ? t('now') : '—'),
    },
    {
      key: 'latencyMs',
      title: t('took'),
      width: 84,
      align: 'right',
      value: (row) => row.latencyMs,
      cell: (row) => <Num value={row.latencyMs === null ? null : row.latencyMs / 1000} decimals={2} unit="s" />,
    },
    ...(narrow ? [] : [attempts]),
  ];
}

/** Head and lines of a run as a file. */
export function exportOf(rows: TaskItemRow[], own: RunColumn[], say: (text: Text) => string, t: T): unknown[][] {
  const head = [
    t('status'),
    t('meterSn'),
    t('dcuSn'),
    t('transformer'),
    ...own.map((column) => column.title),
    t('time'),
    t('took'),
    t('attempts'),
  ];
  const lines = rows.map((row) => [
    say(ITEM[row.state].text) + (row.state === 'read_fail' ? `: ${reasonOf(row, say) ?? ''}` : ''),
    row.meterSn,
    row.dcuSn,
    row.transformerName,
    ...own.map((column) => column.value?.(row)),
    row.finishedAt && dateTime(row.finishedAt),
    row.latencyMs,
    row.attempts,
  ]);
  return [head, ...lines];
}
