import { certificate } from '@hes/contract/asset/certificate.ts';
import { say } from '@hes/contract/core/text.ts';
import { CERTIFICATE_KIND_TEXT, CERTIFICATE_STATE_TEXT, CERTIFICATE_USAGE_TEXT } from '@hes/contract/states/certificate.ts';
import { certificateExport } from '@hes/contract/transfer/assets.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listCertificates } from './queries.ts';

export const certificateSheet = defineExport({
  routes: certificateExport,
  list: certificate.list,
  title: { en: 'Certificates', zh: '证书管理' },
  columns: {
    subject: { label: { en: 'Subject', zh: '主体' }, cell: (row) => row.subject },
    kind: { label: { en: 'Belongs to', zh: '归属' }, cell: (row, locale) => say(CERTIFICATE_KIND_TEXT[row.kind], locale) },
    deviceSn: { label: { en: 'Device', zh: '设备' }, cell: (row) => row.deviceSn },
    usages: {
      label: { en: 'Usage', zh: '用途' },
      cell: (row, locale) => row.usages.map((usage) => say(CERTIFICATE_USAGE_TEXT[usage], locale)).join(', '),
    },
    suite: { label: { en: 'Suite', zh: '安全套件' }, cell: (row) => row.suite },
    validFrom: { label: { en: 'Valid from', zh: '生效日期' }, kind: 'time', cell: (row) => row.validFrom },
    validTo: { label: { en: 'Valid until', zh: '到期日期' }, kind: 'time', cell: (row) => row.validTo },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(CERTIFICATE_STATE_TEXT[row.state], locale) },
    issuer: { label: { en: 'Issuer', zh: '颁发机构' }, cell: (row) => row.issuer },
    serialNumber: { label: { en: 'Certificate number', zh: '证书序列号' }, cell: (row) => row.serialNumber },
    fingerprint: { label: { en: 'Fingerprint', zh: '指纹' }, cell: (row) => row.fingerprint },
    createdAt: { label: { en: 'Added at', zh: '添加时间' }, kind: 'time', cell: (row) => row.createdAt },
    createdByName: { label: { en: 'Added by', zh: '添加人' }, cell: (row) => row.createdByName },
  },
  page: ({ ctx, user, query }) => listCertificates(ctx.db, user, query),
});
