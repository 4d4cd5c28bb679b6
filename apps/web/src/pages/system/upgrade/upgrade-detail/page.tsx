import { FIRMWARE_PAGE } from '@hes/contract/upgrade/firmware.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord as routes, upgradeRecordExport, UPGRADE_DETAIL_PAGE, type UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { Button } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#kit/page/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#kit/table/selection.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { refilter, useUrlState } from '#core/url/url-state.ts';
import { startOfDay, addDays } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { useReload } from '#core/api/use-reload.ts';
import { Filters, FILTERS } from './filters.tsx';
import { JobHead } from './job-head.tsx';
import { JobWall } from './job-wall.tsx';
import { texts } from './messages.ts';
import { recordColumns } from './record-columns.tsx';
import { RecordOrders } from './record-orders.tsx';
import { RecordDetail } from './record-detail.tsx';
import { StateRail } from './state-rail.tsx';
import styles from './detail.module.css';

const DEFAULTS = { page: '1', size: '50', sort: 'time,desc', sel: undefined, jobId: undefined, status: undefined, ...FILTERS };
const POLL_MS = 30_000;

/** One upgrade by `?jobId=`, or all records. */
export default function UpgradeDetailPage() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [url, setUrl] = useUrlState(DEFAULTS);
  useTopic(url.jobId === undefined ? 'upgrade' : `upgrade:${url.jobId}`);
  const { page, size, sort, sel, status, from, to, ...rest } = url;
  const filters = useMemo(
    () => ({ ...rest, ...(from && to ? { from: startOfDay(from), to: startOfDay(addDays(to, 1)) } : {}) }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- rest is made anew each time, its parts are not
    [url],
  );
  // as, twice: the server validates values from the address
  const query = useApiQuery(routes.list, { query: { ...filters, status, page, size, sort } as never, keep: ['jobId'], refetchMs: POLL_MS });
  const summary = useApiQuery(routes.summary, { query: filters as never, keep: ['jobId'], refetchMs: POLL_MS });
  const updatedAt = useOneMoment(query, summary);
  const job = useApiQuery(upgradeJob.get, {
    params: { id: url.jobId ?? '0' },
    enabled: url.jobId !== undefined && may(upgradeJob.get),
    refetchMs: POLL_MS,
  });
  const reload = useReload(routes.list);
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  const selection = useSelection<UpgradeRecordRow>({ idOf: (row) => row.id, filter: JSON.stringify({ filters, status }), rows });
  useRowSteps({ ids: rows.map((row) => row.id), selected: sel, select: (next) => setUrl({ sel: next }) });
  const reason = useReason();
  const view = useTableView(UPGRADE_DETAIL_PAGE, recordColumns(t, say, { reason, ofOneJob: url.jobId !== undefined }));
  const isFiltered = status !== undefined || Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // as: keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter({ ...FILTERS, status: undefined }))}>
      {t('clearFilters')}
    </Button>
  );
  const isSelectable = may(routes.retry);
  return (
    <ListPage
      title={job.data ? t('jobTitle', { name: job.data.name }) : t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <ExportButton routes={upgradeRecordExport} filter={{ ...filters, status }} columns={view.columns} chosen={chosenIn(selection)} />
          <LinkButton to={`${FIRMWARE_PAGE}?tab=jobs`}>{t('allJobs')}</LinkButton>
        </>
      }
      pane={sel ? <RecordDetail key={sel} id={sel} rows={rows} onSelect={(next) => setUrl({ sel: next })} /> : undefined}
    >
      {url.jobId === undefined ? null : <JobHead query={job} ring={url.ring} onRing={(ring) => setUrl(refilter({ ring }))} />}
      <div className={styles['body']}>
        <Panel flush label={t('states')}>
          <PanelState query={summary} lines={12}>
            {(data) => (
              <StateRail
                total={data.total}
                byStatus={data.byStatus}
                selected={status}
                onSelect={(next) => setUrl(refilter({ status: next }))}
              />
            )}
          </PanelState>
        </Panel>
        <div className={styles['main']}>
          {job.data?.targetKind === 'meter' ? (
            <JobWall jobId={job.data.id} selected={sel} onSelect={(next) => setUrl({ sel: next })} />
          ) : null}
          <Panel flush className={styles['list']} label={t('title')}>
            <FilterBar
              tools={
                <>
                  <TableTools view={view} />
                  <RefreshButton busy={query.isFetching} onRefresh={reload} />
                </>
              }
            >
              <Filters url={url} onChange={(change) => setUrl(refilter(change))} />
              {isFiltered ? clear : null}
            </FilterBar>
            <PanelState query={query} lines={14}>
              {(data) => (
                <>
                  <DataTable<UpgradeRecordRow>
                    label={t('title')}
                    columns={view.columns}
                    density={view.density}
                    rows={data.items}
                    rowKey={(row) => row.id}
                    rowName={(row) => row.sn}
                    selection={isSelectable ? selection : undefined}
                    selected={sel}
                    onSelect={(row) => setUrl({ sel: row.id === sel ? undefined : row.id })}
                    sort={sort}
                    onSort={(next) => setUrl(refilter({ sort: next }))}
                    stale={query.isPlaceholderData}
                    empty={
                      <Empty
                        text={isFiltered ? t('noMatch') : t('noRecords')}
                        hint={isFiltered ? undefined : t('noRecordsHint')}
                        action={isFiltered ? clear : undefined}
                      />
                    }
                  />
                  <ListFooter
                    page={data}
                    updatedAt={updatedAt}
                    onPage={(next, per) => setUrl({ page: next, size: per })}
                    batch={
                      selection.chosen.size > 0 ? (
                        <SelectionBar selection={selection} total={selection.chosen.size}>
                          <RecordOrders small rows={[...selection.chosen.values()]} onDone={selection.clear} />
                        </SelectionBar>
                      ) : undefined
                    }
                  />
                </>
              )}
            </PanelState>
          </Panel>
        </div>
      </div>
    </ListPage>
  );
}
