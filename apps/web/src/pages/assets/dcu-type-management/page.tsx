import { dcuType as routes, dcuTypeFile, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { hasMutualProof, offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { AUTHENTICATION_TEXT, DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuTypeExport } from '@hes/contract/transfer/assets.ts';
import { App, Button, Select } from 'antd';
import { ClipboardCheck, Copy, FileDown, FileUp, Layers, Pencil } from 'lucide-react';
import { useState } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { offeredChoices } from '#shared/form/offered.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { Num } from '#shared/ui/text.tsx';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { Tags } from '#widgets/record-list/tags.tsx';
import { chooseJson, downloadType } from '#widgets/record-list/type-file.ts';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import { columnsOf } from './columns.tsx';
import { Conformance } from './conformance.tsx';
import { texts } from './messages.ts';
import { TypeForm } from './type-form.tsx';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'code,asc',
  search: undefined,
  supplierId: undefined,
  protocol: undefined,
  feature: undefined,
  enabled: undefined,
  sel: undefined,
};
const NO_FILTERS = { search: undefined, supplierId: undefined, protocol: undefined, feature: undefined, enabled: undefined };

const PROTOCOLS = offered(SPOKEN.protocol);
const FEATURES = offered(SPOKEN.features);

/** How DCUs of the type are admitted when they dial in. */
function admission({ authenticationType, allowedAddresses }: DcuTypeRow, t: (key: 'notUsedWithKeys' | 'onlyCertificate') => string) {
  if (hasMutualProof(authenticationType)) return allowedAddresses.length > 0 ? <Tags words={allowedAddresses} /> : t('notUsedWithKeys');
  return allowedAddresses.length > 0 ? <Tags words={allowedAddresses} /> : t('onlyCertificate');
}

type Dialog = { kind: 'form'; row: DcuTypeRow | undefined; isNew: boolean } | { kind: 'conformance'; row: DcuTypeRow };

export default function DcuTypeManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const filters = { search: url.search, supplierId: url.supplierId, protocol: url.protocol, feature: url.feature, enabled: url.enabled };
  // as: the server validates values from the address
  const query = useApiQuery(routes.list, { query: { ...filters, page: url.page, size: url.size, sort: url.sort } as never, keep: true });
  const detail = useApiQuery(routes.get, { params: { id: url.sel ?? '0' }, enabled: url.sel !== undefined });
  const choices = useApiQuery(routes.choices);
  const take = useApiMutation(routes.importFile, {
    success: (row) => {
      void message.success(t('imported', { name: row.name }));
      reload();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  const importFile = async () => {
    const file = dcuTypeFile.safeParse(await chooseJson());
    if (file.success) take.mutate({ body: file.data });
    else void message.error(t('notAFile'));
  };
  const exportFile = async (row: DcuTypeRow) => {
    const failure = await downloadType(routes.file, row);
    if (failure !== undefined) void message.error(failure, 0);
  };
  const edit = (row: DcuTypeRow) => setDialog({ kind: 'form', row, isNew: false });
  const itemsOf = (row: DcuTypeRow) => [
    ...(may(routes.update)
      ? [{ key: 'edit', label: t('edit'), icon: <Pencil size={14} aria-hidden="true" />, onClick: () => edit(row) }]
      : []),
    ...(may(routes.create)
      ? [
          {
            key: 'duplicate',
            label: t('duplicate'),
            icon: <Copy size={14} aria-hidden="true" />,
            onClick: () => setDialog({ kind: 'form', row, isNew: true }),
          },
        ]
      : []),
    ...(may(routes.conformance)
      ? [
          {
            key: 'conformance',
            label: t('conformance'),
            icon: <ClipboardCheck size={14} aria-hidden="true" />,
            onClick: () => setDialog({ kind: 'conformance', row }),
          },
        ]
      : []),
    ...(may(routes.file)
      ? [{ key: 'file', label: t('exportFile'), icon: <FileDown size={14} aria-hidden="true" />, onClick: () => void exportFile(row) }]
      : []),
  ];
  const filter = (
    key: 'supplierId' | 'protocol' | 'feature' | 'enabled',
    label: string,
    options: { value: string; label: string }[],
    width = 160,
  ) => (
    <Select
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      style={{ width }}
      placeholder={label}
      aria-label={label}
      value={url[key]}
      options={options}
      onChange={(value) => setUrl(refilter({ [key]: value }))}
    />
  );

  return (
    <>
      <RecordList<DcuTypeRow>
        title={t('title')}
        purpose={t('purpose')}
        routes={routes}
        query={query}
        url={url}
        setUrl={setUrl}
        nameOf={(row) => say(modelName(row.name))}
        columns={columnsOf(t, say)}
        exportRoutes={dcuTypeExport}
        filter={filters}
        path="/assets/dcu-type-management"
        everyRow={() => everyRow(routes.list, { ...filters, sort: url.sort } as never)}
        actions={
          may(routes.importFile) ? (
            <Button icon={<FileUp size={15} aria-hidden="true" />} loading={take.isPending} onClick={() => void importFile()}>
              {t('importFile')}
            </Button>
          ) : null
        }
        filters={
          <>
            <TextFilter label={t('search')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
            {filter(
              'supplierId',
              t('supplier'),
              (choices.data?.suppliers ?? []).map(({ id, name }) => ({ value: id, label: say(modelName(name)) })),
              180,
            )}
            {PROTOCOLS.length > 1 ? filter('protocol', t('protocol'), offeredChoices(SPOKEN.protocol, PROTOCOL_TEXT, say), 180) : null}
            {FEATURES.length > 0 ? filter('feature', t('feature'), offeredChoices(SPOKEN.features, FEATURE_TEXT, say), 140) : null}
            {filter(
              'enabled',
              t('state'),
              [
                { value: 'true', label: t('enabled') },
                { value: 'false', label: t('disabled') },
              ],
              120,
            )}
          </>
        }
        isFiltered={Object.values(filters).some((value) => value !== undefined)}
        onClear={() => setUrl(refilter(NO_FILTERS))}
        empty={t('empty')}
        addLabel={t('addType')}
        onAdd={() => setDialog({ kind: 'form', row: undefined, isNew: true })}
        itemsOf={itemsOf}
        isBusy={dialog !== undefined}
        pane={(id, rows) => (
          <RecordPane<DcuTypeRow>
            key={id}
            id={id}
            rows={rows}
            query={detail}
            label={detail.data ? say(modelName(detail.data.name)) : t('title')}
            icon={<Layers size={20} aria-hidden="true" />}
            head={(row) => ({
              title: <ModelName row={row} />,
              place: `${row.code} · ${say(modelName(row.supplierName))}`,
              state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
            })}
            actions={(row) =>
              itemsOf(row).map((item, index) => (
                <Button key={item.key} type={index === 0 ? 'primary' : 'default'} icon={item.icon} onClick={item.onClick}>
                  {item.label}
                </Button>
              ))
            }
            properties={(row) => [
              { label: t('protocol'), value: say(PROTOCOL_TEXT[row.protocol]) },
              { label: t('authenticationType'), value: say(AUTHENTICATION_TEXT[row.authenticationType]) },
              { label: t('allowedAddresses'), wide: true, value: admission(row, t) },
              { label: t('downlinkModes'), value: <Tags words={row.downlinkModes.map((mode) => say(DOWNLINK_TEXT[mode]))} /> },
              { label: t('maxMeters'), value: <Num value={row.maxMeters} /> },
              { label: t('parallelMeters'), value: <Num value={row.parallelMeters} /> },
              { label: t('heartbeatSeconds'), value: <Num value={row.heartbeatSeconds} unit={t('seconds')} /> },
              { label: t('apduSize'), value: <Num value={row.apduSize} unit={t('bytes')} /> },
              { label: t('profile'), value: row.profileName },
              { label: t('hardwareVersion'), value: row.hardwareVersion },
              ...(FEATURES.length > 0
                ? [
                    {
                      label: t('features'),
                      wide: true,
                      value: <Tags isWhole words={row.features.map((feature) => say(FEATURE_TEXT[feature]))} />,
                    },
                  ]
                : []),
              { label: t('dcus'), value: <Num value={row.dcus} /> },
              { label: t('updated'), value: dateTime(row.updatedAt) },
            ]}
            onSelect={(sel) => setUrl({ sel })}
          />
        )}
      />
      {dialog?.kind === 'form' ? (
        <TypeForm
          row={dialog.row}
          isNew={dialog.isNew}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            void message.success(t('saved'));
            reload();
          }}
        />
      ) : null}
      {dialog?.kind === 'conformance' ? <Conformance type={dialog.row} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
}
