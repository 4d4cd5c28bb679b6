import { archive } from '@hes/contract/asset/archive.ts';
import { meter, type AssetRow } from '@hes/contract/asset/meter.ts';
import { freshness, inventoryState, type InventoryState } from '@hes/contract/states/device.ts';
import { meterExport, meterImport, meterKeyImport } from '@hes/contract/transfer/devices.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Button, Select } from 'antd';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useOneMoment } from '#shared/api/one-moment.ts';
import { useModelName } from '#shared/i18n/model-name.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { chosenIn, useSelection } from '#shared/table/selection.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { useTake } from '#shared/table/use-take.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { useKeyList } from '#widgets/device-keys/key-list.ts';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { NodeFilter } from '#widgets/node-tree/node-filter.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { FRESHNESS, INVENTORY } from '#widgets/state-of/tables.ts';
import type { AssetDialog } from './asset-actions.tsx';
import { AssetBatchBar } from './asset-batch-bar.tsx';
import { assetColumns } from './asset-columns.tsx';
import { AssetDialogs } from './asset-dialogs.tsx';
import { AssetPane } from './asset-pane.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'sn,asc',
  search: undefined,
  state: undefined,
  type: undefined,
  supplier: undefined,
  mode: undefined,
  master: undefined,
  bound: undefined,
  freshness: undefined,
  node: undefined,
  nodeName: undefined,
  sel: undefined,
};
const NO_FILTERS = {
  search: undefined,
  state: undefined,
  type: undefined,
  supplier: undefined,
  mode: undefined,
  master: undefined,
  bound: undefined,
  freshness: undefined,
  node: undefined,
  nodeName: undefined,
};
const POLL_MS = 60_000;
/** Separators between serial numbers pasted from a spreadsheet or an e-mail. */
const BETWEEN = /[\s,;，；]+/;

/** One word is a search, several are a list of serial numbers. */
function searchOf(text: string | undefined): { search?: string; sns?: string } {
  const words = (text ?? '').trim().split(BETWEEN).filter(Boolean);
  if (words.length > 1) return { sns: words.join(',') };
  return words[0] === undefined ? {} : { search: words[0] };
}

/** The inventory of meters. */
export function AssetsTab() {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const may = useMay();
  const keys = useKeyList(meterKeyImport);
  const client = useQueryClient();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<AssetDialog>();
  useTopic('device');

  const state = inventoryState.safeParse(url.state).data;
  const filters = {
    ...searchOf(url.search),
    node: url.node,
    meterTypeId: url.type,
    supplierId: url.supplier,
    communicationMode: url.mode,
    isMaster: url.master,
    bound: url.bound,
    freshness: url.freshness,
  };
  const all = { ...filters, inventoryState: state };
  const list = useApiQuery(meter.assets, {
    query: { ...all, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const facets = useApiQuery(meter.facets, { query: filters, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(list, facets);
  const options = useApiQuery(meter.options);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const selection = useSelection<AssetRow>({ idOf: (row) => row.id, filter: JSON.stringify(all), rows });
  const take = useTake(selection, (most) => everyRow(meter.assets, all, most));
  const every = useMemo(
    () =>
      assetColumns({
        t,
        say,
        onDialog: setDialog,
      }),
    [t, say],
  );
  const view = useTableView('/assets/meter-asset-discovery', every);
  useEffect(() => (dialog ? undefined : stepThrough(rows, url.sel, (sel) => setUrl({ sel }))), [rows, url.sel, setUrl, dialog]);

  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(meter.list.path) });
  const isFiltered = Object.keys(NO_FILTERS).some((key) => url[key as keyof typeof NO_FILTERS] !== undefined); // keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(NO_FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const select = (
    key: 'type' | 'supplier' | 'mode' | 'master' | 'bound' | 'freshness',
    label: string,
    items: { value: string; label: string }[],
  ) => (
    <Select
      allowClear
      className={styles['select'] ?? ''}
      placeholder={label}
      aria-label={label}
      value={url[key]}
      options={items}
      onChange={(value: string | undefined) => setUrl(refilter({ [key]: value }))}
    />
  );
  return (
    <div className={styles['tab']}>
      <ListPage
        title={t('assetsTab')}
        purpose={t('purpose')}
        actions={
          <>
            <ExportButton routes={meterExport} filter={{ ...all, sort: url.sort }} columns={view.columns} chosen={chosenIn(selection)} />
            <ImportButton routes={meterImport} what={t('meters')} others={[keys]} onImported={reload} />
            {may(meter.create) ? (
              <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'add' })}>
                {t('add')}
              </Button>
            ) : null}
          </>
        }
        pane={
          url.sel ? (
            <AssetPane key={url.sel} id={url.sel} rows={rows} onSelect={(sel) => setUrl({ sel })} onDialog={setDialog} />
          ) : undefined
        }
      >
        <Panel flush className={styles['list']} label={t('assetsTab')}>
          <FacetStrip
            label={t('inventory')}
            all={t('allMeters')}
            total={facets.data?.total}
            isExact={facets.data?.totalIsExact}
            facets={inventoryState.options.map((key: InventoryState) => ({
              key,
              sign: INVENTORY[key],
              count: facets.data?.inventoryState[key],
            }))}
            selected={state}
            onSelect={(value) => setUrl(refilter({ state: value }))}
          />
          <FilterBar
            tools={
              <>
                <TableTools view={view} />
                <RefreshButton busy={list.isFetching} onRefresh={reload} />
              </>
            }
          >
            <TextFilter label={t('searchHint')} width={250} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
            <NodeFilter node={url.node} nodeName={url.nodeName} until="dcu" onChange={(choice) => setUrl(refilter({ ...choice }))} />
            {select(
              'type',
              t('type'),
              (options.data?.types ?? []).map((type) => ({ value: type.id, label: called(type.name) })),
            )}
            {select(
              'supplier',
              t('supplier'),
              (options.data?.suppliers ?? []).map((supplier) => ({ value: supplier.id, label: called(supplier.name) })),
            )}
            {select('mode', t('modeShort'), [
              { value: 'plc', label: t('plc') },
              { value: 'rf', label: t('rf') },
            ])}
            {select('master', t('isMaster'), [
              { value: 'true', label: t('masters') },
              { value: 'false', label: t('noMasters') },
            ])}
            {select('bound', t('boundState'), [
              { value: 'true', label: t('onlyBound') },
              { value: 'false', label: t('onlyUnbound') },
            ])}
            {select(
              'freshness',
              t('freshness'),
              freshness.options.map((value) => ({ value, label: say(FRESHNESS[value].text) })),
            )}
            {isFiltered ? clear : null}
          </FilterBar>
          <PanelState query={list} lines={14}>
            {(data) => (
              <>
                <DataTable<AssetRow>
                  label={t('assetsTab')}
                  columns={view.columns}
                  density={view.density}
                  selection={may(meter.setMaster) || may(archive.bind) ? selection : undefined}
                  rowName={(row) => row.sn}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  selected={url.sel}
                  onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                  sort={url.sort}
                  onSort={(sort) => setUrl(refilter({ sort }))}
                  stale={list.isPlaceholderData}
                  empty={<Empty text={t('noMeters')} action={clear} />}
                />
                <ListFooter
                  page={data}
                  updatedAt={updatedAt}
                  onPage={(page, size) => setUrl({ page, size })}
                  batch={
                    selection.isEmpty ? undefined : (
                      <AssetBatchBar
                        selection={selection}
                        total={data.total}
                        onlyMasters={url.master === 'true'}
                        take={take}
                        onDialog={setDialog}
                        onChanged={() => {
                          selection.clear();
                          reload();
                        }}
                      />
                    )
                  }
                />
              </>
            )}
          </PanelState>
        </Panel>
        <AssetDialogs
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onChanged={({ gone, shown }) => {
            setDialog(undefined);
            selection.clear();
            if (shown !== undefined) setUrl({ sel: shown });
            else if (url.sel !== undefined && gone?.includes(url.sel)) setUrl({ sel: undefined });
            reload();
          }}
        />
      </ListPage>
    </div>
  );
}
