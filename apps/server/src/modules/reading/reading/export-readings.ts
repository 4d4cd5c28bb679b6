import { say, type Locale } from '@hes/contract/core/text.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import type { DailyRow, ProfileRow } from '@hes/contract/reading/reading.ts';
import { TASK_ITEM_TEXT } from '@hes/contract/states/device-text.ts';
import { marksOf, QUALITY_TEXT } from '@hes/contract/states/reading.ts';
import { dailyExport, profileExport, profileRows } from '@hes/contract/transfer/readings.ts';
import { defineExport } from '#modules/export/export/api.ts';
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
  statusWord: { label: { en: 'Status', zh: '状态' }, cell: (row: Known) => row.statusWord },
  /** The status word in words. */
  marks: {
    label: { en: 'Status Says', zh: '状态说明' },
    cell: ({ statusWord }: Known, locale: Locale) =>
      marksOf(statusWord)
        .map((mark) => say(mark, locale))
        .join(', '),
  },
  source: { label: { en: 'Source', zh: '来源' }, cell: (row: Known) => row.source },
  readAt: { label: { en: 'Meter Reading Time', zh: '抄表时间' }, kind: 'time', cell: (row: Known) => row.readAt },
} as const;

const ENERGIES = {
  ePlus: { en: 'Total Active Energy + (kWh)', zh: '正向有功总电能 (kWh)' },
  eMinus: { en: 'Total Active Energy − (kWh)', zh: '反向有功总电能 (kWh)' },
};
const TARIFFS = {
  ePlusT1: { en: 'Tariff 1 + (kWh)', zh: '正向费率1 (kWh)' },
  ePlusT2: { en: 'Tariff 2 + (kWh)', zh: '正向费率2 (kWh)' },
  ePlusT3: { en: 'Tariff 3 + (kWh)', zh: '正向费率3 (kWh)' },
  ePlusT4: { en: 'Tariff 4 + (kWh)', zh: '正向费率4 (kWh)' },
  eMinusT1: { en: 'Tariff 1 − (kWh)', zh: '反向费率1 (kWh)' },
  eMinusT2: { en: 'Tariff 2 − (kWh)', zh: '反向费率2 (kWh)' },
  eMinusT3: { en: 'Tariff 3 − (kWh)', zh: '反向费率3 (kWh)' },
  eMinusT4: { en: 'Tariff 4 − (kWh)', zh: '反向费率4 (kWh)' },
};
const CHANNELS = {
  ...ENERGIES,
  pAvgPlus: { en: 'Average Active Power + (kW)', zh: '正向平均有功功率 (kW)' },
  pAvgMinus: { en: 'Average Active Power − (kW)', zh: '反向平均有功功率 (kW)' },
  sAvgPlus: { en: 'Average Apparent Power + (kVA)', zh: '正向平均视在功率 (kVA)' },
  sAvgMinus: { en: 'Average Apparent Power − (kVA)', zh: '反向平均视在功率 (kVA)' },
  u1: { en: 'Voltage L1 (V)', zh: 'A相电压 (V)' },
  u2: { en: 'Voltage L2 (V)', zh: 'B相电压 (V)' },
  u3: { en: 'Voltage L3 (V)', zh: 'C相电压 (V)' },
  i1: { en: 'Current L1 (A)', zh: 'A相电流 (A)' },
  i2: { en: 'Current L2 (A)', zh: 'B相电流 (A)' },
  i3: { en: 'Current L3 (A)', zh: 'C相电流 (A)' },
  i0: { en: 'Current N (A)', zh: '零线电流 (A)' },
  pf: { en: 'Power Factor', zh: '功率因数' },
  pf1: { en: 'Power Factor L1', zh: 'A相功率因数' },
  pf2: { en: 'Power Factor L2', zh: 'B相功率因数' },
  pf3: { en: 'Power Factor L3', zh: 'C相功率因数' },
};

type Labels<K extends string> = Record<K, { en: string; zh: string }>;
/** A column for each value, under the key it has on the page. */
const valuesOf = <K extends string>(labels: Labels<K>) =>
  Object.fromEntries(
    (Object.keys(labels) as K[]).map((key) => [key, { label: labels[key], cell: (row: Record<K, number | null>) => row[key] }]), // as: keys of the table
  ) as Record<K, { label: { en: string; zh: string }; cell: (row: Record<K, number | null>) => number | null }>; // as: one column a key

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
