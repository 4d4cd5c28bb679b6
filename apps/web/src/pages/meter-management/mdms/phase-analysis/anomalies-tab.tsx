import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { phase, phaseFactExport, type FactRow } from '@hes/contract/analysis/phase.ts';
import { phaseFact } from '@hes/contract/states/phase.ts';
import { Segmented } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { FilterBar } from '#kit/page/list-page.tsx';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { AnomalyList } from '#domain/anomaly-list/anomaly-list.tsx';
import { anomalyFilters, anomalyParts } from '#domain/anomaly-list/anomaly-parts.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import type { TabProps } from './address.ts';
import { PhaseMark } from './phase-mark.tsx';
import { FACT } from './signs.ts';
import styles from './phase.module.css';

/** The address of this list. */
const ENERGY = { path: PAGE_PATH.phases, at: { tab: 'anomalies', kind: 'energy' } } as const;

function Facts({ transformerId, range, url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const query = useApiQuery(phase.facts, { query: { transformerId, ...range }, keep: true });
  const columns = useMemo(
    (): Column<FactRow>[] => [
      { key: 'sn', title: t('sn'), width: 160, cell: (row) => <Sn sn={row.sn} /> },
      { key: 'customer', title: t('customer'), cell: (row) => row.customerName ?? '—' },
      { key: 'fact', title: t('fact'), width: 220, value: (row) => row.fact, cell: (row) => <StateOf sign={FACT[row.fact]} /> },
      { key: 'phase', title: t('phase'), width: 80, cell: (row) => <PhaseMark phase={row.phase} /> },
      { key: 'times', title: t('times'), width: 90, align: 'right', value: (row) => row.times, cell: (row) => <Num value={row.times} /> },
      { key: 'firstAt', title: t('firstAt'), width: 170, cell: (row) => dateTime(row.firstAt) },
      { key: 'lastAt', title: t('lastAt'), width: 170, cell: (row) => dateTime(row.lastAt) },
    ],
    [t],
  );
  const items = query.data?.items ?? [];
  const words = url.search?.toLowerCase() ?? '';
  const shown = items.filter(
    (row) => (url.fact === undefined || row.fact === url.fact) && `${row.sn} ${row.customerName ?? ''}`.toLowerCase().includes(words),
  );
  return (
    <>
      <FacetStrip
        label={t('fact')}
        all={t('all')}
        total={query.data && items.length}
        facets={phaseFact.options.map((key) => ({
          key,
          sign: FACT[key],
          count: query.data && items.filter((row) => row.fact === key).length,
        }))}
        selected={url.fact}
        onSelect={(fact) => setUrl({ fact })}
      />
      <PanelState query={query} lines={8}>
        {() => (
          <>
            <FilterBar
              tools={
                <ExportButton
                  routes={phaseFactExport}
                  filter={{ transformerId, ...range, fact: url.fact, search: url.search }}
                  columns={columns}
                />
              }
            >
              <TextFilter label={t('search')} value={url.search} onChange={(search) => setUrl({ search })} />
            </FilterBar>
            <DataTable
              label={t('phaseFacts')}
              columns={columns}
              rows={shown}
              rowKey={(row) => `${row.meterId}/${row.fact}/${row.phase}`}
              stale={query.isPlaceholderData}
              empty={<Empty text={t(items.length > 0 ? 'noMatch' : 'noFacts')} />}
            />
          </>
        )}
      </PanelState>
    </>
  );
}

/** Anomalies in the phases and in the consumption of meters. */
export function AnomaliesTab(props: TabProps) {
  const t = useMessages(texts);
  const may = useMay();
  const mayEnergy = may(anomaly.list);
  const isEnergy = mayEnergy && props.url.kind === 'energy';
  const { transformerId } = props;
  const { from, to } = props.range;
  const energy = useMemo(() => {
    const scope = { keys: [], toQuery: () => ({ from, to, node: `transformer:${transformerId}` as const }) };
    return { ...anomalyParts, ...ENERGY, title: texts.energyAnomalies, purpose: texts.limit, filters: [...anomalyFilters, scope] };
  }, [transformerId, from, to]);
  return (
    <>
      <div className={styles['toolbar']}>
        <Segmented
          aria-label={t('anomalies')}
          value={isEnergy ? 'energy' : 'phase'}
          options={[{ value: 'phase', label: t('phaseFacts') }, ...(mayEnergy ? [{ value: 'energy', label: t('energyAnomalies') }] : [])]}
          onChange={(kind) => props.setUrl({ kind, page: undefined, search: undefined })}
        />
      </div>
      {isEnergy ? <AnomalyList declaration={energy} /> : <Facts {...props} />}
    </>
  );
}
