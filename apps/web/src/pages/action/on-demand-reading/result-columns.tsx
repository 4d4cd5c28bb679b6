import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { useReason } from '#domain/device-run/device-run.tsx';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { shownOf, valueColumns } from '#domain/read-values/value-columns.ts';
import type { texts } from './texts.ts';
import styles from './on-demand.module.css';

type T = Translate<typeof texts>;

const VALUE_WIDTH = 138;

export const itemsOfRun = (run: TaskRow): string[] =>
  Array.isArray(run.params['items']) ? run.params['items'].filter((item): item is string => typeof item === 'string') : [];

export function Value({ value }: { value: ReadValue | undefined }) {
  const reason = useReason();
  if (!value) return <span>—</span>;
  const shown = shownOf(value);
  if (shown)
    return (
      <span data-value={shown.value} data-unit={shown.unit}>
        {figure(shown.value, shown.decimals)} <span className={styles['unit']}>{shown.unit}</span>
      </span>
    );
  const text = String(value.value ?? reason(value.reasonCode) ?? '—');
  return (
    <span data-value={value.value ?? undefined} title={text}>
      {text}
    </span>
  );
}

const readOf = (row: TaskItemRow, key: string): ReadValue | undefined => row.result?.values?.find((value) => value.item === key);

/** The values of a register run, or the number of rows that a profile run stored. */
export function resultColumns(items: string[], nameOf: (item: string) => string, t: T): RunColumn[] {
  const values = items.map((key): RunColumn => ({
    key,
    title: nameOf(key),
    width: VALUE_WIDTH,
    align: 'right',
    value: (row) => {
      const read = readOf(row, key);
      return read && (shownOf(read)?.value ?? read.value);
    },
    cell: (row) => <Value value={readOf(row, key)} />,
  }));
  const stored: RunColumn = {
    key: 'rows',
    title: t('rowsStored'),
    width: 130,
    align: 'right',
    value: (row) => row.result?.rows,
    cell: (row) => (row.result?.rows === undefined ? '—' : t('rowsGot', { count: row.result.rows })),
  };
  return values.length > 0 ? values : [stored];
}

/** The columns in a file, with the units that the devices returned. */
export const filedColumns = (columns: RunColumn[], rows: readonly TaskItemRow[]): RunColumn[] =>
  columns.flatMap((column) =>
    valueColumns({ items: [column.key], rows, valueOf: readOf, nameOf: () => column.title }).map((filed) =>
      filed.unit === undefined ? column : { ...column, ...filed },
    ),
  );
