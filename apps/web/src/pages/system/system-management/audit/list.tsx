import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '@hes/contract/audit/actions.ts';
import { objectOf, summaryOf } from '@hes/contract/audit/render.ts';
import { audit } from '@hes/contract/manager/audit.ts';
import { auditExport } from '@hes/contract/transfer/lists.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { dateTime } from '#core/time/format.ts';
import { instantsFilter } from '#kit/list/days-filter.tsx';
import { linkFilter, textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { DetailPane } from './detail-pane.tsx';
import { actionText, entityText, texts } from './texts.ts';

export const auditList = defineList({
  route: audit.list,
  path: PAGE_PATH.audit,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row, { say }) => say(texts.entry, { id: row.id }),
  size: '50',
  filters: [
    textFilter('username', texts.username, { width: 170 }),
    wordFilter('action', texts.action, AUDIT_ACTION_TEXT, { width: 180, searchable: true }),
    wordFilter('entity', texts.entity, AUDIT_ENTITY_TEXT, { width: 180 }),
    textFilter('entityId', texts.entityId, { width: 150 }),
    instantsFilter(texts.range),
    linkFilter('before'),
  ],
  columns: [
    { key: 'at', title: texts.at, width: 166, time: (row) => row.at },
    { key: 'username', title: texts.username, width: 140, value: (row) => row.username },
    { key: 'action', title: texts.action, width: 190, cell: (row, { say }) => say(actionText(row.action)) },
    { key: 'entity', title: texts.entity, width: 120, cell: (row, { say }) => say(entityText(row.entity)) },
    {
      key: 'object',
      title: texts.object,
      width: 220,
      cell: (row, { say, locale }) => {
        const name = objectOf(row, locale);
        return <span title={row.entityId === null ? name : `${name ?? ''} · ${say(texts.entityId)} ${row.entityId}`}>{name ?? '—'}</span>;
      },
    },
    {
      key: 'detail',
      title: texts.detail,
      low: true,
      cell: (row, { locale }) => {
        const summary = summaryOf(row, { locale, dateTime });
        return <span title={summary}>{summary || '—'}</span>;
      },
    },
    { key: 'ip', title: texts.ip, width: 130, mono: true, low: true, value: (row) => row.ip },
  ],
  export: auditExport,
  Pane: DetailPane,
  isPaneOfRow: true,
  empty: texts.noEntries,
});
