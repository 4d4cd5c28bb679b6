import type { ReadValue, TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { clockTime } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Num, Sn } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ITEM } from '#widgets/state-of/tables.ts';
import type { texts } from './texts.ts';
import styles from './on-demand.module.css';

/** More values stand in the pane at the right. */
const VALUE_COLUMNS = 3;
const VALUE_COLUMNS_NARROW = 2;

export const itemsOfRun = (run: TaskRow): string[] =>
  Array.isArray(run.params['items']) ? run.params['items'].filter((item): item is string => typeof item === 'string') : [];

/** Units shown in thousands, as people of a utility say them; the wire has Wh and W. */
const THOUSANDS: Record<string, string> = { Wh: 'kWh', varh: 'kvarh', VAh: 'kVAh', W: 'kW', var: 'kvar', VA: 'kVA' };
const PLAIN_DECIMALS = 3;

/** A value as it is shown: unit, number, and as many decimals as the device gave. */
export function shownValue(value: number, unit: string, scaler: number | null): { value: number; unit: string; decimals: number } {
  const thousands = THOUSANDS[unit];
  const decimals = scaler === null ? PLAIN_DECIMALS : Math.max(0, -scaler);
  if (thousands === undefined) return { value, unit, decimals };
  return { value: value / 1000, unit: thousands, decimals: scaler === null ? PLAIN_DECIMALS : Math.max(0, 3 - scaler) };
}

export function reasonOf(row: TaskItemRow, say: (text: Text) => string): string | null {
  const known = row.reasonCode && row.reasonCode in REASONS ? REASONS[row.reasonCode as keyof typeof REASONS] : undefined; // checked by `in`
  return known ? say(known) : (row.reasonText ?? row.reasonCode);
}

export function Value({ value }: { value: ReadValue | undefined }) {
  if (!value) return <span>—</span>;
  if (typeof value.value === 'number') {
    const shown = shownValue(value.value, value.unit, value.scaler);
    return (
      <span data-value={value.value} data-unit={value.unit}>
        {figure(shown.value, shown.decimals)} <span className={styles['unit']}>{shown.unit}</span>
      </span>
    );
  }
  return <span data-value={value.value ?? undefined}>{value.value ?? value.reasonCode ?? '—'}</span>;
}

type T = Translate<typeof texts>;

export function resultColumns(
  items: string[],
  nameOf: (item: string) => string,
  say: (text: Text) => string,
  t: T,
  narrow: boolean,
): Column<TaskItemRow>[] {
  const keys = items.slice(0, narrow ? VALUE_COLUMNS_NARROW : VALUE_COLUMNS);
  const valueOf = (row: TaskItemRow, key: string) => row.result?.values?.find((value) => value.item === key);
  const outcome: Column<TaskItemRow> = {
    key: 'rows',
    title: t('rowsStored'),
    width: 130,
    align: 'right',
    value: (row) => row.result?.rows,
    cell: (row) => (row.result?.rows === undefined ? '—' : t('rowsGot', { count: row.result.rows })),
  };
  const values = keys.map((key): Column<TaskItemRow> => ({
    key,
    title: nameOf(key),
    width: narrow ? 132 : 142,
    align: 'right',
    value: (row) => valueOf(row, key)?.value,
    cell: (row) => <Value value={valueOf(row, key)} />,
  }));
  const first = values.length > 0 ? values : [outcome];
  const failing = first.map((column, at): Column<TaskItemRow> => ({
    ...column,
    span: (row) => (row.state !== 'read_fail' || reasonOf(row, say) === null ? 1 : at === 0 ? first.length : 0),
    cell: (row) =>
      row.state === 'read_fail' && at === 0 ? (
        <span className={styles['reason']} data-reason={row.reasonCode}>
          {reasonOf(row, say)}
        </span>
      ) : (
        column.cell(row)
      ),
  }));
  const attempts: Column<TaskItemRow> = {
    key: 'attempts',
    title: t('attempts'),
    width: 84,
    align: 'right',
    value: (row) => row.attempts,
    cell: (row) => <Num value={row.attempts} />,
  };
  return [
    { key: 'state', title: t('status'), width: 136, cell: (row) => <StateOf sign={ITEM[row.state]} /> },
    { key: 'meterSn', title: t('meterSn'), width: 138, cell: (row) => <Sn sn={row.meterSn ?? row.dcuSn} /> },
    { key: 'transformer', title: t('transformer'), width: 166, cell: (row) => row.transformerName ?? '—' },
    ...failing,
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
