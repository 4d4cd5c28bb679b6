import { pick } from '@hes/contract/core/text.ts';
import { obis as routes, obisExport, obisImport, type ObisRow } from '@hes/contract/reading/obis.ts';
import { OBIS_ACCESS_TEXT, OBIS_ACCESSES, OBIS_CATEGORY_TEXT, OBIS_DECODER_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { App, Button, Segmented, Select } from 'antd';
import { BookOpen, Pencil, Radio } from 'lucide-react';
import { useState } from 'react';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { usePreferences } from '#shared/theme/preferences.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { ListPage } from '#shared/table/list-page.tsx';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { choicesOf } from '#widgets/record-list/form-fields.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED, type Sign } from '#widgets/state-of/tables.ts';
import { Categories } from './categories.tsx';
import { texts } from './messages.ts';
import { ObisForm } from './obis-form.tsx';
import { TemplatesView } from './templates-view.tsx';
import { TestRead } from './test-read.tsx';

const DEFAULTS = {
  page: '1',
  size: '50',
  sort: undefined,
  search: undefined,
  classId: undefined,
  category: undefined,
  access: undefined,
  templateId: undefined,
  enabled: undefined,
  sel: undefined,
  tab: undefined,
  template: undefined,
};
const NO_FILTERS = {
  search: undefined,
  classId: undefined,
  category: undefined,
  access: undefined,
  templateId: undefined,
  enabled: undefined,
};
const BUFFER_CLASS = 7;
/** Class identifiers of COSEM have 16 bits. */
const CLASS_ID = /^[1-9]\d{0,4}$/;

const UNSUPPORTED: Sign = { shape: 'unlink', tone: 'amber', text: texts.unsupported };

type Dialog = { kind: 'form'; row: ObisRow | undefined } | { kind: 'test'; row: ObisRow };

const isTestable = (row: ObisRow): boolean =>
  row.kind === 'attribute' && row.access.includes('r') && !(row.classId === BUFFER_CLASS && row.attribute === 2);

/** Enabled, disabled, or enabled but unsupported by some meter types. */
function State({ row }: { row: ObisRow }) {
  const sign = row.enabled && row.unsupportedOn.length > 0 ? UNSUPPORTED : ENABLED[row.enabled ? 'enabled' : 'disabled'];
  return (
    <span title={row.unsupportedOn.join(', ')}>
      <StateOf sign={sign} />
    </span>
  );
}

export default function ObisManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const { search, classId, category, access, templateId, enabled } = url;
  const filters = { search, classId, category, access: OBIS_ACCESSES.find((letter) => letter === access), templateId, enabled };
  const query = useApiQuery(routes.list, { query: { ...filters, page: url.page, size: url.size, sort: url.sort }, keep: true });
  const detail = useApiQuery(routes.get, { params: { id: url.sel ?? '0' }, enabled: url.sel !== undefined });
  const templates = useApiQuery(routes.templates);
  const nameOf = (row: ObisRow) => pick({ en: row.nameEn, zh: row.nameZh }, locale);
  const icon = { size: 14, 'aria-hidden': true } as const;
  const tabs = (
    <Segmented
      aria-label={t('title')}
      value={url.tab ?? 'objects'}
      options={[
        { value: 'objects', label: t('objects') },
        { value: 'templates', label: t('templates') },
      ]}
      onChange={(tab) => setUrl({ tab: tab === 'objects' ? undefined : tab, sel: undefined })}
    />
  );
  if (url.tab === 'templates') {
    return (
      <ListPage title={t('title')} purpose={t('purpose')} actions={tabs}>
        <TemplatesView selected={url.template} onSelect={(template) => setUrl({ template })} />
      </ListPage>
    );
  }

  const all: Column<ObisRow>[] = [
    { key: 'obis', title: t('obis'), width: 150, sort: 'obis', mono: true, cell: (row) => row.obis },
    { key: 'nameEn', title: t('nameEn'), width: 210, sort: 'nameEn', cell: (row) => <span title={row.nameEn}>{row.nameEn}</span> },
    { key: 'nameZh', title: t('nameZh'), width: 160, cell: (row) => <span title={row.nameZh}>{row.nameZh}</span> },
    {
      key: 'classId',
      title: t('classId'),
      width: 76,
      sort: 'classId',
      align: 'right',
      value: (row) => row.classId,
      cell: (row) => row.classId,
    },
    {
      key: 'member',
      title: t('attribute'),
      width: 130,
      low: true,
      cell: (row) => `${say(OBIS_KIND_TEXT[row.kind])} ${row.attribute}`,
    },
    { key: 'dataType', title: t('dataType'), width: 150, low: true, cell: (row) => row.dataType ?? '—' },
    { key: 'unitSymbol', title: t('unit'), width: 62, cell: (row) => row.unitSymbol || '—' },
    {
      key: 'scaler',
      title: t('scaler'),
      width: 66,
      align: 'right',
      low: true,
      value: (row) => row.scaler,
      cell: (row) => row.scaler ?? '—',
    },
    { key: 'access', title: t('access'), width: 70, low: true, mono: true, cell: (row) => row.access.join('').toUpperCase() },
    { key: 'category', title: t('category'), width: 116, sort: 'category', cell: (row) => say(OBIS_CATEGORY_TEXT[row.category]) },
    { key: 'key', title: t('key'), width: 160, sort: 'key', mono: true, cell: (row) => <span title={row.key}>{row.key}</span> },
    {
      key: 'templates',
      title: t('usedBy'),
      low: true,
      cell: (row) => <span title={row.templates.join(', ')}>{row.templates.join(', ') || '—'}</span>,
    },
    { key: 'state', title: t('enabled'), width: 124, cell: (row) => <State row={row} /> },
  ];

  return (
    <>
      <RecordList<ObisRow>
        title={t('title')}
        purpose={t('purpose')}
        routes={routes}
        query={query}
        url={url}
        setUrl={setUrl}
        nameOf={(row) => row.key}
        columns={all}
        exportRoutes={obisExport}
        filter={filters}
        path="/meter/obis-management"
        everyRow={() => everyRow(routes.list, filters)}
        tabs={tabs}
        actions={<ImportButton routes={obisImport} what={t('what')} onImported={reload} />}
        facets={
          <Categories counts={query.data?.categories} selected={url.category} onSelect={(next) => setUrl(refilter({ category: next }))} />
        }
        filters={
          <>
            <TextFilter label={t('search')} value={search} width={240} onChange={(next) => setUrl(refilter({ search: next }))} />
            <TextFilter
              label={t('class')}
              value={classId}
              width={110}
              accepts={CLASS_ID}
              onChange={(next) => setUrl(refilter({ classId: next }))}
            />
            <Select
              allowClear
              style={{ width: 130 }}
              placeholder={t('access')}
              aria-label={t('access')}
              value={access}
              options={choicesOf(OBIS_ACCESS_TEXT, say)}
              onChange={(next) => setUrl(refilter({ access: next }))}
            />
            <Select
              allowClear
              style={{ width: 210 }}
              placeholder={t('template')}
              aria-label={t('template')}
              value={templateId}
              options={(templates.data?.items ?? []).map((template) => ({ value: template.id, label: template.name }))}
              onChange={(next) => setUrl(refilter({ templateId: next }))}
            />
            <Select
              allowClear
              style={{ width: 130 }}
              placeholder={t('enabled')}
              aria-label={t('enabled')}
              value={enabled}
              options={[
                { value: 'true', label: t('enabled') },
                { value: 'false', label: t('disabled') },
              ]}
              onChange={(next) => setUrl(refilter({ enabled: next }))}
            />
          </>
        }
        isFiltered={Object.values(filters).some((value) => value !== undefined)}
        onClear={() => setUrl(refilter(NO_FILTERS))}
        empty={t('empty')}
        addLabel={t('add')}
        onAdd={() => setDialog({ kind: 'form', row: undefined })}
        itemsOf={(row) => [
          ...(may(routes.test) && isTestable(row)
            ? [{ key: 'test', label: t('test'), icon: <Radio {...icon} />, onClick: () => setDialog({ kind: 'test', row }) }]
            : []),
          ...(may(routes.update)
            ? [{ key: 'edit', label: t('edit'), icon: <Pencil {...icon} />, onClick: () => setDialog({ kind: 'form', row }) }]
            : []),
        ]}
        isBusy={dialog !== undefined}
        pane={(id, rows) => (
          <RecordPane<ObisRow>
            key={id}
            id={id}
            rows={rows}
            query={detail}
            label={detail.data?.key ?? t('title')}
            icon={<BookOpen size={20} aria-hidden="true" />}
            head={(row) => ({
              title: nameOf(row),
              place: row.obis,
              state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
            })}
            actions={(row) => (
              <>
                {may(routes.test) && isTestable(row) ? (
                  <Button type="primary" icon={<Radio size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'test', row })}>
                    {t('test')}
                  </Button>
                ) : null}
                {may(routes.update) ? (
                  <Button icon={<Pencil size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'form', row })}>
                    {t('edit')}
                  </Button>
                ) : null}
              </>
            )}
            properties={(row) => [
              { label: t('key'), value: <span className="mono">{row.key}</span> },
              { label: t('category'), value: say(OBIS_CATEGORY_TEXT[row.category]) },
              { label: t('classId'), value: String(row.classId) },
              { label: t('attribute'), value: `${say(OBIS_KIND_TEXT[row.kind])} ${row.attribute}` },
              { label: t('dataType'), value: row.dataType },
              { label: t('unit'), value: row.unitSymbol || t('noUnit') },
              { label: t('scaler'), value: row.scaler === null ? null : String(row.scaler) },
              { label: t('precision'), value: String(row.precision) },
              { label: t('access'), value: row.access.map((letter) => say(OBIS_ACCESS_TEXT[letter])).join(', ') },
              { label: t('decoder'), value: say(OBIS_DECODER_TEXT[row.decoder]) },
              { label: t('usedBy'), value: <span title={row.templates.join(', ')}>{row.templates.join(', ') || '—'}</span> },
              { label: t('unsupportedOn'), value: row.unsupportedOn.join(', ') || '—' },
              { label: t('plans'), value: <span title={row.plans.join(', ')}>{row.plans.join(', ') || '—'}</span> },
              { label: t('builtin'), value: row.isBuiltin ? '✓' : '—' },
              { label: t('updated'), value: dateTime(row.updatedAt) },
            ]}
            onSelect={(sel) => setUrl({ sel })}
          />
        )}
      />
      {dialog?.kind === 'form' ? (
        <ObisForm
          row={dialog.row}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            void message.success(t('saved'));
            reload();
          }}
        />
      ) : null}
      {dialog?.kind === 'test' ? <TestRead row={dialog.row} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
}
