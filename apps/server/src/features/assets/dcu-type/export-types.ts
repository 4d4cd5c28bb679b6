import { dcuType, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { say } from '@hes/contract/core/text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuTypeExport } from '@hes/contract/transfer/assets.ts';
import { defineExport, type ExportColumn } from '#transfer/export/define-export.ts';
import { listDcuTypes } from './queries.ts';

const state = { enabled: { en: 'Enabled', zh: '启用' }, disabled: { en: 'Disabled', zh: '停用' } };

const features: ExportColumn<DcuTypeRow> = {
  label: { en: 'Features', zh: '功能' },
  cell: (row, locale) => row.features.map((feature) => say(FEATURE_TEXT[feature], locale)).join('; '),
};

export const dcuTypeSheet = defineExport({
  routes: dcuTypeExport,
  list: dcuType.list,
  title: { en: 'DCU types', zh: '集中器类型' },
  columns: {
    code: { label: { en: 'Code', zh: '编码' }, cell: (row) => row.code },
    name: { label: { en: 'Name', zh: '名称' }, cell: (row, locale) => say(modelName(row.name), locale) },
    supplier: { label: { en: 'Supplier', zh: '供应商' }, cell: (row, locale) => say(modelName(row.supplierName), locale) },
    protocol: { label: { en: 'Protocol', zh: '协议' }, cell: (row, locale) => say(PROTOCOL_TEXT[row.protocol], locale) },
    downlinkModes: {
      label: { en: 'Downlink', zh: '下行信道' },
      cell: (row, locale) => row.downlinkModes.map((mode) => say(DOWNLINK_TEXT[mode], locale)).join('; '),
    },
    maxMeters: { label: { en: 'Max meters', zh: '最大电表数' }, cell: (row) => row.maxMeters },
    profile: { label: { en: 'Southbound profile', zh: '南向规约' }, cell: (row) => row.profileName },
    ...(offered(SPOKEN.features).length > 0 ? { features } : {}),
    dcus: { label: { en: 'DCUs', zh: '集中器' }, cell: (row) => row.dcus },
    enabled: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(state[row.enabled ? 'enabled' : 'disabled'], locale) },
  },
  page: ({ ctx, user, query }) => listDcuTypes(ctx.db, user, query),
});
