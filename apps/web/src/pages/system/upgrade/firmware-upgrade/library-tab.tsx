import { supplier } from '@hes/contract/asset/supplier.ts';
import { DELIVERED_ROLES } from '@hes/contract/text/roles.ts';
import { FIRMWARE_STATE_TEXT, SIGNATURE_TEXT, UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { firmwareExport } from '@hes/contract/transfer/orders.ts';
import { firmware as routes, FIRMWARE_PAGE, type FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { App, Button, Select } from 'antd';
import { Archive, Check, Download, FileUp, Package, Pencil, Play, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { download } from '#shared/api/download.ts';
import { failureText } from '#shared/api/errors.ts';
import { useEveryRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useModelName } from '#shared/i18n/model-name.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { RowActions } from '#shared/table/row-actions.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { CopyButton, Num } from '#shared/ui/text.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { choicesOf } from '#widgets/record-list/form-fields.tsx';
import { useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { Tags } from '#widgets/record-list/tags.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { FIRMWARE } from '#widgets/upgrade-state/upgrade-tables.ts';
import { FirmwareForm } from './firmware-form.tsx';
import { libraryColumns } from './library-columns.tsx';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

const FILTERS = { name: undefined, version: undefined, targetKind: undefined, supplierId: undefined, state: undefined };
const DEFAULTS = { page: '1', size: '20', sort: 'createdAt,desc', sel: undefined, ...FILTERS };
const ICON = 14;

type Asked = { kind: 'form'; row: FirmwareRow | undefined } | { kind: 'approve' | 'retire' | 'delete'; row: FirmwareRow };

export function LibraryTab() {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [, setSearch] = useSearchParams();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [asked, setAsked] = useState<Asked>();
  const { page, size, sort, sel, ...filters } = url;
  // as: the server validates values from the address
  const query = useApiQuery(routes.list, { query: { ...filters, page, size, sort } as never, keep: true });
  const suppliers = useEveryRow(supplier.list, {}, { enabled: may(supplier.list) });
  const detail = useApiQuery(routes.get, { params: { id: sel ?? '0' }, enabled: sel !== undefined });
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  useEffect(() => (asked ? undefined : stepThrough(rows, sel, (next) => setUrl({ sel: next }))), [rows, sel, setUrl, asked]);

  const done = () => {
    setAsked(undefined);
    void message.success(t('saved'));
    reload();
  };
  const approve = useApiMutation(routes.approve, { success: done });
  const retire = useApiMutation(routes.retire, { success: done });
  const remove = useApiMutation(routes.remove, {
    success: () => {
      setUrl({ sel: undefined });
      done();
    },
  });
  const order = { approve, retire, delete: remove };
  const ask = (next: Asked) => {
    for (const one of Object.values(order)) one.reset();
    setAsked(next);
  };
  const save = (row: FirmwareRow) =>
    void download(routes.file, { params: { id: row.id } }).catch((error: unknown) => void message.error(failureText(error), 0));
  const startWith = (row: FirmwareRow) => setSearch({ tab: 'new', firmware: row.id });

  const itemsOf = (row: FirmwareRow) => [
    ...(row.state === 'approved' && may(upgradeJob.create)
      ? [{ key: 'start', label: t('start'), icon: <Play size={ICON} aria-hidden="true" />, onClick: () => startWith(row) }]
      : []),
    ...(row.state === 'draft' && may(routes.approve)
      ? [
          {
            key: 'approve',
            label: t('approve'),
            title: row.mayApprove ? '' : t('approveOther'),
            disabled: !row.mayApprove,
            icon: <Check size={ICON} aria-hidden="true" />,
            onClick: () => ask({ kind: 'approve', row }),
          },
        ]
      : []),
    ...(row.state === 'draft' && may(routes.update)
      ? [{ key: 'edit', label: t('edit'), icon: <Pencil size={ICON} aria-hidden="true" />, onClick: () => ask({ kind: 'form', row }) }]
      : []),
    ...(may(routes.file)
      ? [{ key: 'file', label: t('download'), icon: <Download size={ICON} aria-hidden="true" />, onClick: () => save(row) }]
      : []),
    ...(row.state === 'approved' && may(routes.retire)
      ? [
          {
            key: 'retire',
            label: t('retire'),
            icon: <Archive size={ICON} aria-hidden="true" />,
            onClick: () => ask({ kind: 'retire', row }),
          },
        ]
      : []),
    ...(row.jobs === 0 && may(routes.remove)
      ? [
          {
            key: 'delete',
            label: t('remove'),
            danger: true,
            icon: <Trash2 size={ICON} aria-hidden="true" />,
            onClick: () => ask({ kind: 'delete', row }),
          },
        ]
      : []),
  ];
  const view = useTableView(FIRMWARE_PAGE, [
    ...libraryColumns(t, say),
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row: FirmwareRow) => <RowActions label={t('actionsOf', { name: `${row.name} ${row.version}` })} items={itemsOf(row)} />,
    },
  ]);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  const add = may(routes.create) ? (
    <Button type="primary" icon={<FileUp size={15} aria-hidden="true" />} onClick={() => ask({ kind: 'form', row: undefined })}>
      {t('addFirmware')}
    </Button>
  ) : null;
  const choice = (key: 'targetKind' | 'state', label: string, options: { value: string; label: string }[]) => (
    <Select
      allowClear
      style={{ width: 160 }}
      placeholder={label}
      aria-label={label}
      value={url[key]}
      options={options}
      onChange={(value) => setUrl(refilter({ [key]: value }))}
    />
  );
  const confirming = asked && asked.kind !== 'form' ? asked : undefined;
  const words = {
    approve: { title: 'approveTitle', effect: 'approveHint', action: 'approve' },
    retire: { title: 'retireTitle', effect: 'retireHint', action: 'retire' },
    delete: { title: 'sureToDelete', effect: 'deleteHint', action: 'remove' },
  } as const;

  return (
    <>
      <ListPage
        title={t('title')}
        purpose={t('purpose')}
        actions={
          <>
            <ExportButton routes={firmwareExport} filter={filters} columns={view.columns} />
            {add}
          </>
        }
        pane={
          sel ? (
            <RecordPane<FirmwareRow>
              key={sel}
              id={sel}
              rows={rows}
              query={detail}
              label={detail.data?.name ?? t('firmware')}
              icon={<Package size={20} aria-hidden="true" />}
              head={(row) => ({
                title: `${row.name} ${row.version}`,
                place: `${called(row.supplierName)} · ${say(UPGRADE_TARGET_TEXT[row.targetKind])}`,
                state: <StateOf tag sign={FIRMWARE[row.state]} />,
              })}
              actions={(row) =>
                itemsOf(row).map(({ key, label, icon, onClick, ...rest }, index) => (
                  <Button
                    key={key}
                    type={index === 0 ? 'primary' : 'default'}
                    icon={icon}
                    disabled={'disabled' in rest && rest.disabled}
                    title={'title' in rest ? rest.title : ''}
                    onClick={onClick}
                  >
                    {label}
                  </Button>
                ))
              }
              properties={(row) => [
                { label: t('upgradeFile'), value: row.upgradeFile },
                { label: t('size'), value: <Num value={row.size} unit={t('octets')} /> },
                { label: t('format'), value: row.format },
                { label: t('signature'), value: say(SIGNATURE_TEXT[row.signature]) },
                { label: t('upgradeProtocol'), value: say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol]) },
                { label: t('blockSize'), value: <Num value={row.blockSize} /> },
                { label: t('imageIdentifier'), value: <span className="mono">{row.imageIdentifier}</span> },
                { label: t('usedIn'), value: t('usedJobs', { count: row.jobs }) },
                {
                  label: t('sha256'),
                  wide: true,
                  value: (
                    <span className={`mono ${styles['hash']}`}>
                      {row.sha256} <CopyButton text={row.sha256} />
                    </span>
                  ),
                },
                { label: t('types'), wide: true, value: <Tags words={row.types.map(({ name }) => called(name))} /> },
                {
                  label: t('fromVersions'),
                  wide: true,
                  value: row.fromVersions.length > 0 ? <Tags words={row.fromVersions} /> : t('everyVersion'),
                },
                { label: t('upgradeReason'), wide: true, value: row.upgradeReason },
                { label: t('fileProvider'), wide: true, value: row.fileProvider },
                { label: t('uploadedBy'), wide: true, value: `${row.createdByName ?? '—'} · ${dateTime(row.createdAt)}` },
                {
                  label: t('approvedBy'),
                  wide: true,
                  value: row.approvedAt ? `${row.approvedByName ?? '—'} · ${dateTime(row.approvedAt)}` : '—',
                },
              ]}
              onSelect={(next) => setUrl({ sel: next })}
            />
          ) : undefined
        }
      >
        <Panel flush className={styles['list']} label={t('library')}>
          <FilterBar
            tools={
              <>
                <TableTools view={view} />
                <RefreshButton busy={query.isFetching} onRefresh={reload} />
              </>
            }
          >
            <TextFilter label={t('name')} value={url.name} onChange={(name) => setUrl(refilter({ name }))} />
            <TextFilter label={t('version')} width={140} value={url.version} onChange={(version) => setUrl(refilter({ version }))} />
            {choice('targetKind', t('targetKind'), choicesOf(UPGRADE_TARGET_TEXT, say))}
            {may(supplier.list) ? (
              <Select
                allowClear
                showSearch={{ optionFilterProp: 'label' }}
                style={{ width: 170 }}
                placeholder={t('manufacturer')}
                aria-label={t('manufacturer')}
                value={url.supplierId}
                options={(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: called(name) }))}
                onChange={(supplierId) => setUrl(refilter({ supplierId }))}
              />
            ) : null}
            {choice('state', t('state'), choicesOf(FIRMWARE_STATE_TEXT, say))}
            {isFiltered ? clear : null}
          </FilterBar>
          <PanelState query={query} lines={14}>
            {(data) => (
              <>
                <DataTable<FirmwareRow>
                  label={t('library')}
                  columns={view.columns}
                  density={view.density}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  rowName={(row) => `${row.name} ${row.version}`}
                  selected={sel}
                  onSelect={(row) => setUrl({ sel: row.id === sel ? undefined : row.id })}
                  sort={sort}
                  onSort={(next) => setUrl(refilter({ sort: next }))}
                  stale={query.isPlaceholderData}
                  empty={
                    <Empty
                      text={isFiltered ? t('noMatch') : t('noFirmware')}
                      hint={
                        isFiltered
                          ? undefined
                          : add === null
                            ? t('mayNotAdd', { role: say(DELIVERED_ROLES.FW_ENGINEER.name) })
                            : t('noFirmwareHint')
                      }
                      action={isFiltered ? clear : add}
                    />
                  }
                />
                <ListFooter page={data} updatedAt={query.dataUpdatedAt} onPage={(next, per) => setUrl({ page: next, size: per })} />
              </>
            )}
          </PanelState>
        </Panel>
      </ListPage>
      {asked?.kind === 'form' ? <FirmwareForm row={asked.row} onClose={() => setAsked(undefined)} onDone={done} /> : null}
      {confirming ? (
        <DangerDialog
          title={t(words[confirming.kind].title, { name: confirming.row.name, version: confirming.row.version })}
          effect={t(words[confirming.kind].effect)}
          action={t(words[confirming.kind].action)}
          about={`${confirming.row.name} ${confirming.row.version} · ${confirming.row.upgradeFile}`}
          busy={order[confirming.kind].isPending}
          failure={order[confirming.kind].error?.message}
          onConfirm={() => {
            const { id, revision } = confirming.row;
            if (confirming.kind === 'delete') remove.mutate({ params: { id } });
            else order[confirming.kind].mutate({ params: { id }, body: { revision } });
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </>
  );
}
