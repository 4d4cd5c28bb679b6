import { loss, lossExport, type LossRow } from '@hes/contract/analysis/loss.ts';
import { transformer } from '@hes/contract/asset/transformer.ts';
import { to } from '@hes/contract/page/links.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { LOSS_CLASSES } from '@hes/contract/states/bill.ts';
import { Link } from 'react-router';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { nodeFilter } from '#domain/node-tree/list-filter.tsx';
import { lossSigns, useLossBounds } from '#domain/states/loss.ts';
import { Num } from '#kit/basics/text.tsx';
import { StackBar } from '#kit/chart/bars.tsx';
import { daysFilter } from '#kit/list/days-filter.tsx';
import { choiceFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList, type ListColumn } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import styles from './loss.module.css';

const PARTS = [
  { key: 'suspected', tone: 'red', kwh: (row: LossRow) => row.suspectedKwh },
  { key: 'unmetered', tone: 'orange', kwh: (row: LossRow) => row.unmeteredKwh },
  { key: 'unexplained', tone: 'amber', kwh: (row: LossRow) => row.unexplainedKwh },
  { key: 'technical', tone: 'violet', kwh: (row: LossRow) => row.technicalKwh },
  { key: 'missing', tone: 'wait', kwh: (row: LossRow) => row.missing },
] as const;

const round = (kwh: number | null): number => Math.max(0, Math.round((kwh ?? 0) * 10) / 10);

/** All parts in one bar, in the order of what is done about them. */
function Parts({ row }: { row: LossRow }) {
  const t = useMessages(texts);
  if (row.supply === null) return <>—</>;
  return <StackBar label={t('split')} parts={PARTS.map(({ key, tone, kwh }) => ({ tone, label: t(key), value: round(kwh(row)) }))} />;
}

/** The class of a loss by the limits of the setting. */
function LossClassOf({ row }: { row: LossRow }) {
  const signs = lossSigns(useLossBounds());
  return <StateOf sign={signs[row.class]} />;
}

/** The transformer, with a link to its evidence. */
function Name({ row }: { row: LossRow }) {
  const may = useMay();
  if (!may(transformer.list)) return <>{row.name}</>;
  return <Link to={to.status({ node: `transformer:${row.transformerId}` })}>{row.name}</Link>;
}

/** Counts behind the parts; zeros are left out. */
function Evidence({ row }: { row: LossRow }) {
  const t = useMessages(texts);
  const counts = [
    [row.metersWithoutData, 'noData'],
    [row.unmeteredDevices, 'devices'],
    [row.suspectedMeters, 'suspects'],
    [row.fraudMeters ?? 0, 'frauds'],
    [row.daysWithoutMaster, 'noMaster'],
  ] as const;
  const found = counts.filter(([count]) => count > 0).map(([count, key]) => t(key, { count }));
  return <span className={styles['evidence']}>{found.join(' · ') || '—'}</span>;
}

const part = (key: (typeof PARTS)[number]['key'], kwh: (row: LossRow) => number | null): ListColumn<LossRow> => ({
  key,
  title: texts[key],
  hint: texts[`${key}Hint`],
  width: 116,
  align: 'right',
  value: kwh,
  unit: 'kWh',
  decimals: 1,
});

const NO_LOSS_SIGNS = lossSigns([0, 0, 0]);

/** Losses by transformer, highest first, with the split and its evidence. */
export const lossList = defineList({
  route: loss.list,
  path: PAGE_PATH.lineLoss,
  title: texts.title,
  purpose: texts.purpose,
  rowId: (row) => row.transformerId,
  rowName: (row) => row.name,
  sort: 'loss,desc',
  filters: [
    textFilter('search', texts.search),
    nodeFilter('transformer'),
    daysFilter(texts.dateRange),
    choiceFilter('class', texts.lossClass, LOSS_CLASSES, { textOf: (word) => NO_LOSS_SIGNS[word].text }),
  ],
  columns: [
    { key: 'name', title: texts.transformer, width: 204, sort: 'name', cell: (row) => <Name row={row} /> },
    {
      key: 'lossPercent',
      title: texts.lossPercent,
      width: 92,
      align: 'right',
      sort: 'lossPercent',
      value: (row) => row.lossPercent,
      unit: '%',
      cell: (row) => <Num value={row.lossPercent} decimals={2} unit="%" strong />,
    },
    { key: 'class', title: texts.lossClass, width: 110, value: (row) => row.class, cell: (row) => <LossClassOf row={row} /> },
    {
      key: 'supply',
      title: texts.supply,
      width: 116,
      align: 'right',
      sort: 'supply',
      value: (row) => row.supply,
      unit: 'kWh',
      decimals: 1,
      low: true,
    },
    { key: 'loss', title: texts.loss, width: 116, align: 'right', sort: 'loss', value: (row) => row.loss, unit: 'kWh', decimals: 1 },
    // A drawing of the next columns, which files have as numbers.
    { key: 'split', title: texts.split, width: 150, inFiles: [], cell: (row) => <Parts row={row} /> },
    part('suspected', (row) => row.suspectedKwh),
    part('unmetered', (row) => row.unmeteredKwh),
    part('unexplained', (row) => row.unexplainedKwh),
    part('technical', (row) => row.technicalKwh),
    part('missing', (row) => row.missing),
    { key: 'evidence', title: texts.evidence, cell: (row) => <Evidence row={row} /> },
    {
      key: 'days',
      title: texts.balanced,
      width: 96,
      align: 'right',
      value: (row) => row.daysBalanced,
      cell: (row) => `${row.daysBalanced} / ${row.days}`,
      low: true,
    },
  ],
  export: lossExport,
  empty: texts.empty,
  emptyHint: texts.emptyHint,
});
