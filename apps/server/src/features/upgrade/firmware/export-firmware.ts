import { say } from '@hes/contract/core/text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { FIRMWARE_STATE_TEXT, SIGNATURE_TEXT, UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { firmwareExport } from '@hes/contract/transfer/orders.ts';
import { firmware } from '@hes/contract/upgrade/firmware.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listFirmware } from './queries.ts';

export const firmwareSheet = defineExport({
  routes: firmwareExport,
  list: firmware.list,
  title: { en: 'Firmware', zh: '固件' },
  columns: {
    name: { label: { en: 'Name', zh: '名称' }, cell: (row) => row.name },
    version: { label: { en: 'Version', zh: '版本' }, cell: (row) => row.version },
    targetKind: { label: { en: 'Target Kind', zh: '升级对象' }, cell: (row, locale) => say(UPGRADE_TARGET_TEXT[row.targetKind], locale) },
    upgradeProtocol: {
      label: { en: 'Upgrade Protocol', zh: '升级协议' },
      cell: (row, locale) => say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol], locale),
    },
    size: { label: { en: 'Size', zh: '大小' }, unit: 'B', cell: (row) => row.size },
    createdAt: { label: { en: 'Created Time', zh: '创建时间' }, kind: 'time', cell: (row) => row.createdAt },
    supplierName: { label: { en: 'Manufacturer', zh: '厂商' }, cell: (row, locale) => say(modelName(row.supplierName), locale) },
    upgradeFile: { label: { en: 'Upgrade File', zh: '升级文件' }, cell: (row) => row.upgradeFile },
    upgradeReason: { label: { en: 'Upgrade Reason', zh: '升级原因' }, cell: (row) => row.upgradeReason },
    fileProvider: { label: { en: 'File Provider', zh: '文件提供者' }, cell: (row) => row.fileProvider },
    blockSize: { label: { en: 'Block Size', zh: '块大小' }, unit: 'B', cell: (row) => row.blockSize },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(FIRMWARE_STATE_TEXT[row.state], locale) },
    types: {
      label: { en: 'Compatible Types', zh: '适用类型' },
      cell: (row, locale) => row.types.map(({ name }) => say(modelName(name), locale)).join('; '),
    },
    fromVersions: { label: { en: 'From Versions', zh: '可升级版本' }, cell: (row) => row.fromVersions.join('; ') },
    sha256: { label: { en: 'SHA-256', zh: 'SHA-256' }, cell: (row) => row.sha256 },
    signature: { label: { en: 'Signature', zh: '签名' }, cell: (row, locale) => say(SIGNATURE_TEXT[row.signature], locale) },
    approvedBy: { label: { en: 'Approved By', zh: '批准人' }, cell: (row) => row.approvedByName },
    approvedAt: { label: { en: 'Approved', zh: '批准时间' }, kind: 'time', cell: (row) => row.approvedAt },
  },
  page: ({ ctx, user, query }) => listFirmware(ctx.db, user, query),
});
