import { meterType as routes, meterTypeFile, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { ADDRESSING_TEXT, AUTHENTICATION_TEXT, METER_QUIRK_TEXT, SECURITY_SUITE_TEXT } from '@hes/contract/text/type-text.ts';
import { meterTypeExport } from '@hes/contract/transfer/assets.ts';
import { App, Button, Select } from 'antd';
import { Copy, FileDown, FileUp, GraduationCap, Pencil, Tags as TagsIcon, Unlink } from 'lucide-react';
import { useState } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { Num } from '#shared/ui/text.tsx';
import { choicesOf } from '#widgets/record-list/form-fields.tsx';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { Tags } from '#widgets/record-list/tags.tsx';
import { chooseJson, downloadType } from '#widgets/record-list/type-file.ts';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import { columnsOf, withUnit } from './columns.tsx';
import { Learn } from './learn.tsx';
import { texts } from './messages.ts';
import { Unsupported } from './unsupported.tsx';
import { TypeForm } from './type-form.tsx';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'code,asc',
  search: undefined,
  supplierId: undefined,
  phase: undefined,
  communicationMode: undefined,
  hasRelay: undefined,
  enabled: undefined,
  sel: undefined,
};
const NO_FILTERS = {
  search: undefined,
  supplierId: undefined,
  phase: undefined,
  communicationMode: undefined,
  hasRelay: undefined,
  enabled: undefined,
};

type Dialog = { kind: 'form'; row: MeterTypeRow | undefined; isNew: boolean } | { kind: 'learn' | 'unsupported'; row: MeterTypeRow };

export default function MeterTypeManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const filters = {
    search: url.search,
    supplierId: url.supplierId,
    phase: url.phase,
    communicationMode: url.communicationMode,
    hasRelay: url.hasRelay,
    enabled: url.enabled,
  };
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
    const file = meterTypeFile.safeParse(await chooseJson());
    if (file.success) take.mutate({ body: file.data });
    else void message.error(t('notAFile'));
  };
  const exportFile = async (row: MeterTypeRow) => {
    const failure = await downloadType(routes.file, row);
    if (failure !== undefined) void message.error(failure, 0);
  };
  const edit = (row: MeterTypeRow) => setDialog({ kind: 'form', row, isNew: false });
  const itemsOf = (row: MeterTypeRow) => [
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
    ...(may(routes.learn)
      ? [
          {
            key: 'learn',
            label: t('learn'),
            icon: <GraduationCap size={14} aria-hidden="true" />,
            onClick: () => setDialog({ kind: 'learn', row }),
          },
        ]
      : []),
    {
      key: 'unsupported',
      label: t('unsupported'),
      icon: <Unlink size={14} aria-hidden="true" />,
      onClick: () => setDialog({ kind: 'unsupported', row }),
    },
    ...(may(routes.file)
      ? [{ key: 'file', label: t('exportFile'), icon: <FileDown size={14} aria-hidden="true" />, onClick: () => void exportFile(row) }]
      : []),
  ];
  const filter = (
    key: 'supplierId' | 'phase' | 'communicationMode' | 'hasRelay' | 'enabled',
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
      <RecordList<MeterTypeRow>
        title={t('title')}
        purpose={t('purpose')}
        routes={routes}
        query={query}
        url={url}
        setUrl={setUrl}
        nameOf={(row) => say(modelName(row.name))}
        columns={columnsOf(t, say)}
        exportRoutes={meterTypeExport}
        filter={filters}
        path="/assets/meter-type-management"
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
            {filter('phase', t('phase'), choicesOf(METER_PHASE_TEXT, say), 170)}
            {filter('communicationMode', t('communicationModes'), choicesOf(COMMUNICATION_MODE_TEXT, say), 160)}
            {filter(
              'hasRelay',
              t('hasRelay'),
              [
                { value: 'true', label: t('yes') },
                { value: 'false', label: t('no') },
              ],
              110,
            )}
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
          <RecordPane<MeterTypeRow>
            key={id}
            id={id}
            rows={rows}
            query={detail}
            label={detail.data ? say(modelName(detail.data.name)) : t('title')}
            icon={<TagsIcon size={20} aria-hidden="true" />}
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
              { label: t('phase'), value: say(METER_PHASE_TEXT[row.phase]) },
              { label: t('accuracy'), value: row.accuracy },
              { label: t('voltage'), value: withUnit(row.voltage, 'V') },
              { label: t('current'), value: withUnit(row.current, 'A') },
              { label: t('ctMetering'), value: t(row.ctMetering ? 'yes' : 'no') },
              {
                label: t('communicationModes'),
                value: <Tags words={row.communicationModes.map((mode) => say(COMMUNICATION_MODE_TEXT[mode]))} />,
              },
              { label: t('hasRelay'), value: row.hasRelay ? `${t('yes')} · ${t('relayMode')} ${row.relayMode}` : t('no') },
              { label: t('template'), value: row.profileName },
              { label: t('authenticationType'), value: say(AUTHENTICATION_TEXT[row.authenticationType]) },
              { label: t('securitySuite'), value: say(SECURITY_SUITE_TEXT[row.securitySuite]) },
              { label: t('addressing'), value: `${say(ADDRESSING_TEXT[row.addressing])} · ${row.clientSap} → ${row.serverSap}` },
              { label: t('lpaPeriodSec'), value: t('minutes', { count: row.lpaPeriodSec / 60 }) },
              { label: t('lpbPeriodSec'), value: t('minutes', { count: row.lpbPeriodSec / 60 }) },
              ...(SPOKEN.imageBlockSize.type === true
                ? [
                    {
                      label: t('imageBlockSize'),
                      value: row.imageBlockSize === null ? t('imageFromMeter') : <Num value={row.imageBlockSize} unit={t('bytes')} />,
                    },
                  ]
                : []),
              ...(offered(SPOKEN.quirks).length > 0
                ? [{ label: t('quirks'), value: <Tags words={row.quirks.map((quirk) => say(METER_QUIRK_TEXT[quirk]))} /> }]
                : []),
              { label: t('meters'), value: <Num value={row.meters} /> },
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
      {dialog?.kind === 'unsupported' ? <Unsupported type={dialog.row} onClose={() => setDialog(undefined)} /> : null}
      {dialog?.kind === 'learn' ? (
        <Learn
          type={dialog.row}
          onClose={() => setDialog(undefined)}
          onTaken={() => {
            setDialog(undefined);
            reload();
          }}
        />
      ) : null}
    </>
  );
}
