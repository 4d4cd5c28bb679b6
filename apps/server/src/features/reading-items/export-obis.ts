import { say } from '@hes/contract/core/text.ts';
import { obis, obisExport } from '@hes/contract/reading/obis.ts';
import { OBIS_CATEGORY_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listObis } from './queries.ts';

const STATE = {
  enabled: { en: 'Enabled', zh: '启用' },
  disabled: { en: 'Disabled', zh: '停用' },
  unsupported: { en: 'Unsupported', zh: '部分不支持' },
};

/** Export of the dictionary: the columns of the screen, then the other columns of the import. */
export const obisSheet = defineExport({
  routes: obisExport,
  list: obis.list,
  title: { en: 'OBIS codes', zh: 'OBIS码' },
  columns: {
    key: { label: { en: 'Reading item key', zh: '抄读项标识' }, cell: (row) => row.key },
    obis: { label: { en: 'OBIS code', zh: 'OBIS码' }, cell: (row) => row.obis },
    classId: { label: { en: 'Class', zh: '类' }, cell: (row) => row.classId },
    member: {
      label: { en: 'Attribute or method', zh: '属性或方法' },
      cell: (row, locale) => `${say(OBIS_KIND_TEXT[row.kind], locale)} ${row.attribute}`,
    },
    attribute: { label: { en: 'Attribute / method', zh: '属性/方法' }, cell: (row) => row.attribute },
    kind: { label: { en: 'Kind', zh: '种类' }, cell: (row) => row.kind },
    nameEn: { label: { en: 'English name', zh: '英文名称' }, cell: (row) => row.nameEn },
    nameZh: { label: { en: 'Chinese name', zh: '中文名称' }, cell: (row) => row.nameZh },
    category: { label: { en: 'Category', zh: '类别' }, cell: (row, locale) => say(OBIS_CATEGORY_TEXT[row.category], locale) },
    dataType: { label: { en: 'Data type', zh: '数据类型' }, cell: (row) => row.dataType },
    unitSymbol: { label: { en: 'Unit symbol', zh: '单位符号' }, cell: (row) => row.unitSymbol || null },
    unit: { label: { en: 'Unit code', zh: '单位代码' }, cell: (row) => row.unit },
    scaler: { label: { en: 'Scaler', zh: '倍率' }, cell: (row) => row.scaler },
    precision: { label: { en: 'Decimals', zh: '小数位' }, cell: (row) => row.precision },
    access: { label: { en: 'Access', zh: '访问' }, cell: (row) => row.access.join('').toUpperCase() },
    decoder: { label: { en: 'Decoder', zh: '解码方式' }, cell: (row) => row.decoder },
    state: {
      label: { en: 'State', zh: '状态' },
      cell: (row, locale) =>
        say(STATE[row.enabled && row.unsupportedOn.length > 0 ? 'unsupported' : row.enabled ? 'enabled' : 'disabled'], locale),
    },
    enabled: { label: { en: 'Enabled', zh: '启用' }, cell: (row) => (row.enabled ? 'yes' : 'no') },
    templates: { label: { en: 'Templates', zh: '所属模板' }, cell: (row) => row.templates.join(', ') },
  },
  page: ({ ctx, query }) => listObis(ctx.db, query),
});
