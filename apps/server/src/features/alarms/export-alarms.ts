import { alarm, alarmExport, type AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { fill, pick, say, type Locale } from '@hes/contract/core/text.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { ALARM_FAILURE_TEXT, ALARM_RULE_KIND_TEXT, ALARM_STATE_TEXT, MESSAGE_STATE_TEXT } from '@hes/contract/states/alarm.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listAlarms } from './log-service.ts';

/** The messages of an alarm as one text: step, channel, recipients, state, and the failure of the last attempt. */
const messagesIn = ({ messages }: AlarmRow, locale: Locale): string =>
  messages
    .map(({ step, channelName, recipients, state, failure, answer }) => {
      const reason = failure === null ? '' : ` (${say(fill(ALARM_FAILURE_TEXT[failure], { detail: answer ?? '' }), locale)})`;
      return `${step}. ${channelName}${recipients === '' ? '' : ` → ${recipients}`}: ${say(MESSAGE_STATE_TEXT[state], locale)}${reason}`;
    })
    .join('; ');

export const alarmSheet = defineExport({
  routes: alarmExport,
  list: alarm.list,
  title: { en: 'Alarms', zh: '告警通知' },
  columns: {
    openedAt: { label: { en: 'Opened', zh: '产生时间' }, kind: 'time', cell: (row) => row.openedAt },
    rule: { label: { en: 'Rule', zh: '规则' }, cell: (row) => row.ruleName },
    kind: { label: { en: 'Kind', zh: '类型' }, cell: (row, locale) => say(ALARM_RULE_KIND_TEXT[row.kind], locale) },
    level: {
      label: { en: 'Abnormal level', zh: '异常等级' },
      cell: (row, locale) => (row.level === null ? null : say(ABNORMAL_LEVEL_TEXT[row.level], locale)),
    },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(ALARM_STATE_TEXT[row.state], locale) },
    code: [
      { label: { en: 'Log', zh: '日志' }, cell: (row) => row.log },
      { label: { en: 'Code', zh: '事件代码' }, cell: (row) => row.code },
      { label: { en: 'Code name', zh: '事件名称' }, cell: (row, locale) => pick({ en: row.nameEn, zh: row.nameZh }, locale) },
    ],
    meters: { label: { en: 'Meters', zh: '电表数' }, cell: (row) => row.meters },
    dcus: { label: { en: 'DCUs', zh: '集中器数' }, cell: (row) => row.dcus },
    events: { label: { en: 'Events', zh: '事件数' }, cell: (row) => row.events },
    lastAt: { label: { en: 'Last event', zh: '最近事件' }, kind: 'time', cell: (row) => row.lastAt },
    acknowledgedAt: { label: { en: 'Acknowledged', zh: '已确认' }, kind: 'time', cell: (row) => row.acknowledgedAt },
    acknowledgedBy: { label: { en: 'Acknowledged by', zh: '确认人' }, cell: (row) => row.acknowledgedByName },
    nextStepAt: { label: { en: 'Next step', zh: '下一步' }, kind: 'time', cell: (row) => row.nextStepAt },
    messages: { label: { en: 'Messages', zh: '消息' }, cell: messagesIn },
  },
  page: ({ ctx, user, query }) => listAlarms(ctx, user, query),
});
