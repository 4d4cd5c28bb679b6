import { reading } from '@hes/contract/reading/reading.ts';
import type { ReadValue, TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import { usePreferences } from '#shared/theme/preferences.ts';
import { figure } from '#shared/time/number.ts';
import { useReason } from '#widgets/device-run/device-run.tsx';
import type { RunColumn } from '#widgets/live-run/run-columns.tsx';
import type { texts } from './texts.ts';
import styles from './on-demand.module.css';

type T = Translate<typeof texts>;

/** More values stand in the pane at the right. */
export const VALUE_COLUMNS = 3;
export const VALUE_COLUMNS_NARROW = 2;
const VALUE_WIDTH = 138;

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

export function Value({ value }: { value: ReadValue | undefined }) {
  const reason = useReason();
  if (!value) return <span>—</span>;
  if (typeof value.value === 'number') {
    const shown = shownValue(value.value, value.unit, value.scaler);
    return (
      <span data-value={value.value} data-unit={value.unit}>
        {figure(shown.value, shown.decimals)} <span className={styles['unit']}>{shown.unit}</span>
      </span>
    );
  }
  const text = value.value ?? reason(value.reasonCode) ?? '—';
  return (
    <span data-value={value.value ?? undefined} title={text}>
      {text}
    </span>
  );
}

/** The values of a register run, or how many rows a profile run stored. */
export function resultColumns(items: string[], nameOf: (item: string) => string, t: T): RunColumn[] {
  const valueOf = (row: TaskItemRow, key: string) => row.result?.values?.find((value) => value.item === key);
  const values = items.map((key): RunColumn => ({
    key,
    title: nameOf(key),
    width: VALUE_WIDTH,
    align: 'right',
    value: (row) => valueOf(row, key)?.value,
    cell: (row) => <Value value={valueOf(row, key)} />,
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

/** Names of reading items in the language of the page. */
export function useItemName(): (key: string) => string {
  const chinese = usePreferences((state) => state.locale === 'zh-CN');
  const catalogue = useApiQuery(reading.obis, { staleMs: Infinity });
  return useMemo(() => {
    const names = new Map((catalogue.data?.items ?? []).map((item) => [item.key, chinese ? item.nameZh : item.nameEn]));
    return (key: string) => names.get(key) ?? key;
  }, [catalogue.data, chinese]);
}
