import type { RunItemState } from '@hes/contract/task/run-state.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { orderOf } from '@hes/contract/orders/every-order.ts';
import { runItemStateOf } from '@hes/contract/task/words.ts';
import { Button, Segmented } from 'antd';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { downloadCsv } from '#core/files/download-csv.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { itemSign } from '#domain/states/tables.ts';
import { counted } from '#kit/state/sign.ts';
import { runColumns, sheetOfRun, type RunColumn } from './run-columns.tsx';
import type { Counts } from './run-counts.ts';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

const FILTERS = ['read_success', 'read_fail', 'unknown', 'reading', 'waiting'] as const satisfies readonly RunItemState[];
const RANK: Record<RunItemState, number> = { reading: 0, read_success: 1, read_fail: 1, unknown: 1, cancelled: 2, expired: 2, waiting: 3 };

/** Code-unit order: numbers and timestamps need no collation, which takes fifty times as long. */
const byLetters = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Items in progress first, then newest first, waiting ones last. */
const byNewest = (a: TaskItemRow, b: TaskItemRow): number =>
  RANK[a.state] - RANK[b.state] || byLetters(b.finishedAt ?? '', a.finishedAt ?? '') || a.id.length - b.id.length || byLetters(a.id, b.id);

interface RunResultsProps {
  run: TaskRow;
  /** The result columns; a failed row shows its reason in their place. */
  columns: RunColumn[];
  /** The columns in a file, when their units depend on the responses of the devices. */
  exported?: ((rows: TaskItemRow[]) => RunColumn[]) | undefined;
  items: TaskItemRow[];
  counts: Counts;
  filter: string | undefined;
  selected: string | undefined;
  onFilter: (state: string | undefined) => void;
  onSelect: (itemId: string | undefined) => void;
}

const rowKey = (row: TaskItemRow): string => row.id;

/** The rows of a state, newest first; with `heldOrder` in that order, followed by later rows. */
function ordered(
  items: readonly TaskItemRow[],
  onlyState: RunItemState | undefined,
  heldOrder: readonly string[] | undefined,
): TaskItemRow[] {
  const matching = items.filter((item) => !onlyState || runItemStateOf(item) === onlyState).toSorted(byNewest);
  if (heldOrder === undefined) return matching;
  const place = new Map(heldOrder.map((id, at) => [id, at]));
  return matching.toSorted((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
}

/** Rows that arrive while the run is in progress, newest first. */
export function RunResults({ run, columns: own, exported, items, counts, filter, selected, onFilter, onSelect }: RunResultsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  /** The order of the rows while the pointer is over the table, so that rows do not move under it. */
  const [heldOrder, setHeldOrder] = useState<readonly string[]>();
  const hasDcus = items.some(({ meterSn }) => meterSn === null);
  const { kind, params } = run;
  const columns = useMemo(() => runColumns({ of: { kind, params }, own, say, t, hasDcus }), [kind, params, own, say, t, hasDcus]);
  // Only commands can have an unknown outcome.
  const isFilter = (state: RunItemState) => state !== 'unknown' || orderOf(run.kind)?.needsReadBack === true;
  const onlyState = FILTERS.find((state) => state === filter && isFilter(state));

  const rows = useMemo(() => ordered(items, onlyState, heldOrder), [items, onlyState, heldOrder]);

  useRowSteps({ ids: useMemo(() => rows.map(rowKey), [rows]), selected, select: onSelect });

  const exportCsv = () => downloadCsv(`run-${run.id}`, sheetOfRun({ of: run, rows, own: exported?.(rows) ?? own, say, t, locale }));

  return (
    <Panel flush label={t('results')} className={styles['results']}>
      <div className={styles['resultBar']}>
        <Segmented
          aria-label={t('results')}
          value={onlyState ?? 'all'}
          onChange={(value) => onFilter(value === 'all' ? undefined : value)}
          options={[
            { value: 'all', label: t('latest') },
            ...FILTERS.filter(isFilter).map((state) => ({
              value: state as string,
              label: <StateOf sign={counted(itemSign(run, state), counts[state])} extra={String(counts[state])} />,
            })),
          ]}
        />
        <span className={styles['space']} />
        <Button type="text" icon={<Download size={14} aria-hidden="true" />} disabled={rows.length === 0} onClick={exportCsv}>
          {t('exportCsv')}
        </Button>
      </div>
      <div
        className={styles['resultTable']}
        onPointerEnter={() => setHeldOrder(rows.map(rowKey))}
        onPointerLeave={() => setHeldOrder(undefined)}
      >
        <DataTable
          label={t('results')}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          selected={selected}
          onSelect={(row) => onSelect(row.id)}
          empty={<Empty text={t('noResults')} />}
        />
      </div>
      {items.length > 0 && items.length < run.total ? (
        <p className={styles['more']}>{t('shownOf', { shown: items.length, total: run.total })}</p>
      ) : null}
    </Panel>
  );
}
