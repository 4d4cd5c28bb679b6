import type { AssetRow } from '@hes/contract/asset/meter.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { INVENTORY_TEXT, METER_PHASE_TEXT } from '@hes/contract/states/device-text.ts';
import { dateTime } from '#shared/time/format.ts';
import type { T } from './texts.ts';

/** The inventory as a table. */
export function csvOfAssets(rows: AssetRow[], t: T, say: (text: Text) => string): unknown[][] {
  return [
    [
      t('sn'),
      t('inventory'),
      t('type'),
      t('isMaster'),
      t('supplier'),
      t('accuracy'),
      t('voltage'),
      t('current'),
      t('phase'),
      t('mode'),
      t('transformer'),
      t('dcu'),
      t('customerNo'),
      t('customerName'),
      t('address'),
      t('lastComm'),
      t('readingTime'),
      t('freezeDate'),
      t('readingRate'),
    ],
    ...rows.map((row) => [
      row.sn,
      say(INVENTORY_TEXT[row.inventoryState]),
      row.meterTypeName,
      t(row.isMaster ? 'yes' : 'no'),
      row.supplierName,
      row.accuracy,
      row.voltage,
      row.current,
      say(METER_PHASE_TEXT[row.phase]),
      t(row.communicationMode),
      row.transformerName,
      row.dcuSn,
      row.customerNo,
      row.customerName,
      row.address,
      row.lastCommAt && dateTime(row.lastCommAt),
      row.lastReadAt && dateTime(row.lastReadAt),
      row.dailyFreezeDate,
      row.readRate30d,
    ]),
  ];
}
