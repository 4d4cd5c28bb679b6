import { dcu, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { dcuExport, dcuImport, dcuKeyImport } from '@hes/contract/transfer/devices.ts';
import { freshness, type Freshness } from '@hes/contract/states/device.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { Plus } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useOneMoment } from '#shared/api/one-moment.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { chosenIn, useSelection } from '#shared/table/selection.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { useTake } from '#shared/table/use-take.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { useKeyList } from '#widgets/device-keys/key-list.ts';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#widgets/state-of/tables.ts';
import { BatchBar } from './batch-bar.tsx';
import { columnsOf } from './columns.tsx';
import { texts } from './texts.ts';
import { useDcuDialog } from './use-dcu-dialog.ts';
import { DetailPane } from './detail-pane.tsx';
import { Dialogs } from './dialogs.tsx';
import { FilterRow } from './filter-row.tsx';
import { UnregisteredButton } from './unregistered.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import styles from './dcu.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'sn,asc',
  search: undefined,
  freshness: undefined,
  onlineStatus: undefined,
  connectionType: undefined,
  signal: undefined,
  type: undefined,
  supplier: undefined,
  node: undefined,
  nodeName: undefined,
  sel: undefined,
};
const NO_FILTERS = {
  search: undefined,
  freshness: undefined,
  onlineStatus: undefined,
  connectionType: undefined,
  signal: undefined,
  type: undefined,
  supplier: undefined,
  node: undefined,
  nodeName: undefined,
};
const POLL_MS = 60_000;

export default function DcuPage() {
  const t = useMessages(texts);
  const say = useSay();
  const [url, setUrl] = useUrlState(DEFAULTS);
  useTopic('dcu');
  useTopic('device');
  const may = useMay();
  const keys = useKeyList(dcuKeyImport);
  const client = useQueryClient();
  const { dialog, open, close } = useDcuDialog();

  const bucket = freshness.safeParse(url.freshness).data;
  const filters = { search: url.search, node: url.node };
  const narrowed = {
    ...filters,
    freshness: bucket,
    onlineStatus: url.onlineStatus,
    connectionType: url.connectionType,
    signal: url.signal,
    dcuTypeId: url.type,
    supplierId: url.supplier,
  };
  const list = useApiQuery(dcu.list, {
    query: { ...narrowed, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const facets = useApiQuery(dcu.facets, { query: filters, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(list, facets);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const selection = useSelection<DcuRow>({ idOf: rowKey, filter: JSON.stringify(narrowed), rows });
  const take = useTake(selection, (most) => everyRow(dcu.list, narrowed, most));
  const all = useMemo(() => columnsOf({ t, say, onDialog: open }), [t, say, open]);
  const view = useTableView('/assets/dcu', all);
  useEffect(() => (dialog ? undefined : stepThrough(rows, url.sel, (sel) => setUrl({ sel }))), [rows, url.sel, setUrl, dialog]);

  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(dcu.list.path) });
  const selectBucket = (value: string | undefined) => setUrl(refilter({ freshness: value }));
  const empty = <Empty text={t('noDcus')} action={<Button onClick={() => setUrl(refilter(NO_FILTERS))}>{t('clearFilters')}</Button>} />;

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <UnregisteredButton onRegister={may(dcu.create) ? (caller) => open({ kind: 'add', caller }) : undefined} />
          <ExportButton routes={dcuExport} filter={{ ...narrowed, sort: url.sort }} columns={view.columns} chosen={chosenIn(selection)} />
          <ImportButton routes={dcuImport} what={t('title')} others={[keys]} onImported={reload} />
          {may(dcu.create) ? (
            <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => open({ kind: 'add' })}>
              {t('register')}
            </Button>
          ) : null}
        </>
      }
      pane={url.sel ? <DetailPane key={url.sel} id={url.sel} rows={rows} onSelect={(sel) => setUrl({ sel })} onDialog={open} /> : null}
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
          onRefresh={reload}
          busy={list.isFetching}
          tools={<TableTools view={view} />}
        />
        <PanelState query={list} lines={14}>
          {(data) => (
            <>
              <DataTable<DcuRow>
                label={t('title')}
                columns={view.columns}
                density={view.density}
                selection={may(dcu.move) ? selection : undefined}
                rowName={(row) => row.sn}
                rows={data.items}
                rowKey={rowKey}
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
                onPage={(page, size) => setUrl({ page, size })}
                batch={selection.isEmpty ? undefined : <BatchBar selection={selection} total={data.total} take={take} onDialog={open} />}
              />
            </>
          )}
        </PanelState>
      </Panel>
      <Dialogs
        dialog={dialog}
        onClose={close}
        onChanged={({ gone, created }) => {
          close();
          selection.clear();
          if (created !== undefined) setUrl({ sel: created });
          else if (url.sel !== undefined && gone?.includes(url.sel)) setUrl({ sel: undefined });
          reload();
        }}
      />
    </ListPage>
  );
}

const rowKey = (row: DcuRow): string => row.id;
