import { meter } from '@hes/contract/asset/meter.ts';
import { say, YES_NO } from '@hes/contract/core/text.ts';
import { BIND_TEXT, DISPATCH_TEXT, DISTRIBUTION_TEXT } from '@hes/contract/states/archive.ts';
import {
  COMMUNICATION_MODE_TEXT,
  CONNECTION_TYPE_TEXT,
  FRESHNESS_TEXT,
  INVENTORY_TEXT,
  METER_PHASE_TEXT,
} from '@hes/contract/text/device-text.ts';
import { PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { meterExport } from '@hes/contract/transfer/devices.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listAssets } from './asset-queries.ts';

export const assetSheet = defineExport({
  routes: meterExport,
  list: meter.assets,
  title: { en: 'Meters', zh: '电表' },
  columns: {
    sn: { label: { en: 'SN', zh: '表号' }, cell: (row) => row.sn },
    inventoryState: { label: { en: 'Inventory', zh: '库存状态' }, cell: (row, locale) => say(INVENTORY_TEXT[row.inventoryState], locale) },
    type: { label: { en: 'Type', zh: '类型' }, cell: (row, locale) => say(modelName(row.meterTypeName), locale) },
    isMaster: { label: { en: 'Is master', zh: '是否总表' }, cell: (row, locale) => say(YES_NO[`${row.isMaster}`], locale) },
    supplier: { label: { en: 'Supplier', zh: '供应商' }, cell: (row, locale) => say(modelName(row.supplierName), locale) },
    accuracy: { label: { en: 'Accuracy', zh: '准确度等级' }, cell: (row) => row.accuracy },
    voltage: { label: { en: 'Voltage', zh: '电压' }, cell: (row) => row.voltage },
    current: { label: { en: 'Current', zh: '电流' }, cell: (row) => row.current },
    phase: { label: { en: 'Phase (wiring)', zh: '相位（接线方式）' }, cell: (row, locale) => say(METER_PHASE_TEXT[row.phase], locale) },
    mode: {
      label: { en: 'Communication mode', zh: '通信模式' },
      cell: (row, locale) => say(COMMUNICATION_MODE_TEXT[row.communicationMode], locale),
    },
    connectionType: {
      label: { en: 'Connection type', zh: '连接方式' },
      cell: (row, locale) => row.connection && say(CONNECTION_TYPE_TEXT[row.connection.connectionType], locale),
    },
    host: { label: { en: 'Host', zh: '主机地址' }, cell: (row) => row.connection?.host ?? null },
    port: { label: { en: 'Port', zh: '端口' }, cell: (row) => row.connection?.port ?? null },
    protocol: {
      label: { en: 'Protocol', zh: '通信规约' },
      cell: (row, locale) => row.connection && say(PROTOCOL_TEXT[row.connection.protocol], locale),
    },
    physicalAddress: {
      label: { en: 'HDLC physical address', zh: 'HDLC 物理地址' },
      cell: (row) => row.connection?.physicalAddress ?? null,
    },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    archive: {
      label: { en: 'Archive', zh: '档案' },
      cell: (row, locale) =>
        row.bindState === null || row.dispatchState === null
          ? null
          : row.distributionState === null
            ? `${say(BIND_TEXT[row.bindState], locale)} / ${say(DISPATCH_TEXT[row.dispatchState], locale)}`
            : say(DISTRIBUTION_TEXT[row.distributionState], locale),
    },
    freshness: { label: { en: 'Freshness', zh: '通信时效' }, cell: (row, locale) => say(FRESHNESS_TEXT[row.freshness], locale) },
    lastCommAt: { label: { en: 'Last communication', zh: '最近通信' }, kind: 'time', cell: (row) => row.lastCommAt },
    lastReadAt: { label: { en: 'Meter reading time', zh: '抄表时间' }, kind: 'time', cell: (row) => row.lastReadAt },
    dailyFreezeDate: { label: { en: 'Daily freeze date', zh: '日冻结日期' }, cell: (row) => row.dailyFreezeDate },
    rate: { label: { en: 'Reading rate', zh: '抄表成功率' }, unit: '%', cell: (row) => row.readRate30d },
    customerNo: { label: { en: 'Customer no.', zh: '户号' }, cell: (row) => row.customerNo },
    customerName: { label: { en: 'Customer', zh: '用户名称' }, cell: (row) => row.customerName },
    address: { label: { en: 'Address', zh: '地址' }, cell: (row) => row.address },
    ctRatio: { label: { en: 'CT ratio', zh: '电流互感器变比' }, cell: (row) => row.ctRatio },
    ptRatio: { label: { en: 'PT ratio', zh: '电压互感器变比' }, cell: (row) => row.ptRatio },
    firmwareVersion: { label: { en: 'Firmware', zh: '固件版本' }, cell: (row) => row.firmwareVersion },
  },
  page: ({ ctx, user, query }) => listAssets(ctx.db, user, query),
});
