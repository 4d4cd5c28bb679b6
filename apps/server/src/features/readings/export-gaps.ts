import { reasonText } from '@hes/contract/core/outcome.ts';
import { TASK_ITEM_TEXT } from '@hes/contract/text/device-text.ts';
import { PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import { GAP_STATE_TEXT, NOT_TRIED_TEXT } from '@hes/contract/states/reading.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { completenessExport, gapExport } from '@hes/contract/transfer/readings.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listCompleteness, listGaps } from './gap-queries.ts';
import { checkRange } from './service.ts';

/** Text of a gap's reason. */
export const why = (code: string | null, locale: Locale) => say(reasonText(code) ?? NOT_TRIED_TEXT, locale);

export const gapSheet = defineExport({
  routes: gapExport,
  list: gap.list,
  title: { en: 'Gaps', zh: '缺口' },
  columns: {
    meterSn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.meterSn },
    dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    profile: { label: { en: 'Kind of data', zh: '数据类型' }, cell: (row, locale) => say(PLAN_TYPE_TEXT[row.profile], locale) },
    day: { label: { en: 'Day', zh: '日期' }, cell: (row) => row.day },
    when: { label: { en: 'Missing from', zh: '缺失开始' }, kind: 'time', cell: (row) => row.fromAt },
    until: { label: { en: 'Missing until', zh: '缺失结束' }, kind: 'time', cell: (row) => row.toAt },
    missing: { label: { en: 'Missing', zh: '缺失' }, cell: (row) => row.missing },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(GAP_STATE_TEXT[row.state], locale) },
    reading: { label: { en: 'Reading state', zh: '抄读状态' }, cell: (row, locale) => say(TASK_ITEM_TEXT[row.reading], locale) },
    why: {
      label: { en: 'Reason', zh: '原因' },
      cell: (row, locale) => row.note ?? (row.state === 'filled' && row.reasonCode === null ? null : why(row.reasonCode, locale)),
    },
    tried: { label: { en: 'Last attempt', zh: '最近尝试' }, kind: 'time', cell: (row) => row.triedAt },
    attempts: { label: { en: 'Refills', zh: '补召次数' }, cell: (row) => row.attempts },
    next: { label: { en: 'Next try', zh: '下次补召' }, kind: 'time', cell: (row) => (row.state === 'open' ? row.nextTryAt : null) },
  },
  page: ({ ctx, user, query }) => {
    checkRange(query);
    return listGaps(ctx.db, user, query, ctx.settings.timeZone);
  },
});

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Percentage with two decimals, rounded down as on the screen, so that 100 means all. */
const shareOf = (got: number, expected: number): number | null =>
  expected === 0 ? null : Math.floor((Math.min(got, expected) / expected) * 10_000) / 100;

type CompletenessRow = Awaited<ReturnType<typeof listCompleteness>>['items'][number] & {
  /** Number of slots in the whole range. */
  expected: number;
};

export const completenessSheet = defineExport<typeof gap.byMeter, CompletenessRow>({
  routes: completenessExport,
  list: gap.byMeter,
  title: { en: 'Completeness', zh: '完整率' },
  columns: {
    meterSn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.meterSn },
    dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    got: { label: { en: 'Got', zh: '实抄' }, cell: (row) => sum(row.got) },
    byDay: { label: { en: 'Got, day by day', zh: '逐日实抄' }, cell: (row) => row.got.join(' ') },
    rate: { label: { en: 'Completeness', zh: '完整率' }, unit: '%', cell: (row) => shareOf(sum(row.got), row.expected) },
    gaps: { label: { en: 'Gaps', zh: '缺口' }, cell: (row) => row.gaps },
    why: { label: { en: 'Reason', zh: '原因' }, cell: (row, locale) => (row.gaps > 0 ? why(row.reasonCode, locale) : null) },
  },
  page: async ({ ctx, user, query }) => {
    checkRange(query);
    const { items, days } = await listCompleteness(ctx.db, user, query, ctx.settings.timeZone);
    const expected = sum(days.map((day) => day.expected));
    return { items: items.map((row) => ({ ...row, expected })) };
  },
});
