import { idIn } from '@hes/contract/asset/tree.ts';
import { stationExport } from '@hes/contract/transfer/orders.ts';
import { staModel, type StationRow } from '@hes/contract/debug/sta-model.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { LIBRARY_VERDICT_TEXT, STATION_LINK_TEXT, STATION_ROLE_TEXT } from '@hes/contract/states/topology.ts';
import { App, Button, Select } from 'antd';
import { RotateCw } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter } from '#shared/table/list-page.tsx';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime, elapsed } from '#shared/time/format.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Sn } from '#shared/ui/text.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { DeviceRun } from '#widgets/device-run/device-run.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { NodeTree } from '#widgets/node-tree/node-tree.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { useCountNames } from '#widgets/topology/count-names.ts';
import { SignalBars } from '#widgets/topology/signal-bars.tsx';
import { SIGNALS } from '#widgets/topology/signs.ts';
import { texts } from './messages.ts';
import { STATION, STATION_ORDER } from './signs.ts';
import { StationPane } from './station-pane.tsx';
import styles from './sta-model.module.css';

const FILTERS = {
  role: undefined,
  vendor: undefined,
  version: undefined,
  level: undefined,
  signal: undefined,
  phase: undefined,
  state: undefined,
  search: undefined,
};
const DEFAULTS = { ...FILTERS, dcu: undefined, page: '1', size: '50', sort: undefined, sel: undefined };
const PHASES = ['a', 'b', 'c', 'abc'] as const;
const keyOf = (row: StationRow): string => row.mac || `meter:${row.meterId}`;

function useColumns(): Column<StationRow>[] {
  const t = useMessages(texts);
  const say = useSay();
  return useMemo(
    () => [
      { key: 'mac', title: t('mac'), width: 130, mono: true, sort: 'mac', value: (row) => row.mac, cell: (row) => row.mac || '—' },
      {
        key: 'sn',
        title: t('sn'),
        width: 150,
        sort: 'sn',
        value: (row) => row.sn,
        cell: (row) => (row.sn === null ? '—' : <Sn sn={row.sn} />),
      },
      { key: 'state', title: t('state'), width: 120, value: (row) => row.state, cell: (row) => <StateOf sign={STATION[row.state]} /> },
      { key: 'role', title: t('role'), width: 150, value: (row) => row.role, cell: (row) => say(STATION_ROLE_TEXT[row.role]) },
      { key: 'tei', title: t('tei'), width: 64, low: true, align: 'right', value: (row) => row.nodeId, cell: (row) => row.nodeId || '—' },
      {
        key: 'parent',
        title: t('parent'),
        width: 150,
        value: (row) => row.parentSn,
        cell: (row) => (row.parentSn === null ? '—' : <Sn sn={row.parentSn} />),
      },
      {
        key: 'level',
        title: t('level'),
        width: 80,
        align: 'right',
        sort: 'level',
        value: (row) => row.level,
        cell: (row) => row.level || '—',
      },
      { key: 'phase', title: t('phase'), width: 70, low: true, value: (row) => row.phase, cell: (row) => t(row.phase) },
      {
        key: 'link',
        title: t('link'),
        width: 96,
        low: true,
        value: (row) => row.link,
        cell: (row) => (row.level === 0 ? '—' : say(STATION_LINK_TEXT[row.link])),
      },
      {
        key: 'signal',
        title: t('signal'),
        width: 158,
        sort: 'signalValue',
        value: (row) => row.signalValue,
        cell: (row) => (
          <span className={styles['signal']}>
            <SignalBars signal={row.signal} /> {row.signalValue === null ? null : `${row.signalValue} ${row.signalUnit}`}
          </span>
        ),
      },
      {
        key: 'upDown',
        title: t('upDown'),
        width: 112,
        low: true,
        align: 'right',
        value: (row) => row.upPct,
        cell: (row) => (row.upPct === null ? '—' : `${row.upPct} / ${row.downPct} %`),
      },
      { key: 'chip', title: t('chip'), width: 84, low: true, mono: true, value: (row) => row.chipId, cell: (row) => row.chipId ?? '—' },
      { key: 'vendor', title: t('vendor'), width: 96, low: true, value: (row) => row.vendor, cell: (row) => row.vendor ?? '—' },
      { key: 'hw', title: t('hw'), width: 86, low: true, mono: true, value: (row) => row.hwVersion, cell: (row) => row.hwVersion ?? '—' },
      {
        key: 'sw',
        title: t('sw'),
        width: 90,
        low: true,
        mono: true,
        sort: 'softwareVersion',
        value: (row) => row.softwareVersion,
        cell: (row) => row.softwareVersion ?? '—',
      },
      {
        key: 'built',
        title: t('built'),
        width: 104,
        low: true,
        mono: true,
        value: (row) => row.builtOn,
        cell: (row) => row.builtOn ?? '—',
      },
      {
        key: 'library',
        title: t('library'),
        width: 150,
        low: true,
        value: (row) => row.library?.verdict,
        cell: (row) => (row.library === null ? '—' : `${say(LIBRARY_VERDICT_TEXT[row.library.verdict])} (${row.library.version})`),
      },
      {
        key: 'uptime',
        title: t('uptime'),
        width: 100,
        low: true,
        align: 'right',
        value: (row) => row.uptimeS,
        cell: (row) => (row.uptimeS === null ? '—' : elapsed(row.uptimeS * 1000)),
      },
      {
        key: 'boots',
        title: t('boots'),
        width: 80,
        low: true,
        align: 'right',
        sort: 'boots',
        value: (row) => row.boots,
        cell: (row) => row.boots ?? '—',
      },
      {
        key: 'lastSeen',
        title: t('lastSeen'),
        width: 160,
        low: true,
        value: (row) => row.lastSeenAt,
        cell: (row) => (row.state === 'never' ? '—' : dateTime(row.lastSeenAt)),
      },
      {
        key: 'inArchive',
        title: t('inArchive'),
        width: 90,
        low: true,
        value: (row) => String(row.isInArchive),
        cell: (row) => t(row.isInArchive ? 'yes' : 'no'),
      },
    ],
    [t, say],
  );
}

/** PLC and RF stations as reported by the network. */
export default function StaModel() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState<keyof typeof DEFAULTS>(DEFAULTS);
  useTopic(url.dcu === undefined ? undefined : `topology:${url.dcu}`);
  return (
    <div className={styles['page']}>
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree
          until="dcu"
          selected={url.dcu ? `dcu:${url.dcu}` : undefined}
          onSelect={(node) => node.kind === 'dcu' && setUrl({ ...DEFAULTS, dcu: idIn('dcu', node.key) })}
        />
      </Panel>
      {url.dcu === undefined ? (
        <Panel label={t('title')}>
          <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
        </Panel>
      ) : (
        <Stations key={url.dcu} dcuId={url.dcu} url={url} setUrl={setUrl} />
      )}
    </div>
  );
}

interface StationsProps {
  dcuId: string;
  url: ReturnType<typeof useUrlState<keyof typeof DEFAULTS>>[0];
  setUrl: ReturnType<typeof useUrlState<keyof typeof DEFAULTS>>[1];
}

function Stations({ dcuId, url, setUrl }: StationsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [run, setRun] = useState<string>();
  const countNames = useCountNames();
  const view = useTableView('/system/debug/sta-model', useColumns());
  const filters = {
    dcuId,
    role: url.role,
    vendor: url.vendor,
    version: url.version,
    levelFrom: url.level,
    signal: url.signal,
    phase: url.phase,
    state: url.state,
    search: url.search,
  };
  const list = useApiQuery(staModel.list, { query: { ...filters, page: url.page, size: url.size, sort: url.sort }, keep: true });
  const summary = useApiQuery(staModel.summary, { query: { dcuId } });
  const read = useApiMutation(staModel.read, {
    success: ({ taskId }) => setRun(taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  useEffect(
    () =>
      stepThrough(
        rows.map((row) => ({ id: keyOf(row) })),
        url.sel,
        (sel) => setUrl({ sel }),
      ),
    [rows, url.sel, setUrl],
  );
  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // as: keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const at = rows.findIndex((row) => keyOf(row) === url.sel);
  const chosen = rows[at];
  const step = (to: number) => {
    const row = rows[to];
    return row && (() => setUrl({ sel: keyOf(row) }));
  };
  /** Opens a neighbour, which may be on another page or filtered out. */
  const goTo = (mac: string) =>
    setUrl(rows.some((row) => row.mac === mac) ? { sel: mac } : { ...refilter(FILTERS), search: mac, sel: mac });
  const choices = (values: readonly string[]) => [...new Set(values)].map((value) => ({ value, label: value }));
  return (
    <div className={styles['main']} data-pane={chosen ? 'open' : undefined}>
      <div className={styles['list']}>
        <Panel label={t('title')} className={styles['head']}>
          <div className={styles['headLine']}>
            <h1>{t('title')}</h1>
            <small>{summary.data?.readAt ? t('readAt', { time: dateTime(summary.data.readAt) }) : t('purpose')}</small>
            <span className={styles['space']} />
            <ExportButton routes={stationExport} filter={{ ...filters, sort: url.sort }} columns={view.columns} />
            {may(staModel.read) ? (
              <Button
                type="primary"
                icon={<RotateCw size={15} aria-hidden="true" />}
                loading={read.isPending}
                onClick={() => read.mutate({ body: { dcuId } })}
              >
                {t('readModel')}
              </Button>
            ) : null}
          </div>
          <PanelState query={summary} lines={2}>
            {({ modules, levels, roles }) => (
              <dl className={styles['summary']} aria-label={t('summary')}>
                {modules.map(({ vendor, version, count }) => (
                  <div key={`${vendor} ${version}`}>
                    <dt>
                      {vendor} <span className="mono">{version}</span>
                    </dt>
                    <dd>
                      <button type="button" onClick={() => setUrl(refilter({ vendor, version }))}>
                        {count}
                      </button>
                    </dd>
                  </div>
                ))}
                <div>
                  <dt>{t('role')}</dt>
                  <dd>{`◆ ${roles.cco} · ▲ ${roles.pco} · ● ${roles.sta}`}</dd>
                </div>
                <div>
                  <dt>{t('levels')}</dt>
                  <dd>{levels.map(({ level, count }) => `${level}: ${count}`).join(' · ') || '—'}</dd>
                </div>
              </dl>
            )}
          </PanelState>
        </Panel>
        <Panel label={t('title')} flush className={styles['table']}>
          <FacetStrip
            label={t('state')}
            all={t('all')}
            total={summary.data?.total}
            facets={STATION_ORDER.map((key) => ({ key, sign: STATION[key], count: summary.data?.states[key] }))}
            selected={url.state}
            onSelect={(state) => setUrl(refilter({ state }))}
          />
          <FilterBar
            tools={
              <>
                <TableTools view={view} />
                <RefreshButton busy={list.isFetching} onRefresh={() => void Promise.all([list.refetch(), summary.refetch()])} />
              </>
            }
          >
            <TextFilter
              label={`${t('sn')} / MAC`}
              value={url.search}
              onChange={(search) => setUrl(refilter({ search: search?.replaceAll(/\s/g, '') }))}
            />
            <Select
              allowClear
              placeholder={t('role')}
              aria-label={t('role')}
              value={url.role ?? null}
              options={(['pco', 'sta', 'cco'] as const).map((value) => ({ value, label: say(STATION_ROLE_TEXT[value]) }))}
              onChange={(role: string | null) => setUrl(refilter({ role: role ?? undefined }))}
            />
            <Select
              allowClear
              placeholder={t('vendor')}
              aria-label={t('vendor')}
              value={url.vendor ?? null}
              options={choices(summary.data?.modules.map(({ vendor }) => vendor) ?? [])}
              onChange={(vendor: string | null) => setUrl(refilter({ vendor: vendor ?? undefined }))}
            />
            <Select
              allowClear
              placeholder={t('sw')}
              aria-label={t('sw')}
              value={url.version ?? null}
              options={choices(summary.data?.modules.map(({ version }) => version) ?? [])}
              onChange={(version: string | null) => setUrl(refilter({ version: version ?? undefined }))}
            />
            <Select
              allowClear
              placeholder={`${t('level')} ≥`}
              aria-label={`${t('level')} ≥`}
              value={url.level ?? null}
              options={(summary.data?.levels ?? []).map(({ level }) => ({ value: String(level), label: `≥ ${level}` }))}
              onChange={(level: string | null) => setUrl(refilter({ level: level ?? undefined }))}
            />
            <Select
              allowClear
              placeholder={t('signal')}
              aria-label={t('signal')}
              value={url.signal ?? null}
              options={SIGNALS.map((value) => ({ value, label: say(SIGNAL_TEXT[value]) }))}
              onChange={(signal: string | null) => setUrl(refilter({ signal: signal ?? undefined }))}
            />
            <Select
              allowClear
              placeholder={t('phase')}
              aria-label={t('phase')}
              value={url.phase ?? null}
              options={PHASES.map((value) => ({ value, label: t(value) }))}
              onChange={(phase: string | null) => setUrl(refilter({ phase: phase ?? undefined }))}
            />
            {isFiltered ? clear : null}
          </FilterBar>
          <PanelState query={list}>
            {(data) => (
              <>
                <DataTable
                  label={t('title')}
                  columns={view.columns}
                  density={view.density}
                  rows={data.items}
                  rowKey={keyOf}
                  rowName={(row) => row.sn ?? row.mac}
                  selected={url.sel}
                  onSelect={(row) => setUrl({ sel: keyOf(row) === url.sel ? undefined : keyOf(row) })}
                  sort={url.sort}
                  onSort={(sort) => setUrl(refilter({ sort }))}
                  stale={list.isPlaceholderData}
                  empty={isFiltered ? <Empty text={t('noMatch')} action={clear} /> : <Empty text={t('noSn')} hint={t('noneHint')} />}
                />
                <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={(page, size) => setUrl({ page, size })} />
              </>
            )}
          </PanelState>
        </Panel>
      </div>
      {chosen ? (
        <StationPane
          row={chosen}
          dcuId={dcuId}
          onPrevious={step(at - 1)}
          onNext={step(at + 1)}
          onSelect={goTo}
          onClose={() => setUrl({ sel: undefined })}
        />
      ) : null}
      {run === undefined ? null : <DeviceRun taskId={run} title={t('readModel')} nameOf={countNames} onClose={() => setRun(undefined)} />}
    </div>
  );
}
