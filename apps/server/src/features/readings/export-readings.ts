import { say, type Locale, type Text } from '@hes/contract/core/text.ts';
import type { Unit } from '@hes/contract/core/unit.ts';
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

/** What is known of a reading besides its values, or why it is missing. */
const STATE = {
  reading: {
    label: { en: 'Reading State', zh: '抄读状态' },
    cell: (row: Known, locale: Locale) => say(TASK_ITEM_TEXT[row.reading], locale),
  },
  quality: { label: { en: 'Quality', zh: '质量' }, cell: (row: Known, locale: Locale) => say(QUALITY_TEXT[row.quality], locale) },
  why: {
    label: { en: 'Reason', zh: '原因' },
    cell: (row: Known, locale: Locale) => (row.gap === null ? null : (row.note ?? why(row.reasonCode, locale))),
  },
  triedAt: {
    label: { en: 'Last Attempt', zh: '最近尝试' },
    kind: 'time',
    cell: (row: Known) => (row.gap === null ? null : row.triedAt),
  },
  statusWord: {
    label: { en: 'Status', zh: '状态' },
    cell: (row: Known) => (row.statusWord === null ? null : statusWordText(row.statusWord)),
  },
  /** The status word in words. */
  marks: {
    label: { en: 'Status Says', zh: '状态说明' },
    cell: ({ statusWord }: Known, locale: Locale) =>
      marksOf(statusWord)
        .map((mark) => say(mark, locale))
        .join(', '),
  },
  source: {
    label: { en: 'Source', zh: '来源' },
    cell: (row: Known, locale: Locale) => row.source && say(READING_SOURCE_TEXT[row.source], locale),
  },
  readAt: { label: { en: 'Meter Reading Time', zh: '抄表时间' }, kind: 'time', cell: (row: Known) => row.readAt },
} as const;

const ENERGIES = {
  ePlus: { label: { en: 'Total Active Energy +', zh: '正向有功总电能' }, unit: 'kWh' },
  eMinus: { label: { en: 'Total Active Energy −', zh: '反向有功总电能' }, unit: 'kWh' },
} as const;
const TARIFFS = {
  ePlusT1: { label: { en: 'Tariff 1 +', zh: '正向费率1' }, unit: 'kWh' },
  ePlusT2: { label: { en: 'Tariff 2 +', zh: '正向费率2' }, unit: 'kWh' },
  ePlusT3: { label: { en: 'Tariff 3 +', zh: '正向费率3' }, unit: 'kWh' },
  ePlusT4: { label: { en: 'Tariff 4 +', zh: '正向费率4' }, unit: 'kWh' },
  eMinusT1: { label: { en: 'Tariff 1 −', zh: '反向费率1' }, unit: 'kWh' },
  eMinusT2: { label: { en: 'Tariff 2 −', zh: '反向费率2' }, unit: 'kWh' },
  eMinusT3: { label: { en: 'Tariff 3 −', zh: '反向费率3' }, unit: 'kWh' },
  eMinusT4: { label: { en: 'Tariff 4 −', zh: '反向费率4' }, unit: 'kWh' },
} as const;
const CHANNELS = {
  ...ENERGIES,
  pAvgPlus: { label: { en: 'Average Active Power +', zh: '正向平均有功功率' }, unit: 'kW' },
  pAvgMinus: { label: { en: 'Average Active Power −', zh: '反向平均有功功率' }, unit: 'kW' },
  sAvgPlus: { label: { en: 'Average Apparent Power +', zh: '正向平均视在功率' }, unit: 'kVA' },
  sAvgMinus: { label: { en: 'Average Apparent Power −', zh: '反向平均视在功率' }, unit: 'kVA' },
  u1: { label: { en: 'Voltage L1', zh: 'A相电压' }, unit: 'V' },
  u2: { label: { en: 'Voltage L2', zh: 'B相电压' }, unit: 'V' },
  u3: { label: { en: 'Voltage L3', zh: 'C相电压' }, unit: 'V' },
  i1: { label: { en: 'Current L1', zh: 'A相电流' }, unit: 'A' },
  i2: { label: { en: 'Current L2', zh: 'B相电流' }, unit: 'A' },
  i3: { label: { en: 'Current L3', zh: 'C相电流' }, unit: 'A' },
  i0: { label: { en: 'Current N', zh: '零线电流' }, unit: 'A' },
  pf: { label: { en: 'Power Factor', zh: '功率因数' } },
  pf1: { label: { en: 'Power Factor L1', zh: 'A相功率因数' } },
  pf2: { label: { en: 'Power Factor L2', zh: 'B相功率因数' } },
  pf3: { label: { en: 'Power Factor L3', zh: 'C相功率因数' } },
} as const;

interface Quantity {
  label: Text;
  unit?: Unit;
}

/** A column for each value, under the key it has on the page. */
const valuesOf = <K extends string>(quantities: Record<K, Quantity>) =>
  Object.fromEntries(
    // as: keys of the table
    (Object.keys(quantities) as K[]).map((key) => [key, { ...quantities[key], cell: (row: Record<K, number | null>) => row[key] }]),
  ) as unknown as Record<K, ExportColumn<Record<K, number | null>>>; // as: one column a key

export const dailySheet = defineExport({
  routes: dailyExport,
  list: reading.daily,
  title: { en: 'Daily freezes', zh: '日冻结' },
  columns: {
    meterSn: { label: SN, cell: (row: DailyRow) => row.meterSn },
    time: { label: { en: 'Daily Freeze Date', zh: '日冻结日期' }, cell: (row: DailyRow) => row.freezeDate },
    ...valuesOf({ ...ENERGIES, ...TARIFFS }),
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
