import type { ArchiveRow } from '@hes/contract/asset/archive.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { BIND_TEXT, DELETE_STATUS_TEXT, DIFF_TEXT, DISPATCH_TEXT, DISTRIBUTION_TEXT } from '@hes/contract/states/archive.ts';
import { dateTime } from '#shared/time/format.ts';
import { fieldText, FIELDS, type T } from './texts.ts';

/** The comparison as a table: both sides field by field. */
export function csvOf(rows: ArchiveRow[], t: T, say: (text: Text) => string): unknown[][] {
  const side = (name: string) => FIELDS.map(([, label]) => `${name}: ${t(label)}`);
  const head = [
    t('sn'),
    t('difference'),
    t('bindState'),
    t('dispatchStatus'),
    t('distribution'),
    t('deleteStatus'),
    t('lastDispatch'),
    t('operator'),
    ...side(t('hesSide')),
    ...side(t('dcuSide')),
  ];
  const values = (entry: ArchiveRow['hes']) => FIELDS.map(([field]) => (entry ? fieldText(entry, field, t) : ''));
  return [
    head,
    ...rows.map((row) => [
      row.sn,
      row.diffKind ? say(DIFF_TEXT[row.diffKind]) : '',
      say(BIND_TEXT[row.bindState]),
      say(DISPATCH_TEXT[row.dispatchState]),
      row.distributionState ? say(DISTRIBUTION_TEXT[row.distributionState]) : '',
      say(DELETE_STATUS_TEXT[row.deleteStatus]),
      row.lastDispatchAt ? dateTime(row.lastDispatchAt) : '',
      row.lastDispatchBy ?? '',
      ...values(row.hes),
      ...values(row.dcu),
    ]),
  ];
}
