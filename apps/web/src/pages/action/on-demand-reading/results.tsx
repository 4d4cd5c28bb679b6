import { reading } from '@hes/contract/reading/reading.ts';
import type { TaskItemRow, TaskItemState, TaskRow } from '@hes/contract/task/task.ts';
import { Button, Segmented } from 'antd';
import { Download } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { usePreferences } from '#shared/theme/preferences.ts';
import { textBoostOf, useScale } from '#shared/theme/scale.ts';
import { downloadCsv } from '#shared/ui/download-csv.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty } from '#shared/ui/states.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ITEM } from '#widgets/state-of/tables.ts';
import { itemsOfRun, reasonOf, resultColumns } from './result-columns.tsx';
import type { Counts } from './run-counts.ts';
import { texts } from './texts.ts';
import styles from './on-demand.module.css';

const RENDERED = 100;
const NARROW_FROM = 1.1;
const FILTERS = ['read_success', 'read_fail', 'reading', 'waiting'] as const satisfies readonly TaskItemState[];
const RANK: Record<TaskItemState, number> = { reading: 0, read_success: 1, read_fail: 1, cancelled: 2, expired: 2, waiting: 3 };

/** Being read first, then newest first, waiting last. */
export const byNewest = (a: TaskItemRow, b: TaskItemRow): number =>
  RANK[a.state] - RANK[b.state] ||
  (b.finishedAt ?? '').localeCompare(a.finishedAt ?? '') ||
  a.id.localeCompare(b.id, 'en', { numeric: true });

/** Names of reading items in the language of the page. */
export function useItemName(): (key: string) => string {
  const chinese = usePreferences((state) => state.locale === 'zh-CN');
  const catalogue = useApiQuery(reading.obis, { staleMs: Infinity });
  return useMemo(() => {
    const names = new Map((catalogue.data?.items ?? []).map((item) => [item.key, chinese ? item.nameZh : item.nameEn]));
    return (key: string) => names.get(key) ?? key;
  }, [catalogue.data, chinese]);
}

interface ResultsProps {
  run: TaskRow;
  items: TaskItemRow[];
  counts: Counts;
  filter: string | undefined;
  selected: string | undefined;
  onFilter: (state: string | undefined) => void;
  onSelect: (itemId: string) => void;
}

const rowKey = (row: TaskItemRow): string => row.id;

export function Results({ run, items, counts, filter, selected, onFilter, onSelect }: ResultsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const nameOf = useItemName();
  // Text that does not shrink with the window takes the place of the last columns.
  const narrow = useScale((state) => textBoostOf(state.k) > NARROW_FROM);
  const [all, setAll] = useState(false);
  const [hovered, setHovered] = useState(false);
  const held = useRef<string[]>([]);
  const keys = itemsOfRun(run).join(',');
  const columns = useMemo(() => resultColumns(keys === '' ? [] : keys.split(','), nameOf, say, t, narrow), [keys, nameOf, say, t, narrow]);
  const onlyState = FILTERS.find((state) => state === filter);

  // Rows never jump under the pointer: while it is here, the order stays.
  const rows = useMemo(() => {
    const matching = items.filter((item) => !onlyState || item.state === onlyState).toSorted(byNewest);
    if (!hovered) {
      held.current = matching.map(rowKey);
      return matching;
    }
    const place = new Map(held.current.map((id, at) => [id, at]));
    return matching.toSorted((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
  }, [items, onlyState, hovered]);

  const exportCsv = () => {
    const wanted = itemsOfRun(run);
    const head = [
      t('status'),
      t('meterSn'),
      t('dcuSn'),
      t('transformer'),
      ...wanted.map(nameOf),
      t('rowsStored'),
      t('time'),
      t('took'),
      t('attempts'),
    ];
    const lines = rows.map((row) => [
      say(ITEM[row.state].text) + (row.state === 'read_fail' ? `: ${reasonOf(row, say) ?? ''}` : ''),
      row.meterSn,
      row.dcuSn,
      row.transformerName,
      ...wanted.map((key) => row.result?.values?.find((value) => value.item === key)?.value),
      row.result?.rows,
      row.finishedAt,
      row.latencyMs,
      row.attempts,
    ]);
    downloadCsv(`run-${run.id}`, [head, ...lines]);
  };

  return (
    <Panel flush label={t('results')} className={styles['results']}>
      <div className={styles['resultBar']}>
        <Segmented
          aria-label={t('results')}
          value={onlyState ?? 'all'}
          onChange={(value) => onFilter(value === 'all' ? undefined : value)}
          options={[
            { value: 'all', label: t('latest') },
            ...FILTERS.map((state) => ({ value: state as string, label: <StateOf sign={ITEM[state]} extra={String(counts[state])} /> })),
          ]}
        />
        <span className={styles['space']} />
        <Button type="text" icon={<Download size={14} aria-hidden="true" />} disabled={rows.length === 0} onClick={exportCsv}>
          {t('exportCsv')}
        </Button>
      </div>
      <div className={styles['resultTable']} onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
        <DataTable
          label={t('results')}
          columns={columns}
          rows={all ? rows : rows.slice(0, RENDERED)}
          rowKey={rowKey}
          selected={selected}
          onSelect={(row) => onSelect(row.id)}
          empty={<Empty text={t('noResults')} />}
        />
      </div>
      {!all && rows.length > RENDERED ? (
        <p className={styles['more']}>
          {t('shown', { count: RENDERED, total: rows.length })}
          <Button size="small" type="link" onClick={() => setAll(true)}>
            {t('showAll')}
          </Button>
        </p>
      ) : null}
    </Panel>
  );
}
