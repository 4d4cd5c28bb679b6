import { say, type Locale, type Text } from '@hes/contract/core/text.ts';
import type { Unit } from '@hes/contract/core/unit.ts';
import { CHANNELS, DAILY_REGISTERS, REGISTER_UNIT } from '@hes/contract/reading/quantities.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import type { DailyRow, ProfileRow } from '@hes/contract/reading/reading.ts';
import { TASK_ITEM_TEXT } from '@hes/contract/text/device-text.ts';
import { marksOf, QUALITY_TEXT, READING_SOURCE_TEXT, statusWordText } from '@hes/contract/states/reading.ts';
import { dailyExport, profileExport, profileRows } from '@hes/contract/transfer/readings.ts';
import { defineExport, type ExportColumn } from '#transfer/export/define-export.ts';
import { why } from './export-gaps.ts';
import { listDaily, listProfile } from './queries.ts';
import { checkRange } from './service.ts';

const SN = { en: 'Meter SN', zh: '电表编号' };

type Known = DailyRow | ProfileRow;

/** Columns about the state of a reading, or about its gap. */
const STATE = {
  reading: {
    label: { en: 'Reading state', zh: '抄读状态' },
    cell: (row: Known, locale: Locale) => say(TASK_ITEM_TEXT[row.reading], locale),
  },
  quality: { label: { en: 'Quality', zh: '质量' }, cell: (row: Known, locale: Locale) => say(QUALITY_TEXT[row.quality], locale) },
  why: {
    label: { en: 'Reason', zh: '原因' },
    cell: (row: Known, locale: Locale) => (row.gap === null ? null : (row.note ?? why(row.reasonCode, locale))),
  },
  triedAt: {
    label: { en: 'Last attempt', zh: '最近尝试' },
    kind: 'time',
    cell: (row: Known) => (row.gap === null ? null : row.triedAt),
  },
  statusWord: {
    label: { en: 'Status', zh: '状态' },
    cell: (row: Known) => (row.statusWord === null ? null : statusWordText(row.statusWord)),
  },
  /** Meaning of the status word. */
  marks: {
    label: { en: 'Status says', zh: '状态说明' },
    cell: ({ statusWord }: Known, locale: Locale) =>
      marksOf(statusWord)
        .map((mark) => say(mark, locale))
        .join(', '),
  },
  source: {
    label: { en: 'Source', zh: '来源' },
    cell: (row: Known, locale: Locale) => row.source && say(READING_SOURCE_TEXT[row.source], locale),
  },
  readAt: { label: { en: 'Meter reading time', zh: '抄表时间' }, kind: 'time', cell: (row: Known) => row.readAt },
} as const;

interface Quantity<K extends string> {
  key: K;
  label: Text;
  unit: Unit | undefined;
}

/** One column per quantity, by its key in the API. */
const valuesOf = <K extends string>(quantities: readonly Quantity<K>[]) =>
  Object.fromEntries(
    quantities.map(({ key, label, unit }) => [
      key,
      { label, ...(unit === undefined ? {} : { unit }), cell: (row: Record<K, number | null>) => row[key] },
    ]),
  ) as unknown as Record<K, ExportColumn<Record<K, number | null>>>; // as: one column per key

export const dailySheet = defineExport({
  routes: dailyExport,
  list: reading.daily,
  title: { en: 'Daily freezes', zh: '日冻结' },
  columns: {
    meterSn: { label: SN, cell: (row: DailyRow) => row.meterSn },
    time: { label: { en: 'Daily freeze date', zh: '日冻结日期' }, cell: (row: DailyRow) => row.freezeDate },
    ...valuesOf(DAILY_REGISTERS.map((register) => ({ ...register, unit: REGISTER_UNIT }))),
    ...STATE,
  },
  page: ({ ctx, user, query }) => {
    checkRange(query);
    return listDaily(ctx.db, user, query);
  },
});

export const profileSheet = defineExport({
  routes: profileExport,
  list: profileRows,
  title: { en: 'Profile', zh: '曲线数据' },
  columns: {
    meterSn: { label: SN, cell: (row: ProfileRow) => row.meterSn },
    time: { label: { en: 'Time', zh: '时间' }, kind: 'time', cell: (row: ProfileRow) => row.ts },
    ...valuesOf(CHANNELS),
    ...STATE,
  },
  page: ({ ctx, user, query }) => {
    checkRange(query);
    return listProfile(ctx.db, user, query.profile, query, ctx.settings.timeZone);
  },
});
