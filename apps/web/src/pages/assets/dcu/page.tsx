import { dcu, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { freshness, type Freshness } from '@hes/contract/states/device.ts';
import { Button } from 'antd';
import { useEffect, useMemo } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#widgets/state-of/tables.ts';
import { columnsOf, texts } from './columns.tsx';
import { DetailPane } from './detail-pane.tsx';
import { FilterRow } from './filter-row.tsx';
import { UnregisteredButton } from './unregistered.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import styles from './dcu.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'sn,asc',
  search: undefined,
  freshness: undefined,
  onlineStatus: undefined,
  connectionType: undefined,
  node: undefined,
  sel: undefined,
};
const POLL_MS = 60_000;

export default function DcuPage() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState(DEFAULTS);
  useTopic('dcu');

  const bucket = freshness.safeParse(url.freshness).data;
  const filters = { search: url.search, node: url.node };
  const list = useApiQuery(dcu.list, {
    query: {
      ...filters,
      page: url.page,
      size: url.size,
      sort: url.sort,
      freshness: bucket,
      onlineStatus: url.onlineStatus,
      connectionType: url.connectionType,
    },
    keep: true,
    refetchMs: POLL_MS,
  });
  const facets = useApiQuery(dcu.facets, { query: filters, keep: true, refetchMs: POLL_MS });
  const columns = useMemo(() => columnsOf(t, url.sel !== undefined), [t, url.sel]);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  useEffect(() => stepThrough(rows, url.sel, (sel) => setUrl({ sel })), [rows, url.sel, setUrl]);

  const selectBucket = (value: string | undefined) => setUrl(refilter({ freshness: value }));
  const empty = (
    <Empty
      text={t('noDcus')}
      action={
        <Button
          onClick={() =>
            setUrl(
              refilter({ search: undefined, freshness: undefined, onlineStatus: undefined, connectionType: undefined, node: undefined }),
            )
          }
        >
          {t('clearFilters')}
        </Button>
      }
    />
  );

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={<UnregisteredButton />}
      pane={url.sel ? <DetailPane key={url.sel} id={url.sel} rows={rows} onSelect={(sel) => setUrl({ sel })} /> : null}
    >
      <Panel flush className={styles['list']} label={t('title')}>
        <FacetStrip
          label={t('facets')}
          all={t('allDcus')}
          total={facets.data?.total}
          facets={FRESHNESS_ORDER.map((key: Freshness) => ({ key, sign: FRESHNESS[key], count: facets.data?.freshness[key] }))}
          selected={bucket}
          onSelect={selectBucket}
        />
        <FilterRow
          values={url}
          onChange={(change) => setUrl(refilter(change))}
          onRefresh={() => void list.refetch()}
          busy={list.isFetching}
        />
        <PanelState query={list} lines={14}>
          {(data) => (
            <>
              <DataTable<DcuRow>
                label={t('title')}
                columns={columns}
                rows={data.items}
                rowKey={rowKey}
                selected={url.sel}
                onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                sort={url.sort}
                onSort={(sort) => setUrl(refilter({ sort }))}
                stale={list.isPlaceholderData}
                empty={empty}
              />
              <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={(page, size) => setUrl({ page, size })} />
            </>
          )}
        </PanelState>
      </Panel>
    </ListPage>
  );
}

const rowKey = (row: DcuRow): string => row.id;
