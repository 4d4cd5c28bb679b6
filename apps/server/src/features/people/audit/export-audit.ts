import { audit } from '@hes/contract/manager/audit.ts';
import { nameText, say } from '@hes/contract/core/text.ts';
import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '@hes/contract/audit/actions.ts';
import { objectOf, summaryOf } from '@hes/contract/audit/render.ts';
import { auditExport } from '@hes/contract/transfer/lists.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listAudit } from './queries.ts';

const actionText: Record<string, { en: string; zh: string } | undefined> = AUDIT_ACTION_TEXT;
const entityText: Record<string, { en: string; zh: string } | undefined> = AUDIT_ENTITY_TEXT;

export const auditSheet = defineExport({
  routes: auditExport,
  list: audit.list,
  title: { en: 'Audit log', zh: '审计日志' },
  columns: {
    id: { label: { en: 'ID', zh: '编号' }, cell: (row) => row.id },
    at: { label: { en: 'Time', zh: '时间' }, kind: 'time', cell: (row) => row.at },
    username: { label: { en: 'User name', zh: '用户名' }, cell: (row) => row.username },
    userName: { label: { en: 'Name', zh: '姓名' }, cell: (row) => row.userName },
    action: {
      label: { en: 'Action', zh: '操作' },
      cell: (row, locale) => say(actionText[row.action] ?? nameText(row.action), locale),
    },
    entity: {
      label: { en: 'Kind', zh: '对象类型' },
      cell: (row, locale) => say(entityText[row.entity] ?? nameText(row.entity), locale),
    },
    object: { label: { en: 'Object', zh: '对象' }, cell: (row, locale) => objectOf(row, locale) },
    entityId: { label: { en: 'Object ID', zh: '对象编号' }, cell: (row) => row.entityId },
    detail: {
      label: { en: 'Detail', zh: '详情' },
      cell: (row, locale, zone) => summaryOf(row, { locale, dateTime: (at) => zone.dateTime(Date.parse(at)) }),
    },
    stored: { label: { en: 'Detail (as stored)', zh: '详情（原始）' }, cell: (row) => JSON.stringify(row.detail) },
    ip: { label: { en: 'Address', zh: '地址' }, cell: (row) => row.ip },
    hash: { label: { en: 'Hash', zh: '哈希' }, cell: (row) => row.hash },
  },
  page: ({ ctx, user, query }) => listAudit(ctx.db, user, query),
});
