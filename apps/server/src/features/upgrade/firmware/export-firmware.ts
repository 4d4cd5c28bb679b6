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
    targetKind: { label: { en: 'Target kind', zh: '升级对象' }, cell: (row, locale) => say(UPGRADE_TARGET_TEXT[row.targetKind], locale) },
    upgradeProtocol: {
      label: { en: 'Upgrade protocol', zh: '升级协议' },
      cell: (row, locale) => say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol], locale),
    },
    size: { label: { en: 'Size', zh: '大小' }, unit: 'B', cell: (row) => row.size },
    createdAt: { label: { en: 'Created time', zh: '创建时间' }, kind: 'time', cell: (row) => row.createdAt },
    supplierName: { label: { en: 'Manufacturer', zh: '厂商' }, cell: (row, locale) => say(modelName(row.supplierName), locale) },
    upgradeFile: { label: { en: 'Upgrade file', zh: '升级文件' }, cell: (row) => row.upgradeFile },
    upgradeReason: { label: { en: 'Upgrade reason', zh: '升级原因' }, cell: (row) => row.upgradeReason },
    fileProvider: { label: { en: 'File provider', zh: '文件提供者' }, cell: (row) => row.fileProvider },
    blockSize: { label: { en: 'Block size', zh: '块大小' }, unit: 'B', cell: (row) => row.blockSize },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(FIRMWARE_STATE_TEXT[row.state], locale) },
    types: {
      label: { en: 'Compatible types', zh: '适用类型' },
      cell: (row, locale) => row.types.map(({ name }) => say(modelName(name), locale)).join('; '),
    },
    fromVersions: { label: { en: 'From versions', zh: '可升级版本' }, cell: (row) => row.fromVersions.join('; ') },
    sha256: { label: { en: 'SHA-256', zh: 'SHA-256' }, cell: (row) => row.sha256 },
    signature: { label: { en: 'Signature', zh: '签名' }, cell: (row, locale) => say(SIGNATURE_TEXT[row.signature], locale) },
    approvedBy: { label: { en: 'Approved by', zh: '批准人' }, cell: (row) => row.approvedByName },
    approvedAt: { label: { en: 'Approved', zh: '批准时间' }, kind: 'time', cell: (row) => row.approvedAt },
  },
  page: ({ ctx, user, query }) => listFirmware(ctx.db, user, query),
});
