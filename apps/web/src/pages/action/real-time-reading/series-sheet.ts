import type { Locale } from '@hes/contract/core/text.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { sheetOf } from '#kit/table/sheet.ts';
import { valueColumns } from '#domain/read-values/value-columns.ts';
import type { texts } from './messages.ts';
import type { Sample } from './meter-values.ts';

interface SeriesSheet {
  items: TaskItemRow[];
  series: ReadonlyMap<string, Sample[]>;
  nameOf: (item: string) => string;
  t: Translate<typeof texts>;
  locale: Locale;
}

/** One row per sample of each meter, with the names, units and factors of the cards. */
export function seriesSheet({ items, series, nameOf, t, locale }: SeriesSheet): unknown[][] {
  const rows = items.flatMap((item) => (series.get(item.meterId ?? '') ?? []).map((sample) => ({ sn: item.meterSn, ...sample })));
  const keys = [...new Set(rows.flatMap((row) => row.values.map((value) => value.item)))];
  const valueOf = (row: { values: ReadValue[] }, key: string) => row.values.find((value) => value.item === key);
  const columns = [
    { title: t('meterSn'), value: (row: (typeof rows)[number]) => row.sn },
    { title: t('time'), time: (row: (typeof rows)[number]) => row.at },
    ...valueColumns({ items: keys, rows, valueOf, nameOf }),
  ];
  return sheetOf(columns, rows, locale);
}
