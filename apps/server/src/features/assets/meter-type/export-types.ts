import { meterType } from '@hes/contract/asset/meter-type.ts';
import { say, YES_NO } from '@hes/contract/core/text.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { meterTypeExport } from '@hes/contract/transfer/assets.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listMeterTypes } from './queries.ts';

/** A rating is text (`3x230/400`); the unit is appended as on the page. */
const withUnit = (text: string | null, unit: string) => (text === null || text.endsWith(unit) ? text : `${text} ${unit}`);

const state = { enabled: { en: 'Enabled', zh: '启用' }, disabled: { en: 'Disabled', zh: '停用' } };

export const meterTypeSheet = defineExport({
  routes: meterTypeExport,
  list: meterType.list,
  title: { en: 'Meter types', zh: '电表类型' },
  columns: {
    code: { label: { en: 'Code', zh: '编码' }, cell: (row) => row.code },
    name: { label: { en: 'Name', zh: '名称' }, cell: (row, locale) => say(modelName(row.name), locale) },
    supplier: { label: { en: 'Supplier', zh: '供应商' }, cell: (row, locale) => say(modelName(row.supplierName), locale) },
    phase: { label: { en: 'Phase', zh: '相别' }, cell: (row, locale) => say(METER_PHASE_TEXT[row.phase], locale) },
    accuracy: { label: { en: 'Accuracy', zh: '准确度等级' }, cell: (row) => row.accuracy },
    voltage: { label: { en: 'Voltage', zh: '电压' }, cell: (row) => withUnit(row.voltage, 'V') },
    current: { label: { en: 'Current', zh: '电流' }, cell: (row) => withUnit(row.current, 'A') },
    communicationModes: {
      label: { en: 'Comm mode', zh: '通信方式' },
      cell: (row, locale) => row.communicationModes.map((mode) => say(COMMUNICATION_MODE_TEXT[mode], locale)).join('; '),
    },
    hasRelay: { label: { en: 'Relay', zh: '继电器' }, cell: (row, locale) => say(YES_NO[`${row.hasRelay}`], locale) },
    template: { label: { en: 'OBIS template', zh: 'OBIS 模板' }, cell: (row) => row.profileName },
    meters: { label: { en: 'Meters', zh: '电表' }, cell: (row) => row.meters },
    enabled: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(state[row.enabled ? 'enabled' : 'disabled'], locale) },
  },
  page: ({ ctx, user, query }) => listMeterTypes(ctx.db, user, query),
});
