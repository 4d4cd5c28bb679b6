import { say } from '@hes/contract/core/text.ts';
import { dcuLog, dcuLogExport, FRAME_CHANNEL_TEXT, FRAME_DIRECTION_TEXT, NO_ANSWER_TEXT } from '@hes/contract/debug/dcu-log.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listFrames } from './queries.ts';

export const frameSheet = defineExport({
  routes: dcuLogExport,
  list: dcuLog.list,
  title: { en: 'DCU log', zh: '集中器日志' },
  columns: {
    at: { label: { en: 'Time', zh: '时间' }, kind: 'time', cell: (row) => row.at },
    dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    direction: { label: { en: 'Direction', zh: '方向' }, cell: (row, locale) => say(FRAME_DIRECTION_TEXT[row.direction], locale) },
    channel: { label: { en: 'Channel', zh: '通道' }, cell: (row, locale) => say(FRAME_CHANNEL_TEXT[row.channel], locale) },
    meterSn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.meterSn },
    service: { label: { en: 'Service', zh: '服务' }, cell: (row) => row.service },
    hex: { label: { en: 'Message', zh: '报文' }, cell: (row) => row.hex },
    octets: { label: { en: 'Octets', zh: '字节' }, cell: (row) => row.octets },
    latencyMs: { label: { en: 'Latency', zh: '时延' }, unit: 'ms', cell: (row) => row.latencyMs },
    result: {
      label: { en: 'Result', zh: '结果' },
      cell: (row, locale) => (row.result === 'noAnswer' ? say(NO_ANSWER_TEXT, locale) : row.result),
    },
    note: { label: { en: 'Note', zh: '备注' }, cell: (row) => row.note },
    session: { label: { en: 'Session', zh: '会话' }, cell: (row) => row.sessionId },
    task: { label: { en: 'Task', zh: '任务' }, cell: (row) => row.taskId },
    trace: { label: { en: 'Trace', zh: '跟踪号' }, cell: (row) => row.traceId },
  },
  page: ({ ctx, user, query }) => listFrames(ctx.db, user, query, ctx.settings.timeZone),
});
