import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  frames: common.trace,
  none: { en: 'No frames are stored for this', zh: '未存储该次通信的报文' },
  loaded: {
    en: 'This is history that was loaded when the demonstration began. No exchange brought it, so there are no frames.',
    zh: '此数据为演示启动时导入的历史数据，没有对应的通信，因此没有报文。',
  },
  notAllowed: {
    en: 'Viewing frames needs a right on the page DCU Log Management.',
    zh: '查看报文需要“集中器日志管理”页面的权限。',
  },
  sent: { en: 'Sent', zh: '发送' },
  received: { en: 'Received', zh: '接收' },
  unasked: { en: 'Unsolicited, sent by the device', zh: '设备主动上报' },
  onWire: { en: 'On the wire', zh: '线路报文' },
  deciphered: { en: 'Deciphered', zh: '解密后' },
  bytes: { en: '{count} {count|byte|bytes}', zh: '{count} 字节' },
  took: { en: '{ms} ms', zh: '{ms} 毫秒' },
  decoded: { en: 'Decoded fields', zh: '解析字段' },
  open: { en: 'Show fields of {name}', zh: '展开 {name}' },
  hintHover: { en: 'Point at a field to see its bytes.', zh: '指向字段可查看对应字节。' },
});
