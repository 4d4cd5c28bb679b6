import type { QueryOf } from '@hes/contract/core/route.ts';
import { transformer, type TransformerRow, type TransformerState } from '@hes/contract/asset/transformer.ts';
import { transformerExport, transformerImport } from '@hes/contract/transfer/assets.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { nodeBeside } from '#domain/node-tree/list-filter.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { lossSignOf, useLossBounds } from '#domain/states/loss.ts';
import { TRANSFORMER, TRANSFORMER_ORDER } from '#domain/states/tables.ts';
import { transformerActions } from './actions.ts';
import { degrees } from './degrees.ts';
import { DetailPane } from './detail-pane.tsx';
import { texts } from './messages.ts';
import { TransformerForm } from './transformer-form.tsx';

const POLL_MS = 60_000;

function useCounts(query: Partial<QueryOf<typeof transformer.list>>): FacetCounts<TransformerState> {
  const facets = useApiQuery(transformer.facets, { query, keep: true, refetchMs: POLL_MS });
  return { total: facets.data?.total, counts: facets.data?.state ?? {}, queries: [facets] };
}

/** The loss of the newest balanced day: raised and high ones stand out, with the colours of *Line Loss*. */
function LastLoss({ row: { lastLossDay, lastLossPercent } }: { row: TransformerRow }) {
  const say = useSay();
  const { tone, quiet, text } = lossSignOf(lastLossPercent, useLossBounds());
  const when = lastLossDay === null ? say(texts.noLoss) : say(texts.lossOf, { day: lastLossDay });
  return (
    <span title={`${when} · ${say(text)}`} style={quiet ? {} : { color: `var(--${tone}-fg)`, fontWeight: 600 }}>
      <Num value={lastLossPercent} unit="%" decimals={1} />
    </span>
  );
}

const HAS = { yes: texts.yes, no: texts.no, width: 150 };

export const transformerList = defineList({
  route: transformer.list,
  path: PAGE_PATH.transformers,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.name,
  sort: 'name,asc',
  refetchMs: POLL_MS,
  topics: ['dcu'],
  facets: {
    key: 'state',
    label: texts.state,
    all: texts.allTransformers,
    words: TRANSFORMER_ORDER,
    signs: TRANSFORMER,
    toQuery: (state: TransformerState) => ({ state }),
    useCounts,
  },
  filters: [
    nodeBeside,
    textFilter('search', texts.search),
    yesNoFilter('hasDcu', texts.hasDcu, HAS),
    yesNoFilter('hasPosition', texts.hasPosition, HAS),
  ],
  columns: [
    { key: 'name', title: texts.name, width: 210, sort: 'name', cell: (row) => <span title={row.name}>{row.name}</span> },
    { key: 'code', title: texts.code, width: 96, sort: 'code', mono: true, low: true, value: (row) => row.code },
    {
      key: 'address',
      title: texts.address,
      width: 140,
      low: true,
      cell: (row) => <span title={row.address ?? undefined}>{row.address ?? '—'}</span>,
    },
    { key: 'level', title: texts.level, width: 172, sort: 'levelName', cell: (row) => <span title={row.levelName}>{row.levelName}</span> },
    {
      key: 'capacity',
      title: texts.capacity,
      width: 88,
      align: 'right',
      sort: 'capacityKva',
      low: true,
      value: (row) => row.capacityKva,
      cell: (row) => <Num value={row.capacityKva} unit="kVA" />,
    },
    { key: 'dcus', title: texts.dcus, width: 112, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    {
      key: 'meters',
      title: texts.meters,
      width: 92,
      align: 'right',
      value: (row) => row.meters,
      cell: (row) => <Num value={row.meters} />,
    },
    {
      key: 'master',
      title: texts.masterMeter,
      width: 132,
      low: true,
      cell: (row) => (row.masterMeterSn ? <Sn sn={row.masterMeterSn} /> : '—'),
    },
    {
      key: 'loss',
      title: texts.lastLoss,
      width: 84,
      align: 'right',
      value: (row) => row.lastLossPercent,
      cell: (row) => <LastLoss row={row} />,
    },
    { key: 'state', title: texts.state, width: 150, cell: (row) => <StateOf sign={TRANSFORMER[row.state]} /> },
    { key: 'feeder', title: texts.feeder, width: 172, low: true, sparse: true, value: (row) => row.feederName },
    {
      key: 'longitude',
      title: texts.longitude,
      width: 104,
      align: 'right',
      low: true,
      value: (row) => row.longitude,
      cell: (row) => degrees(row.longitude),
    },
    {
      key: 'latitude',
      title: texts.latitude,
      width: 100,
      align: 'right',
      low: true,
      value: (row) => row.latitude,
      cell: (row) => degrees(row.latitude),
    },
  ],
  actions: transformerActions,
  add: { label: texts.addTransformer, right: transformer.create, Form: TransformerForm },
  export: transformerExport,
  import: { routes: transformerImport, what: texts.transformers },
  Pane: DetailPane,
  empty: texts.empty,
});
