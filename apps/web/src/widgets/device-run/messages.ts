import { defineMessages } from '#shared/i18n/messages.ts';

export const messages = defineMessages({
  steps: { en: 'Steps', zh: '步骤' },
  connect: { en: 'Connect', zh: '建立连接' },
  associate: { en: 'Associate and authenticate', zh: '建立关联并认证' },
  read_name: { en: 'Ask its name', zh: '读取逻辑设备名' },
  release: { en: 'Release the association', zh: '释放关联' },
  restart: { en: 'Send the restart order', zh: '下发重启命令' },
  return: { en: 'Wait for it to come back', zh: '等待重新上线' },
  tookMs: { en: '{ms} ms', zh: '{ms} 毫秒' },
  value: { en: 'Value', zh: '值' },
  item: { en: 'Item', zh: '项目' },
  values: { en: 'What it answered', zh: '应答内容' },
  frames: { en: 'Frames', zh: '报文' },
  inQueue: { en: 'In the queue of the DCU', zh: '在集中器队列中等待' },
  counts: { en: 'Counts', zh: '计数' },
});
