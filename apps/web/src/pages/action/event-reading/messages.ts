import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    title: { en: 'Event Reading', zh: '事件抄读' },
    logs: { en: 'Logs', zh: '日志' },
    devices: words.devices,
    ofMeters: common.meters,
    ofDcus: words.dcus,
    what: { en: 'Period', zh: '范围' },
    byRange: words.dateRange,
    byLast: { en: 'Last entries', zh: '最近条数' },
    last: { en: 'Last entries of each log', zh: '每个日志的最近条数' },
    tooMany: words.atMostThousandDevices,
    start: { en: 'Read logs', zh: '开始抄读' },
    noRun: { en: 'No run is open', zh: '尚未开始抄读' },
    noRunHint: {
      en: 'Choose devices and logs at the left and start, or open one of your recent runs.',
      zh: '在左侧选择设备和日志后开始，或打开最近的任务。',
    },
    found: { en: 'Found', zh: '读到' },
    fresh: { en: 'New', zh: '新事件' },
    known: { en: 'Already known', zh: '已存在' },
    newest: { en: 'Newest event', zh: '最新事件' },
    noNew: { en: 'No new event', zh: '无新事件' },
    noneFound: { en: 'No event in this range', zh: '该时间范围内无事件' },
    absent: { en: 'The device has no log: {logs}', zh: '设备无此日志：{logs}' },
    events: words.events,
    isNew: { en: 'new', zh: '新' },
    isKnown: { en: 'already known', zh: '已存在' },
    code: { en: 'Code', zh: '事件代码' },
    codeName: { en: 'Code name', zh: '事件名称' },
    occurTime: { en: 'Occur time', zh: '发生时间' },
    direction: words.direction,
    message: words.message,
    level: { en: 'Abnormal level', zh: '异常等级' },
    unknownCode: words.codeOf,
    open: { en: 'Open in Meter Event', zh: '在电表事件中查看' },
    shownOf: { en: 'The newest {count} of {total} are shown', zh: '显示最新 {count} 条，共 {total} 条' },
  }),
};
export type T = Translate<typeof texts>;
