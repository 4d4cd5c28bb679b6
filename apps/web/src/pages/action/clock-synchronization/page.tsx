import { clock, type ClockOperation, type ClockRow } from '@hes/contract/action/clock.ts';
import { MAX_DEVICES_PER_ORDER, type DeviceRef } from '@hes/contract/action/device-order.ts';
import { needsConfirmation } from '@hes/contract/states/clock.ts';
import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import { clockExport } from '@hes/contract/transfer/orders.ts';
import { setting } from '@hes/contract/manager/setting.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, InputNumber, Select } from 'antd';
import { CalendarClock, Clock, RadioTower, ScanSearch } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useOneMoment } from '#shared/api/one-moment.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { useTopics } from '#shared/live/live.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#shared/table/selection.tsx';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { useTake } from '#shared/table/use-take.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { RecentRuns } from '#widgets/live-run/recent-runs.tsx';
import { NodeTree } from '#widgets/node-tree/node-tree.tsx';
import { CLOCK_ORDER, clockSigns } from '#widgets/state-of/event-tables.ts';
import { ClockRun } from './clock-run.tsx';
import { clockColumns, keyOf } from './columns.tsx';
import { Histogram } from './histogram.tsx';
import { texts } from './messages.ts';
import { OrderDialog } from './order-dialog.tsx';
import styles from './clock.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'sn,asc',
  node: undefined,
  kind: undefined,
  search: undefined,
  class: undefined,
  deviationS: undefined,
  task: undefined,
};
const FILTERS = { node: undefined, kind: undefined, search: undefined, class: undefined, deviationS: undefined };
const POLL_MS = 60_000;

type Limits = SettingValues['thresholds'];

function useLimits(): Limits {
  const stored = useApiQuery(setting.get, { params: { key: 'thresholds' } });
  return useMemo(() => {
    const parsed = SETTINGS.thresholds.schema.safeParse(stored.data?.value);
    return parsed.success ? parsed.data : SETTINGS.thresholds.value;
  }, [stored.data]);
}

const refOf = (row: ClockRow): DeviceRef => ({ kind: row.deviceKind, id: row.deviceId });

export default function ClockPage() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const limits = useLimits();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<{ operation: Exclude<ClockOperation, 'read'>; devices: DeviceRef[]; jumping: number }>();
  const signs = useMemo(() => clockSigns(limits), [limits]);

  const { node, search, deviationS } = url;
  // as: the page itself writes these values
  const filters = { node, search, deviationS, kind: url.kind as 'dcu' | 'meter' | undefined };
  const narrowed = { ...filters, class: url.class };
  const options = { keep: true, refetchMs: POLL_MS };
  const list = useApiQuery(clock.list, {
    ...options,
    query: { ...narrowed, page: url.page, size: url.size, sort: url.sort },
    enabled: url.task === undefined,
  });
  const summary = useApiQuery(clock.summary, { ...options, query: filters, enabled: url.task === undefined });
  const updatedAt = useOneMoment(list, summary);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  useTopics(rows.flatMap(({ openOrder }) => (openOrder ? [`task:${openOrder.taskId}`] : [])));
  const mayOrder = may(clock.order);
  const selection = useSelection<ClockRow>({ idOf: keyOf, filter: JSON.stringify(narrowed), rows });
  const take = useTake(selection, (most) => everyRow(clock.list, narrowed, most));
  const all = useMemo(() => clockColumns({ t, say, signs }), [t, say, signs]);
  const view = useTableView('/action/clock-synchronization', all);
  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(clock.list.path) });
  const open = (id: string) => {
    setDialog(undefined);
    setUrl({ task: id });
  };
  const read = useApiMutation(clock.order, {
    success: ({ taskId }) => open(taskId),
    failure: (error) => void message.error(error.message, 0),
  });

  const start = (operation: ClockOperation) =>
    take((chosen) => {
      const devices = chosen.map(refOf);
      const jumping = chosen.filter((row) => row.class !== 'unknown' && needsConfirmation(row.class)).length;
      if (operation === 'read') read.mutate({ body: { devices, operation } });
      else setDialog({ operation, devices, jumping });
    }, MAX_DEVICES_PER_ORDER);
  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const orderDialog = dialog ? (
    <OrderDialog {...dialog} limitS={limits.clockSetS} onClose={() => setDialog(undefined)} onStarted={open} />
  ) : null;

  if (url.task !== undefined)
    return (
      <>
        <ClockRun
          key={url.task}
          id={url.task}
          onOpen={open}
          onBack={() => setUrl({ task: undefined })}
          onConfirm={(devices) => setDialog({ operation: 'sync', devices, jumping: devices.length })}
        />
        {orderDialog}
      </>
    );
  return (
    <div className={styles['page']}>
      <Panel className={styles['tree']} title={t('network')}>
        <NodeTree
          until="dcu"
          selected={url.node}
          onSelect={(chosenNode) => setUrl(refilter({ node: chosenNode.key === url.node ? undefined : chosenNode.key }))}
        />
      </Panel>
      <ListPage
        title={t('title')}
        purpose={t('purpose')}
        actions={
          <>
            <Link to="/meter/collect-plan">
              <Button icon={<CalendarClock size={15} aria-hidden="true" />}>{t('plan')}</Button>
            </Link>
            <ExportButton
              routes={clockExport}
              filter={{ ...narrowed, sort: url.sort }}
              columns={view.columns}
              chosen={chosenIn(selection)}
            />
            <RecentRuns kind="clock_sync" current={undefined} onOpen={open} />
            {mayOrder ? (
              <>
                <Button icon={<ScanSearch size={15} aria-hidden="true" />} loading={read.isPending} onClick={() => start('read')}>
                  {t('readClock')}
                </Button>
                <Button icon={<RadioTower size={15} aria-hidden="true" />} onClick={() => start('broadcast')}>
                  {t('broadcast')}
                </Button>
                <Button type="primary" icon={<Clock size={15} aria-hidden="true" />} onClick={() => start('sync')}>
                  {t('sync')}
                </Button>
              </>
            ) : null}
          </>
        }
      >
        {summary.data ? <Histogram bars={summary.data.histogram} limits={limits} /> : null}
        <Panel flush className={styles['list']} label={t('title')}>
          <FacetStrip
            label={t('class')}
            all={t('allClocks')}
            total={summary.data?.total}
            facets={CLOCK_ORDER.map((key) => ({ key, sign: signs[key], count: summary.data?.byClass[key] }))}
            selected={url.class}
            onSelect={(value) => setUrl(refilter({ class: value }))}
          />
          <FilterBar
            tools={
              <>
                <TableTools view={view} />
                <RefreshButton busy={list.isFetching} onRefresh={reload} />
              </>
            }
          >
            <TextFilter label={t('sn')} value={url.search} onChange={(value) => setUrl(refilter({ search: value }))} />
            <Select
              allowClear
              className={styles['kind'] ?? ''}
              placeholder={t('kind')}
              aria-label={t('kind')}
              value={url.kind}
              options={(['dcu', 'meter'] as const).map((value) => ({ value, label: t(value) }))}
              onChange={(kind) => setUrl(refilter({ kind }))}
            />
            <InputNumber
              className={styles['deviation'] ?? ''}
              min={0}
              aria-label={t('deviationAtLeast')}
              placeholder={t('deviationAtLeast')}
              suffix="s"
              value={url.deviationS === undefined ? null : Number(url.deviationS)}
              onChange={(value) => setUrl(refilter({ deviationS: value === null ? undefined : String(value) }))}
            />
            {isFiltered ? clear : null}
          </FilterBar>
          <PanelState query={list} lines={12}>
            {(data) => (
              <>
                <DataTable<ClockRow>
                  label={t('title')}
                  columns={view.columns}
                  density={view.density}
                  selection={mayOrder ? selection : undefined}
                  rowName={(row) => row.sn}
                  rows={data.items}
                  rowKey={keyOf}
                  sort={url.sort}
                  onSort={(sort) => setUrl(refilter({ sort }))}
                  stale={list.isPlaceholderData}
                  empty={<Empty text={t('noMatch')} action={clear} />}
                />
                <ListFooter
                  page={data}
                  updatedAt={updatedAt}
                  onPage={(page, size) => setUrl({ page, size })}
                  batch={selection.isEmpty ? undefined : <SelectionBar selection={selection} total={data.total} />}
                />
              </>
            )}
          </PanelState>
        </Panel>
      </ListPage>
      {orderDialog}
    </div>
  );
}
