import { discovery, type DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { TreeNode, NodeKey } from '@hes/contract/asset/tree.ts';
import { discoveryMatch } from '@hes/contract/states/discovery.ts';
import { recordedPhase } from '@hes/contract/states/device.ts';
import { signalStrength, SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { discoveryExport } from '@hes/contract/transfer/devices.ts';
import { Button, DatePicker, Select } from 'antd';
import dayjs from 'dayjs';
import { useMemo, useState } from 'react';
import { everyRow } from '#core/api/every-row.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#kit/table/selection.tsx';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { useTake } from '#kit/table/use-take.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter, useUrlState } from '#core/url/url-state.ts';
import { elapsed, serverNow, startOfDay } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { MATCH, MATCH_ORDER } from '#domain/states/tables.ts';
import { Decisions } from './decisions.tsx';
import { foundColumns } from './found-columns.tsx';
import { isRunning, SearchControls } from './search-controls.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const NO_FILTERS = { sn: undefined, match: undefined, signal: undefined, phase: undefined, since: undefined, decided: undefined };
const DEFAULTS = { node: undefined, page: '1', size: '50', ...NO_FILTERS };
const FORMAT = 'YYYY-MM-DD';
const RUNS_POLL_MS = 5000;
const POLL_MS = 30_000;
const RUNS_SHOWN = 100;
const SECOND_MS = 1000;

/** Subscribes to the search of a DCU while mounted. */
function Follow({ dcuId }: { dcuId: string }) {
  useTopic(`discovery:${dcuId}`);
  return null;
}

function NoneYet({ since }: { since: string }) {
  const t = useMessages(texts);
  useNow(SECOND_MS);
  return <Empty text={t('noneYet', { time: elapsed(Math.max(0, serverNow() - Date.parse(since))) })} />;
}

/** Starts searches by DCUs, shows discovered meters live, and takes decisions about them. */
export function SearchTab() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [checked, setChecked] = useState(new Map<NodeKey, TreeNode>());
  const [task, setTask] = useState<string>();

  const runs = useApiQuery(discovery.runs, { query: { node: url.node, size: RUNS_SHOWN }, keep: true, refetchMs: RUNS_POLL_MS });
  const running = (runs.data?.items ?? []).filter(isRunning);
  const [firstRun] = running;
  const filters = {
    node: url.node,
    sn: url.sn,
    match: discoveryMatch.safeParse(url.match).data,
    signal: url.signal,
    phase: url.phase,
    firstSeenSince: url.since === undefined ? undefined : startOfDay(url.since),
    decided: url.decided,
  };
  const list = useApiQuery(discovery.list, { query: { ...filters, page: url.page, size: url.size }, keep: true, refetchMs: POLL_MS });
  const facets = useApiQuery(discovery.facets, { query: { node: url.node }, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(list, facets);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const selection = useSelection<DiscoveredRow>({ idOf: (row) => row.id, filter: JSON.stringify(filters), rows });
  const take = useTake(selection, (most) => everyRow(discovery.list, filters, most));
  const all = useMemo(() => foundColumns({ t, say }), [t, say]);
  const view = useTableView('/assets/meter-asset-discovery/search', all);
  const reload = useReload(discovery.runs);
  const targets = checked.size > 0 ? [...checked.keys()] : url.node === undefined ? [] : [url.node];
  const isFiltered = Object.keys(NO_FILTERS).some((key) => url[key as keyof typeof NO_FILTERS] !== undefined); // keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(NO_FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const empty = isFiltered ? (
    <Empty text={t('noMatch')} action={clear} />
  ) : firstRun ? (
    <NoneYet since={firstRun.startedAt} />
  ) : (
    <Empty text={t('nothingHeard')} hint={t('nothingHeardHint')} />
  );
  const dcuId = url.node?.startsWith('dcu:') ? url.node.slice('dcu:'.length) : undefined;
  return (
    <div className={styles['search']}>
      {running.map((run) => (
        <Follow key={run.dcuId} dcuId={run.dcuId} />
      ))}
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree
          until="dcu"
          selected={url.node}
          onSelect={(selected) => setUrl(refilter({ node: selected.key === url.node ? undefined : selected.key }))}
          checked={checked}
          onCheck={setChecked}
        />
      </Panel>
      <div className={styles['main']}>
        <SearchControls nodes={targets} runs={runs.data?.items ?? []} onChanged={reload} />
        <Panel flush className={styles['list']} label={t('searchTab')}>
          <FacetStrip
            label={t('match')}
            all={t('allFound')}
            total={facets.data?.total}
            facets={MATCH_ORDER.map((key) => ({ key, sign: MATCH[key], count: facets.data?.match[key] }))}
            selected={filters.match}
            onSelect={(match) => setUrl(refilter({ match }))}
          />
          <Decisions
            take={take}
            dcuId={dcuId}
            onTask={setTask}
            onDone={() => {
              selection.clear();
              reload();
            }}
          />
          <FilterBar
            tools={
              <>
                <ExportButton routes={discoveryExport} filter={filters} columns={view.columns} chosen={chosenIn(selection)} />
                <TableTools view={view} />
                <RefreshButton busy={list.isFetching} onRefresh={reload} />
              </>
            }
          >
            <TextFilter label={t('sn')} width={180} value={url.sn} onChange={(sn) => setUrl(refilter({ sn }))} />
            <Select
              allowClear
              className={styles['select'] ?? ''}
              placeholder={t('signal')}
              aria-label={t('signal')}
              value={url.signal}
              options={signalStrength.options.map((value) => ({ value, label: say(SIGNAL_TEXT[value]) }))}
              onChange={(signal) => setUrl(refilter({ signal }))}
            />
            <Select
              allowClear
              className={styles['select'] ?? ''}
              placeholder={t('phase')}
              aria-label={t('phase')}
              value={url.phase}
              options={recordedPhase.options.filter((value) => value !== 'unknown').map((value) => ({ value, label: value.toUpperCase() }))}
              onChange={(phase) => setUrl(refilter({ phase }))}
            />
            <DatePicker
              style={{ width: 170 }}
              placeholder={t('foundSince')}
              aria-label={t('foundSince')}
              value={url.since === undefined ? null : dayjs(url.since)}
              onChange={(day: dayjs.Dayjs | null) => setUrl(refilter({ since: day?.format(FORMAT) }))}
            />
            <Select
              allowClear
              className={styles['select'] ?? ''}
              placeholder={t('decision')}
              aria-label={t('decision')}
              value={url.decided}
              options={[
                { value: 'true', label: t('isDecided') },
                { value: 'false', label: t('isUndecided') },
              ]}
              onChange={(decided: string | undefined) => setUrl(refilter({ decided }))}
            />
            {isFiltered ? clear : null}
          </FilterBar>
          <PanelState query={list} lines={12}>
            {(data) => (
              <>
                <DataTable
                  label={t('searchTab')}
                  columns={view.columns}
                  density={view.density}
                  selection={may(discovery.adopt) ? selection : undefined}
                  rowName={(row) => row.sn}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  stale={list.isPlaceholderData}
                  empty={empty}
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
      </div>
      {task === undefined ? null : <DeviceRun taskId={task} title={t('identifyRun')} onClose={() => setTask(undefined)} />}
    </div>
  );
}
