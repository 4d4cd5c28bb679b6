import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    title: { en: 'Device Commands', zh: '设备命令' },
    command: { en: 'Command', zh: '命令' },
    params: { en: 'Parameters', zh: '参数' },
    offline: { en: 'When a device is offline', zh: '设备离线时' },
    failNow: { en: 'Fail immediately', zh: '立即失败' },
    waitHours: { en: 'Wait up to {hours} h', zh: '最多等待 {hours} 小时' },
    reason: words.reason,
    reasonMissing: { en: 'A reason is required: it is part of the audit log', zh: '请填写原因，将记入审计日志' },
    noDevices: { en: 'None of the selected nodes has such a device', zh: '所选节点下没有适用设备' },
    tooMany: words.atMostThousandDevices,
    confirmTitle: { en: '{command}?', zh: '{command}？' },
    confirmDevices: words.deviceCount,
    confirmText: {
      en: 'The command changes each of these devices. It is recorded in the audit log and in the command log with your name and the reason.',
      zh: '该命令会更改以上每台设备，并连同操作人与原因记入审计日志和命令日志。',
    },
    send: { en: 'Send command', zh: '下发命令' },
    read: { en: 'Read', zh: '读取' },
    noRun: { en: 'No run is open', zh: '尚未选择任务' },
    noRunHint: {
      en: 'Select devices and a command on the left, or open one of your recent runs.',
      zh: '在左侧选择设备和命令后下发，或打开最近的任务。',
    },
    noCommand: { en: 'Your roles permit no command', zh: '当前角色无可用命令' },
    facts: { en: 'Values that the device returned', zh: '设备返回值' },
  }),
};
