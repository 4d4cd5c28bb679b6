import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { relay, type RelayRow } from '@hes/contract/action/relay.ts';
import { MAX_DEVICES_PER_ORDER } from '@hes/contract/action/device-order.ts';
import { relayExport } from '@hes/contract/transfer/orders.ts';
import type { RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { App, Button, Checkbox, Tag } from 'antd';
import { LockKeyhole, LockKeyholeOpen, Power, ScanSearch, Unlock, Unplug, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useOneMoment } from '#shared/api/one-moment.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { useTopics } from '#shared/live/live.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter } from '#shared/table/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#shared/table/selection.tsx';
import { useTake } from '#shared/table/use-take.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter } from '#shared/table/url-state.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { PasteSns } from '#widgets/targets/paste-sns.tsx';
import { relayColumns } from './columns.tsx';
import { texts } from './messages.ts';
import { OrderDialog } from './order-dialog.tsx';
import { RELAY, RELAY_ORDER } from './signs.ts';
import styles from './relay.module.css';

const POLL_MS = 15_000;
/** The numbers are part of the address, whose length is limited. */
const MAX_PASTED = 500;
const NO_FILTERS = { node: undefined, search: undefined, state: undefined, isProtected: undefined, sns: undefined };

interface RelayUrl {
  page: string | undefined;
  size: string | undefined;
  sort: string | undefined;
  node: NodeKey | undefined;
  search: string | undefined;
  state: string | undefined;
  isProtected: string | undefined;
  /** Pasted serial numbers, separated by commas. */
  sns: string | undefined;
}

interface RelayListProps {
  url: RelayUrl;
  setUrl: (change: Partial<RelayUrl>) => void;
  onOpen: (taskId: string) => void;
}

type Dialog =
  | { kind: 'order'; operation: RelayOperation; meterIds: string[] }
  | { kind: 'protection'; isProtected: boolean; meterIds: string[] };

/** The supplies with their relays, and the orders for the selected ones. */
export function RelayList({ url, setUrl, onOpen }: RelayListProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [dialog, setDialog] = useState<Dialog>();
  const { node, search, state, isProtected, sns } = url;
  const filters = { node, search, state, isProtected, sns };
  const list = useApiQuery(relay.list, {
    query: { ...filters, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const summary = useApiQuery(relay.summary, { query: { node, search, sns }, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(list, summary);
  const selection = useSelection<RelayRow>({ idOf: (row) => row.meterId, filter: JSON.stringify(filters), rows: list.data?.items });
  const take = useTake(selection, (most) => everyRow(relay.list, filters, most));
  useTopics((list.data?.items ?? []).flatMap(({ openOrder }) => (openOrder ? [`task:${openOrder.taskId}`] : [])));
  const all = useMemo(() => relayColumns(t, say, onOpen), [t, say, onOpen]);
  const view = useTableView('/action/relay-control', all);
  const close = () => setDialog(undefined);
  const reload = () => {
    void list.refetch();
    void summary.refetch();
  };
  const failure = (error: { message: string }) => void message.error(error.message, 0);
  const read = useApiMutation(relay.read, { success: ({ taskId }) => onOpen(taskId), failure });
  const protect = useApiMutation(relay.protect, {
    success: ({ changed }) => {
      void message.success(t('protectionChanged', { count: changed }));
      close();
      selection.clear();
      reload();
    },
  });
  const mayOrder = may(relay.order);

  const withChosen = (then: (meterIds: string[]) => void) => take((rows) => then(rows.map((row) => row.meterId)), MAX_DEVICES_PER_ORDER);
  const order = (operation: RelayOperation) => withChosen((meterIds) => setDialog({ kind: 'order', operation, meterIds }));
  const protection = (toProtect: boolean) => withChosen((meterIds) => setDialog({ kind: 'protection', isProtected: toProtect, meterIds }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(NO_FILTERS))}>
      {t('clearFilters')}
    </Button>
  );

  return (
    <Panel flush className={styles['list']} label={t('relays')}>
      <FacetStrip
        label={t('state')}
        all={t('allRelays')}
        total={summary.data?.total}
        facets={RELAY_ORDER.map((key) => ({ key, sign: RELAY[key], count: summary.data?.byState[key] }))}
        selected={url.state}
        onSelect={(value) => setUrl(refilter({ state: value }))}
      />
      <FilterBar
        tools={
          <>
            <ExportButton
              routes={relayExport}
              filter={{ ...filters, sort: url.sort }}
              columns={view.columns}
              chosen={chosenIn(selection)}
            />
            <TableTools view={view} />
            <RefreshButton busy={list.isFetching} onRefresh={reload} />
          </>
        }
      >
        <TextFilter label={t('searchFor')} value={url.search} onChange={(value) => setUrl(refilter({ search: value }))} />
        <Checkbox
          checked={isProtected === 'true'}
          onChange={(event) => setUrl(refilter({ isProtected: event.target.checked ? 'true' : undefined }))}
        >
          {t('onlyProtected')}
        </Checkbox>
        <PasteSns
          add={t('show')}
          onAdd={(nodes) => {
            if (nodes.length > MAX_PASTED) void message.warning(t('tooManyPasted', { count: MAX_PASTED }));
            else setUrl(refilter({ sns: nodes.map(({ title }) => title).join(',') }));
          }}
        />
        {sns === undefined ? null : (
          <Tag closable closeIcon={<X size={12} aria-label={t('clearFilters')} />} onClose={() => setUrl(refilter({ sns: undefined }))}>
            {t('pasted', { count: sns.split(',').length })}
          </Tag>
        )}
        {isFiltered ? clear : null}
        {mayOrder ? (
          <span className={styles['orders']}>
            <Button
              icon={<ScanSearch size={14} aria-hidden="true" />}
              loading={read.isPending}
              onClick={() => withChosen((meterIds) => read.mutate({ body: { meterIds } }))}
            >
              {t('read')}
            </Button>
            <Button icon={<Unlock size={14} aria-hidden="true" />} onClick={() => order('arm')}>
              {t('arm')}
            </Button>
            <Button icon={<Power size={14} aria-hidden="true" />} onClick={() => order('connect')}>
              {t('connect')}
            </Button>
            <Button danger icon={<Unplug size={14} aria-hidden="true" />} onClick={() => order('disconnect')}>
              {t('disconnect')}
            </Button>
          </span>
        ) : null}
      </FilterBar>
      <PanelState query={list} lines={12}>
        {(data) => (
          <>
            <DataTable<RelayRow>
              label={t('relays')}
              columns={view.columns}
              density={view.density}
              selection={mayOrder ? selection : undefined}
              rowName={(row) => row.sn}
              rows={data.items}
              rowKey={(row) => row.meterId}
              onSelect={(row) => (row.command ? onOpen(row.command.taskId) : undefined)}
              sort={url.sort}
              onSort={(sort) => setUrl(refilter({ sort }))}
              stale={list.isPlaceholderData}
              empty={<Empty text={t('noMatch')} action={clear} />}
            />
            <ListFooter
              page={data}
              updatedAt={updatedAt}
              onPage={(page, size) => setUrl({ page, size })}
              batch={
                selection.isEmpty ? undefined : (
                  <SelectionBar selection={selection} total={data.total}>
                    <Button size="small" icon={<LockKeyhole size={13} aria-hidden="true" />} onClick={() => protection(true)}>
                      {t('protect')}
                    </Button>
                    <Button size="small" icon={<LockKeyholeOpen size={13} aria-hidden="true" />} onClick={() => protection(false)}>
                      {t('unprotect')}
                    </Button>
                  </SelectionBar>
                )
              }
            />
          </>
        )}
      </PanelState>
      {dialog?.kind === 'order' ? (
        <OrderDialog operation={dialog.operation} meterIds={dialog.meterIds} onClose={close} onStarted={onOpen} />
      ) : null}
      {dialog?.kind === 'protection' ? (
        <DangerDialog
          title={t(dialog.isProtected ? 'protectTitle' : 'unprotectTitle', { count: dialog.meterIds.length })}
          effect={t(dialog.isProtected ? 'protectEffect' : 'unprotectEffect')}
          action={t(dialog.isProtected ? 'protect' : 'unprotect')}
          reason={{ label: t('reason'), max: 256, missing: t('reasonMissing') }}
          busy={protect.isPending}
          failure={protect.error?.message}
          onConfirm={(reason) => protect.mutate({ body: { meterIds: dialog.meterIds, isProtected: dialog.isProtected, reason } })}
          onClose={close}
        />
      ) : null}
    </Panel>
  );
}
