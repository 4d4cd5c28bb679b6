import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { balance, balanceExport, type BalanceRow } from '@hes/contract/analysis/balance.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import type { LossClass } from '@hes/contract/states/bill.ts';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LOSS_ORDER, lossSigns, useLossBounds } from '#domain/states/loss.ts';
import { Num } from '#kit/basics/text.tsx';
import { StackBar } from '#kit/chart/bars.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts, type ListColumn } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { tariffColumns, totalColumn } from './energy-columns.tsx';
import { texts } from './messages.ts';
import { scopes, usePeriod } from './period-filter.ts';
import styles from './bill.module.css';

function useSigns() {
  const bounds = useLossBounds();
  return useMemo(() => lossSigns(bounds), [bounds]);
}

/** Totals of the transformers, or of their course from another day on. */
export const useBalance = ({ from = '', to = '', node, search }: Partial<QueryOf<typeof balance.list>>) =>
  useApiQuery(balance.summary, { query: { from, to, node, search }, keep: ['from', 'to', 'node'] });

function useCounts(query: Partial<QueryOf<typeof balance.list>>): FacetCounts<LossClass> {
  const summary = useBalance(query);
  return { total: summary.data?.total, counts: summary.data?.byClass ?? {}, signs: useSigns(), queries: [summary] };
}

/** The class of a loss by the limits of the setting. */
export function Loss({ of }: { of: LossClass }) {
  return <StateOf sign={useSigns()[of]} />;
}

/** The transformer with a link to the meters of its balance. */
function Lines({ row }: { row: BalanceRow }) {
  const t = useMessages(texts);
  const { kind, from, to } = usePeriod();
  return (
    <Link to={`?kind=${kind}&from=${from}&to=${to}&node=transformer:${row.transformerId}`} title={t('linesOf', { name: row.code })}>
      {row.name}
    </Link>
  );
}

/** Sold energy, missing data and loss in one bar; their sum is the supplied energy. */
export function Split({ row }: { row: Pick<BalanceRow, 'sold' | 'missing' | 'loss'> }) {
  const t = useMessages(texts);
  const round = (value: number | null) => Math.max(0, Math.round((value ?? 0) * 10) / 10);
  return (
    <StackBar
      label={t('split')}
      parts={[
        { value: round(row.sold), tone: 'ok', label: t('sold') },
        { value: round(row.missing), tone: 'wait', label: t('missing') },
        { value: round(row.loss), tone: 'violet', label: t('loss') },
      ]}
    />
  );
}

/** Balanced days of the range, and the reasons for the others. */
function Days({ row }: { row: BalanceRow }) {
  const t = useMessages(texts);
  const causes = (['daysWithoutMaster', 'daysNotCalculated'] as const).filter((cause) => row[cause] > 0);
  const text = causes.map((cause) => t(cause, { count: row[cause] })).join(' · ');
  return (
    <span title={text || undefined}>
      <Num value={row.daysBalanced} /> / <Num value={row.days} /> {text ? <span className={styles['why']}>{text}</span> : null}
    </span>
  );
}

const energy = (key: 'supply' | 'sold' | 'missing' | 'loss'): ListColumn<BalanceRow> => ({
  key,
  title: texts[key],
  width: 128,
  align: 'right',
  sort: key,
  value: (row) => row[key],
  unit: 'kWh',
  decimals: 1,
});

const NO_LOSS_SIGNS = lossSigns([0, 0, 0]);

/** Supplied, sold and lost energy by transformer. The difference is split into loss and missing data. */
export const balanceList = defineList({
  route: balance.list,
  path: PAGE_PATH.bills,
  at: { tab: 'balance' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.balance,
  rowId: (row) => row.transformerId,
  rowName: (row) => row.name,
  sort: 'lossPercent,desc',
  facets: {
    key: 'class',
    label: texts.lossClass,
    all: texts.allLines,
    words: LOSS_ORDER,
    signs: NO_LOSS_SIGNS,
    toQuery: (word: LossClass) => ({ class: word }),
    useCounts,
  },
  filters: [...scopes, textFilter('search', texts.searchTransformer)],
  columns: [
    { key: 'name', title: texts.transformer, width: 190, sort: 'name', cell: (row) => <Lines row={row} /> },
    { key: 'class', title: texts.lossClass, width: 116, cell: (row) => <Loss of={row.class} /> },
    {
      key: 'lossPercent',
      title: texts.lossPercent,
      width: 86,
      align: 'right',
      sort: 'lossPercent',
      value: (row) => row.lossPercent,
      unit: '%',
      cell: (row) => <Num value={row.lossPercent} decimals={2} unit="%" strong />,
    },
    energy('supply'),
    energy('sold'),
    energy('missing'),
    energy('loss'),
    // A drawing of the columns before it, which files have as numbers.
    {
      key: 'split',
      title: texts.split,
      width: 170,
      inFiles: [],
      cell: (row) => (row.supply === null ? '—' : <Split row={row} />),
    },
    {
      key: 'metersData',
      title: texts.metersDataMin,
      width: 250,
      align: 'right',
      cell: (row) => (
        <>
          <Num value={row.metersDataMin} /> / <Num value={row.metersExpected} />
        </>
      ),
    },
    { key: 'daysBalanced', title: texts.daysBalanced, width: 300, cell: (row) => <Days row={row} /> },
    totalColumn<BalanceRow>('plus', false),
    totalColumn<BalanceRow>('minus', false),
    ...tariffColumns<BalanceRow>(),
  ],
  export: balanceExport,
  empty: texts.noBalance,
  emptyHint: texts.noBalanceHint,
});
