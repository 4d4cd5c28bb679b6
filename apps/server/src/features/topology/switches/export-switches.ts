import { reasonText } from '@hes/contract/core/outcome.ts';
import { nameText, say, type Locale } from '@hes/contract/core/text.ts';
import { topologySwitch, type SwitchFigures, type TopologySwitchRow } from '@hes/contract/debug/topology-switch.ts';
import { TOPOLOGY_SWITCH_STATE_TEXT, TOPOLOGY_SWITCH_TEXT } from '@hes/contract/states/topology.ts';
import { topologySwitchExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listSwitches } from './service.ts';

/** Stations, mean level, success and media as on the page. */
const figuresText = (of: SwitchFigures | null, locale: Locale): string | null =>
  of &&
  [
    of.nodes,
    of.meanLevel,
    `${of.successPct ?? '—'} %`,
    ...(of.mode === undefined ? [] : [say(TOPOLOGY_SWITCH_TEXT[of.mode], locale)]),
  ].join(' · ');

const whyNot = (code: string | null, locale: Locale): string | null =>
  code === null ? null : say(reasonText(code) ?? nameText(code), locale);

const secondsOf = ({ startedAt, endedAt }: TopologySwitchRow): number | null =>
  endedAt === null ? null : Math.floor((Date.parse(endedAt) - Date.parse(startedAt)) / 1000);

export const topologySwitchSheet = defineExport({
  routes: topologySwitchExport,
  list: topologySwitch.list,
  title: { en: 'Network switches', zh: '网络切换记录' },
  columns: {
    time: { label: { en: 'Time', zh: '时间' }, kind: 'time', cell: (row) => row.startedAt },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    operation: { label: { en: 'Operation', zh: '操作' }, cell: (row, locale) => say(TOPOLOGY_SWITCH_TEXT[row.operation], locale) },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(TOPOLOGY_SWITCH_STATE_TEXT[row.state], locale) },
    before: {
      label: { en: 'Before (stations · mean level · success)', zh: '切换前 (站点 · 平均层级 · 成功率)' },
      cell: (row, locale) => figuresText(row.before, locale),
    },
    after: {
      label: { en: 'After', zh: '切换后' },
      cell: (row, locale) => figuresText(row.after, locale) ?? whyNot(row.reasonCode, locale),
    },
    duration: { label: { en: 'Duration', zh: '用时' }, unit: 's', cell: (row) => secondsOf(row) },
    endedAt: { label: { en: 'Ended', zh: '结束时间' }, kind: 'time', cell: (row) => row.endedAt },
    operator: { label: { en: 'Operator', zh: '操作员' }, cell: (row) => row.startedByName },
    reason: { label: { en: 'Reason', zh: '原因' }, cell: (row) => row.reason },
  },
  page: ({ ctx, user, query }) => listSwitches(ctx.db, user, query),
});
