import { supplier as routes, type SupplierRow } from '@hes/contract/asset/supplier.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { supplierExport, supplierImport } from '@hes/contract/transfer/assets.ts';
import { App, Button, Select } from 'antd';
import { Pencil, Truck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { Num } from '#shared/ui/text.tsx';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import { useCountries } from './countries.ts';
import { texts } from './messages.ts';
import { SupplierForm } from './supplier-form.tsx';

const DEFAULTS = { page: '1', size: '20', sort: 'code,asc', search: undefined, country: undefined, enabled: undefined, sel: undefined };
const NO_FILTERS = { search: undefined, country: undefined, enabled: undefined };

type Dialog = { row: SupplierRow | undefined };

export default function SupplierManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const countries = useCountries();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const filters = { search: url.search, country: url.country, enabled: url.enabled };
  const query = useApiQuery(routes.list, { query: { ...filters, page: url.page, size: url.size, sort: url.sort }, keep: true });
  const detail = useApiQuery(routes.get, { params: { id: url.sel ?? '0' }, enabled: url.sel !== undefined });

  const columns: Column<SupplierRow>[] = [
    { key: 'code', title: t('code'), width: 120, sort: 'code', mono: true, cell: (row) => row.code },
    { key: 'name', title: t('name'), width: 190, sort: 'name', cell: (row) => <ModelName row={row} /> },
    { key: 'flagId', title: t('flagId'), width: 92, sort: 'flagId', mono: true, cell: (row) => row.flagId ?? '—' },
    { key: 'types', title: t('types'), width: 76, align: 'right', value: (row) => row.types, cell: (row) => <Num value={row.types} /> },
    {
      key: 'devices',
      title: t('devices'),
      width: 86,
      align: 'right',
      value: (row) => row.devices,
      cell: (row) => <Num value={row.devices} />,
    },
    { key: 'enabled', title: t('state'), width: 110, cell: (row) => <StateOf sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} /> },
    { key: 'contact', title: t('contact'), width: 130, low: true, cell: (row) => row.contact ?? '—' },
    { key: 'phone', title: t('phone'), width: 150, low: true, cell: (row) => row.phone ?? '—' },
    {
      key: 'email',
      title: t('email'),
      width: 180,
      low: true,
      cell: (row) => <span title={row.email ?? undefined}>{row.email ?? '—'}</span>,
    },
    { key: 'country', title: t('country'), width: 84, low: true, cell: (row) => row.country ?? '—' },
    { key: 'updatedAt', title: t('updated'), width: 150, sort: 'updatedAt', low: true, cell: (row) => dateTime(row.updatedAt) },
  ];

  return (
    <>
      <RecordList<SupplierRow>
        title={t('title')}
        purpose={t('purpose')}
        routes={routes}
        query={query}
        url={url}
        setUrl={setUrl}
        nameOf={(row) => say(modelName(row.name))}
        columns={columns}
        exportRoutes={supplierExport}
        filter={filters}
        path="/assets/supplier-management"
        everyRow={() => everyRow(routes.list, { ...filters, sort: url.sort })}
        actions={<ImportButton routes={supplierImport} what={t('suppliers')} onImported={reload} />}
        filters={
          <>
            <TextFilter label={t('search')} value={url.search} width={250} onChange={(search) => setUrl(refilter({ search }))} />
            <Select
              allowClear
              showSearch={{ optionFilterProp: 'label' }}
              style={{ width: 190 }}
              placeholder={t('country')}
              aria-label={t('country')}
              value={url.country}
              options={countries}
              onChange={(country) => setUrl(refilter({ country }))}
            />
            <Select
              allowClear
              style={{ width: 140 }}
              placeholder={t('state')}
              aria-label={t('state')}
              value={url.enabled}
              options={[
                { value: 'true', label: t('enabled') },
                { value: 'false', label: t('disabled') },
              ]}
              onChange={(enabled) => setUrl(refilter({ enabled }))}
            />
          </>
        }
        isFiltered={Object.values(filters).some((value) => value !== undefined)}
        onClear={() => setUrl(refilter(NO_FILTERS))}
        empty={t('empty')}
        addLabel={t('addSupplier')}
        onAdd={() => setDialog({ row: undefined })}
        itemsOf={(row) =>
          may(routes.update)
            ? [{ key: 'edit', label: t('edit'), icon: <Pencil size={14} aria-hidden="true" />, onClick: () => setDialog({ row }) }]
            : []
        }
        isBusy={dialog !== undefined}
        pane={(id, rows) => (
          <RecordPane<SupplierRow>
            key={id}
            id={id}
            rows={rows}
            query={detail}
            label={detail.data ? say(modelName(detail.data.name)) : t('title')}
            icon={<Truck size={20} aria-hidden="true" />}
            head={(row) => ({
              title: <ModelName row={row} />,
              place: row.code,
              state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
            })}
            actions={(row) => (
              <>
                {may(routes.update) ? (
                  <Button type="primary" icon={<Pencil size={15} aria-hidden="true" />} onClick={() => setDialog({ row })}>
                    {t('edit')}
                  </Button>
                ) : null}
                <Link to={`/assets/dcu-type-management?supplierId=${row.id}`}>{t('openDcuTypes')}</Link>
                <Link to={`/assets/meter-type-management?supplierId=${row.id}`}>{t('openMeterTypes')}</Link>
              </>
            )}
            properties={(row) => [
              { label: t('flagId'), value: row.flagId ? <span className="mono">{row.flagId}</span> : null },
              { label: t('contact'), value: row.contact },
              { label: t('phone'), value: row.phone },
              { label: t('email'), value: row.email },
              { label: t('address'), value: row.address },
              { label: t('country'), value: countries.find(({ value }) => value === row.country)?.label ?? row.country },
              { label: t('types'), value: <Num value={row.types} /> },
              { label: t('devices'), value: <Num value={row.devices} /> },
              { label: t('updated'), value: dateTime(row.updatedAt) },
              { label: t('note'), value: row.note },
            ]}
            onSelect={(sel) => setUrl({ sel })}
          />
        )}
      />
      {dialog ? (
        <SupplierForm
          row={dialog.row}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            void message.success(t('saved'));
            reload();
          }}
        />
      ) : null}
    </>
  );
}
