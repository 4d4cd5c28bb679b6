import { HALT_TEXT, UPGRADE_JOB_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeJobExport } from '@hes/contract/transfer/orders.ts';
import { FIRMWARE_PAGE } from '@hes/contract/upgrade/firmware.ts';
import { upgradeJob as routes, type UpgradeJobRow } from '@hes/contract/upgrade/job.ts';
import { UPGRADE_DETAIL_PAGE } from '@hes/contract/upgrade/record.ts';
import { Button, Select } from 'antd';
import { Link, useNavigate } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { StackBar } from '#shared/chart/bars.tsx';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { OwnClicks } from '#shared/table/row-actions.tsx';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Num } from '#shared/ui/text.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { choicesOf } from '#widgets/record-list/form-fields.tsx';
import { useReload } from '#widgets/record-list/record-list.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { JobActions } from '#widgets/upgrade-job/job-actions.tsx';
import { UPGRADE_JOB } from '#widgets/upgrade-state/upgrade-tables.ts';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

const FILTERS = { jobName: undefined, jobState: undefined, kind: undefined };
const DEFAULTS = { page: '1', size: '20', sort: 'createdAt,desc', ...FILTERS };
const POLL_MS = 30_000;
/** One column on the screen, three in a file. */
const COUNTS = ['done', 'failed', 'running'];

const detailOf = (job: UpgradeJobRow) => `${UPGRADE_DETAIL_PAGE}?jobId=${job.id}`;

/** All upgrades, newest first; a click opens the details. */
export function JobsTab() {
  const t = useMessages(texts);
  const say = useSay();
  const navigate = useNavigate();
  const reload = useReload(routes.list);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const filters = { name: url.jobName, state: url.jobState, targetKind: url.kind };
  const query = useApiQuery(routes.list, {
    // as: the server validates values from the address
    query: { ...filters, page: url.page, size: url.size, sort: url.sort } as never,
    keep: true,
    refetchMs: POLL_MS,
  });
  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // as: keys of that very object
  const columns: Column<UpgradeJobRow>[] = [
    { key: 'name', title: t('name'), sort: 'name', cell: (job) => <span title={job.reason}>{job.name}</span> },
    {
      key: 'state',
      title: t('state'),
      width: 210,
      sort: 'state',
      cell: (job) => <StateOf sign={UPGRADE_JOB[job.state]} extra={job.haltCause ? `· ${say(HALT_TEXT[job.haltCause])}` : ''} />,
    },
    { key: 'firmware', title: t('firmware'), width: 200, cell: (job) => `${job.firmwareName} ${job.firmwareVersion}` },
    { key: 'kind', title: t('targetKind'), width: 140, low: true, cell: (job) => say(UPGRADE_TARGET_TEXT[job.targetKind]) },
    {
      key: 'targets',
      title: t('targets'),
      width: 86,
      align: 'right',
      value: (job) => job.targets,
      cell: (job) => <Num value={job.targets} />,
    },
    {
      key: 'counts',
      title: `${t('done')} / ${t('failed')} / ${t('running')}`,
      width: 170,
      cell: (job) => [job.done, job.failed, job.running].map((count) => figure(count)).join(' / '),
    },
    {
      key: 'progress',
      title: t('progress'),
      width: 180,
      value: (job) => job.process,
      cell: (job) => (
        <span className={styles['progress']}>
          <StackBar
            label={t('progress')}
            rest={Math.max(0, job.targets - job.done - job.failed - job.running)}
            parts={[
              { value: job.done, tone: 'ok', label: t('done') },
              { value: job.failed, tone: 'red', label: t('failed') },
              { value: job.running, tone: 'run', label: t('running') },
            ]}
          />
          <span>{Math.floor(job.process)} %</span>
        </span>
      ),
    },
    { key: 'ring', title: t('ring'), width: 76, cell: (job) => `${job.ring} / ${job.rings.length}` },
    { key: 'started', title: t('started'), width: 160, sort: 'startedAt', cell: (job) => (job.startedAt ? dateTime(job.startedAt) : '—') },
    { key: 'by', title: t('by'), width: 110, low: true, cell: (job) => job.createdByName ?? '—' },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 110,
      cell: (job) => (
        <OwnClicks>
          <JobActions job={job} small />
        </OwnClicks>
      ),
    },
  ];
  const view = useTableView(`${FIRMWARE_PAGE}/jobs`, columns);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  return (
    <ListPage
      title={t('jobs')}
      purpose={t('purpose')}
      actions={
        <>
          <ExportButton
            routes={upgradeJobExport}
            filter={filters}
            columns={view.columns.flatMap(({ key }) => (key === 'counts' ? COUNTS : key))}
          />
          <Link to={UPGRADE_DETAIL_PAGE}>
            <Button>{t('allRecords')}</Button>
          </Link>
        </>
      }
    >
      <Panel flush className={styles['list']} label={t('jobs')}>
        <FilterBar
          tools={
            <>
              <TableTools view={view} />
              <RefreshButton busy={query.isFetching} onRefresh={reload} />
            </>
          }
        >
          <TextFilter label={t('name')} value={url.jobName} onChange={(jobName) => setUrl(refilter({ jobName }))} />
          <Select
            allowClear
            style={{ width: 170 }}
            placeholder={t('state')}
            aria-label={t('state')}
            value={url.jobState}
            options={choicesOf(UPGRADE_JOB_TEXT, say)}
            onChange={(jobState) => setUrl(refilter({ jobState }))}
          />
          <Select
            allowClear
            style={{ width: 180 }}
            placeholder={t('targetKind')}
            aria-label={t('targetKind')}
            value={url.kind}
            options={choicesOf(UPGRADE_TARGET_TEXT, say)}
            onChange={(kind) => setUrl(refilter({ kind }))}
          />
          {isFiltered ? clear : null}
        </FilterBar>
        <PanelState query={query} lines={14}>
          {(data) => (
            <>
              <DataTable<UpgradeJobRow>
                label={t('jobs')}
                columns={view.columns}
                density={view.density}
                rows={data.items}
                rowKey={(job) => job.id}
                rowName={(job) => job.name}
                onSelect={(job) => void navigate(detailOf(job))}
                sort={url.sort}
                onSort={(sort) => setUrl(refilter({ sort }))}
                stale={query.isPlaceholderData}
                empty={<Empty text={isFiltered ? t('noMatch') : t('noJobs')} action={isFiltered ? clear : undefined} />}
              />
              <ListFooter page={data} updatedAt={query.dataUpdatedAt} onPage={(page, size) => setUrl({ page, size })} />
            </>
          )}
        </PanelState>
      </Panel>
    </ListPage>
  );
}
