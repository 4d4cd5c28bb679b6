import { obis, obisExport, obisImport, type ObisRow } from '@hes/contract/reading/obis.ts';
import { OBIS_ACCESS_TEXT, OBIS_CATEGORY_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { linkFilter, objectFilter, textFilter, wordFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { obisActions } from './actions.ts';
import { texts } from './messages.ts';
import { ObisForm } from './obis-form.tsx';
import { ObisPane } from './obis-pane.tsx';
import styles from './obis.module.css';

/** Class identifiers of COSEM have 16 bits. */
const CLASS_ID = /^[1-9]\d{0,4}$/;

const UNSUPPORTED: Sign = { shape: 'unlink', tone: 'amber', text: texts.unsupported };

/** Enabled, disabled, or enabled but unsupported by some meter types. */
function State({ row }: { row: ObisRow }) {
  const sign = row.enabled && row.unsupportedOn.length > 0 ? UNSUPPORTED : ENABLED[row.enabled ? 'enabled' : 'disabled'];
  return (
    <span title={row.unsupportedOn.join(', ')}>
      <StateOf sign={sign} />
    </span>
  );
}

function useTemplates() {
  const templates = useApiQuery(obis.templates);
  return (templates.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

export const obisList = defineList({
  route: obis.list,
  path: PAGE_PATH.obis,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.key,
  size: '50',
  filters: [
    /** Set by the buttons of the categories, above the list. */
    linkFilter('category'),
    textFilter('search', texts.search, { width: 240 }),
    textFilter('classId', texts.class, { width: 110, accepts: CLASS_ID }),
    wordFilter('access', texts.access, OBIS_ACCESS_TEXT, { width: 130 }),
    objectFilter('templateId', texts.template, { useOptions: useTemplates, width: 210 }),
    yesNoFilter('enabled', texts.enabled, { yes: texts.enabled, no: texts.disabled, width: 130 }),
  ],
  columns: [
    { key: 'obis', title: texts.obis, width: 150, sort: 'obis', mono: true, value: (row) => row.obis },
    { key: 'nameEn', title: texts.nameEn, width: 210, sort: 'nameEn', cell: (row) => <span title={row.nameEn}>{row.nameEn}</span> },
    { key: 'nameZh', title: texts.nameZh, width: 160, cell: (row) => <span title={row.nameZh}>{row.nameZh}</span> },
    {
      key: 'classId',
      title: texts.classId,
      width: 76,
      sort: 'classId',
      align: 'right',
      value: (row) => row.classId,
      cell: (row) => row.classId,
    },
    {
      key: 'member',
      title: texts.attribute,
      width: 130,
      low: true,
      cell: (row, { say }) => `${say(OBIS_KIND_TEXT[row.kind])} ${row.attribute}`,
    },
    {
      key: 'dataType',
      title: texts.dataType,
      width: 130,
      low: true,
      value: (row) => row.dataType,
      cell: (row, { say }) => row.dataType ?? <span className={styles['fromMeter']}>{say(texts.fromMeter)}</span>,
    },
    { key: 'unitSymbol', title: texts.unit, width: 62, cell: (row) => row.unitSymbol || '—' },
    {
      key: 'scaler',
      title: texts.scaler,
      width: 104,
      align: 'right',
      low: true,
      value: (row) => row.scaler,
      cell: (row, { say }) => row.scaler ?? <span className={styles['fromMeter']}>{say(texts.fromMeter)}</span>,
    },
    { key: 'access', title: texts.access, width: 70, low: true, mono: true, cell: (row) => row.access.join('').toUpperCase() },
    { key: 'category', title: texts.category, width: 116, sort: 'category', cell: (row, { say }) => say(OBIS_CATEGORY_TEXT[row.category]) },
    { key: 'key', title: texts.key, width: 160, sort: 'key', mono: true, cell: (row) => <span title={row.key}>{row.key}</span> },
    {
      key: 'templates',
      title: texts.usedBy,
      low: true,
      cell: (row, { say }) => (
        <span title={row.templates.join(', ')}>
          {row.templates.length > 1 ? say(texts.templateCount, { count: row.templates.length }) : (row.templates[0] ?? '—')}
        </span>
      ),
    },
    { key: 'state', title: texts.enabled, width: 124, cell: (row) => <State row={row} /> },
  ],
  actions: obisActions,
  add: { label: texts.add, right: obis.create, Form: ObisForm, done: texts.saved },
  export: obisExport,
  import: { routes: obisImport, what: texts.what },
  Pane: ObisPane,
  empty: texts.empty,
});
