import {
  event,
  MAX_EVENTS_AT_ONCE,
  MAX_INCIDENTS_AT_ONCE,
  type EventCode,
  type EventRow,
  type IncidentRow,
} from '@hes/contract/event/event.ts';
import { eventExport, incidentExport } from '@hes/contract/transfer/orders.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Segmented } from 'antd';
import { BellOff, BookOpen, Check, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { everyRow } from '#core/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#kit/page/list-page.tsx';
import { chosenIn, SelectionBar, useSelection, type Selection } from '#kit/table/selection.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { useTake } from '#kit/table/use-take.ts';
import { refilter, useUrlState, type UrlValues } from '#core/url/url-state.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Catalogue } from './catalogue.tsx';
import { DetailPane } from './detail-pane.tsx';
import { eventColumns } from './event-columns.tsx';
import { Filters, FILTERS } from './filters.tsx';
import { incidentColumns } from './incident-columns.tsx';
import { MuteDialog } from './mute-dialog.tsx';
import { MutesDrawer } from './mutes-drawer.tsx';
import { Pareto } from './pareto.tsx';
import { isOpen, texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

const DEFAULTS = { page: '1', size: '20', sort: 'occurAt,desc', view: 'list', sel: undefined, ...FILTERS };
const POLL_MS = 60_000;
const VIEWS = ['list', 'byCause', 'pareto'] as const;
type View = (typeof VIEWS)[number];
const FACETS = ['serious', 'warning', 'unacknowledged'] as const;
type Facet = (typeof FACETS)[number];

const mayAcknowledgeCause = (row: IncidentRow): boolean => row.abnormalLevel !== null && row.acknowledged < row.members;

type Dialog = { kind: 'mute'; row: EventRow } | { kind: 'mutes' } | { kind: 'catalogue'; start?: Partial<EventCode> };

/** The filters of the address as a query of the API. */
function useQueryOf(url: UrlValues<keyof typeof FILTERS>) {
  const { level, acknowledged, from, to, codes, logs, search, node, direction, incident } = url;
  return useMemo(
    () => ({
      // as: the page itself writes these values
      level: level as 'serious' | 'warning' | undefined,
      acknowledged: acknowledged as 'true' | 'false' | undefined,
      from,
      to,
      codes,
      logs,
      search,
      node,
      direction: direction as 'occur' | 'recover' | undefined,
      incidentId: incident,
    }),
    [level, acknowledged, from, to, codes, logs, search, node, direction, incident],
  );
}

export default function MeterEventPage() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const nameOf = useCodeName(t);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  useTopic('event');

  const view: View = VIEWS.find((word) => word === url.view) ?? 'list';
  const filters = useQueryOf(url);
  const page = { page: url.page, size: url.size };
  const options = { keep: true, refetchMs: POLL_MS };
  const list = useApiQuery(event.list, { ...options, query: { ...filters, ...page, sort: url.sort }, enabled: view === 'list' });
  const incidents = useApiQuery(event.incidents, { ...options, query: { ...filters, ...page }, enabled: view === 'byCause' });
  // The strip counts events that match the other filters.
  const facets = useApiQuery(event.facets, { ...options, query: { ...filters, level: undefined, acknowledged: undefined } });
  const narrowed = useApiQuery(event.facets, { ...options, query: filters, enabled: view === 'pareto' });
  const updatedAt = useOneMoment(view === 'byCause' ? incidents : list, facets);
  const mutes = useApiQuery(event.mutes);

  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const causes = useMemo(() => incidents.data?.items ?? [], [incidents.data]);
  const filter = JSON.stringify(filters);
  const chosenEvents = useSelection<EventRow>({ idOf: (row) => row.id, filter, mayChoose: isOpen, rows });
  const chosenCauses = useSelection<IncidentRow>({ idOf: (row) => row.id, filter, mayChoose: mayAcknowledgeCause, rows: causes });
  const takeEvents = useTake(chosenEvents, (most) => everyRow(event.list, filters, most));
  const takeCauses = useTake(chosenCauses, (most) => everyRow(event.incidents, filters, most));
  const reload = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [path] }) => String(path).startsWith(event.list.path),
    });
  const acknowledge = useApiMutation(event.acknowledge, {
    success: ({ acknowledged }) => {
      void message.success(t('acknowledgedCount', { count: acknowledged }));
      chosenEvents.clear();
      chosenCauses.clear();
      void reload();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  const mayAcknowledge = may(event.acknowledge);
  const eventCols = useMemo(
    () =>
      eventColumns({
        t,
        say,
        nameOf,
      }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- nameOf changes with the language, as t does
    [t, say],
  );
  const table = useTableView('/meter/meter-event', eventCols);
  const incidentCols = useMemo(
    () =>
      incidentColumns({
        t,
        say,
        nameOf,
      }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- nameOf changes with the language, as t does
    [t, say],
  );
  useRowSteps({
    ids: rows.map((row) => row.id),
    selected: url.sel,
    select: (sel) => setUrl({ sel }),
    isOff: dialog !== undefined || view !== 'list',
  });

  const show = (change: Parameters<typeof setUrl>[0]) => setUrl({ sel: undefined, page: undefined, ...change });
  const facet: Facet | undefined = url.acknowledged === 'false' ? 'unacknowledged' : FACETS.find((word) => word === url.level);
  const chooseFacet = (key: string | undefined) =>
    show({
      level: key === 'serious' || key === 'warning' ? key : undefined,
      acknowledged: key === 'unacknowledged' ? 'false' : undefined,
    });
  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // keys of that very object
  const clear = (
    <Button type="link" onClick={() => show(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const idsOf = (some: { id: string }[]) => some.map(({ id }) => id);
  const batch = <R,>(selection: Selection<R>, total: number, onAcknowledge: () => void) =>
    selection.isEmpty ? undefined : (
      <SelectionBar selection={selection} total={total}>
        <Button
          size="small"
          type="primary"
          icon={<Check size={13} aria-hidden="true" />}
          loading={acknowledge.isPending}
          onClick={onAcknowledge}
        >
          {t('acknowledge')}
        </Button>
      </SelectionBar>
    );
  const empty = <Empty text={t('noEvents')} hint={t('noEventsHint')} action={isFiltered ? clear : undefined} />;
  const muted = mutes.data?.items.length ?? 0;

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          {muted > 0 ? (
            <Button icon={<BellOff size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'mutes' })}>
              {t('mutedNow', { count: muted })}
            </Button>
          ) : null}
          <Button icon={<BookOpen size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'catalogue' })}>
            {t('catalogue')}
          </Button>
          {view === 'byCause' ? (
            <ExportButton routes={incidentExport} filter={filters} columns={incidentCols} chosen={chosenIn(chosenCauses)} />
          ) : (
            <ExportButton
              routes={eventExport}
              filter={{ ...filters, sort: url.sort }}
              columns={table.columns}
              chosen={chosenIn(chosenEvents)}
            />
          )}
        </>
      }
      pane={
        url.sel && view === 'list' ? (
          <DetailPane
            key={url.sel}
            id={url.sel}
            rows={rows}
            onSelect={(sel) => setUrl({ sel })}
            onAcknowledge={(some) => acknowledge.mutate({ body: { ids: some } })}
            onMute={(row) => setDialog({ kind: 'mute', row })}
            onChanged={reload}
            onNameCode={({ log, code }) => setDialog({ kind: 'catalogue', start: { log, code } })}
          />
        ) : undefined
      }
    >
      <Panel flush className={styles['list']} label={t('title')}>
        <FacetStrip
          label={t('level')}
          all={t('all')}
          total={facets.data?.all}
          facets={[
            { key: 'serious', sign: LEVEL.serious, count: facets.data?.serious },
            { key: 'warning', sign: LEVEL.warning, count: facets.data?.warning },
            {
              key: 'unacknowledged',
              sign: { shape: 'clock', tone: 'wait', text: texts.unacknowledged },
              count: facets.data?.unacknowledged,
            },
          ]}
          selected={facet}
          onSelect={chooseFacet}
        />
        <FilterBar
          tools={
            <>
              <Segmented
                aria-label={t('view')}
                value={view}
                options={VIEWS.map((value) => ({ value, label: t(value) }))}
                onChange={(next) => show({ view: next })}
              />
              {view === 'list' ? <TableTools view={table} /> : null}
              <RefreshButton busy={list.isFetching || incidents.isFetching} onRefresh={reload} />
            </>
          }
        >
          <Filters url={url} onChange={show} />
          {url.incident ? (
            <Button icon={<X size={14} aria-hidden="true" />} iconPlacement="end" onClick={() => show({ incident: undefined })}>
              {t('ofIncident', { id: url.incident })}
            </Button>
          ) : null}
          {isFiltered ? clear : null}
        </FilterBar>
        {view === 'list' ? (
          <PanelState query={list} lines={14}>
            {(data) => (
              <>
                <DataTable<EventRow>
                  label={t('title')}
                  columns={table.columns}
                  density={table.density}
                  selection={mayAcknowledge ? chosenEvents : undefined}
                  rowName={({ id }) => t('eventOf', { id })}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  selected={url.sel}
                  onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                  sort={url.sort}
                  onSort={(sort) => setUrl(refilter({ sort }))}
                  stale={list.isPlaceholderData}
                  empty={empty}
                />
                <ListFooter
                  page={data}
                  updatedAt={updatedAt}
                  onPage={(next, size) => show({ page: next, size })}
                  batch={batch(chosenEvents, data.total, () =>
                    takeEvents((some) => acknowledge.mutate({ body: { ids: idsOf(some) } }), MAX_EVENTS_AT_ONCE),
                  )}
                />
              </>
            )}
          </PanelState>
        ) : null}
        {view === 'byCause' ? (
          <PanelState query={incidents} lines={14}>
            {(data) => (
              <>
                <DataTable<IncidentRow>
                  label={t('byCause')}
                  columns={incidentCols}
                  selection={mayAcknowledge ? chosenCauses : undefined}
                  rowName={({ id }) => t('eventOf', { id })}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  onSelect={(row) => show({ view: 'list', incident: row.id })}
                  stale={incidents.isPlaceholderData}
                  empty={empty}
                />
                <ListFooter
                  page={data}
                  updatedAt={updatedAt}
                  onPage={(next, size) => show({ page: next, size })}
                  batch={batch(chosenCauses, data.total, () =>
                    takeCauses((some) => acknowledge.mutate({ body: { incidentIds: idsOf(some) } }), MAX_INCIDENTS_AT_ONCE),
                  )}
                />
              </>
            )}
          </PanelState>
        ) : null}
        {view === 'pareto' ? (
          <PanelState query={narrowed} lines={14} isEmpty={(data) => data.byCode.length === 0} empty={empty}>
            {(data) => <Pareto facets={data} onCode={(codes) => show({ view: 'list', codes })} />}
          </PanelState>
        ) : null}
      </Panel>
      {dialog?.kind === 'mute' ? (
        <MuteDialog
          row={dialog.row}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            void reload();
          }}
        />
      ) : null}
      {dialog?.kind === 'mutes' ? <MutesDrawer onClose={() => setDialog(undefined)} onChanged={reload} /> : null}
      {dialog?.kind === 'catalogue' ? <Catalogue start={dialog.start} onClose={() => setDialog(undefined)} onChanged={reload} /> : null}
    </ListPage>
  );
}
