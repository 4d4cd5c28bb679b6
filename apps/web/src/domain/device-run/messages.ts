import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  steps: { en: 'Steps', zh: '步骤' },
  connect: { en: 'Connect', zh: '建立连接' },
  associate: { en: 'Associate and authenticate', zh: '建立关联并认证' },
  read_name: { en: 'Ask its name', zh: '读取逻辑设备名' },
  release: { en: 'Release the association', zh: '释放关联' },
  restart: { en: 'Send the restart order', zh: '下发重启命令' },
  return: { en: 'Wait until it reconnects', zh: '等待重新上线' },
  tookMs: { en: '{ms} ms', zh: '{ms} 毫秒' },
  value: words.value,
  item: { en: 'Item', zh: '项目' },
  values: { en: 'Response', zh: '应答内容' },
  frames: common.trace,
  inQueue: { en: 'In the queue of the DCU', zh: '在集中器队列中等待' },
  negotiated: { en: 'Negotiated parameters', zh: '协商结果' },
  mechanism: { en: 'Authentication', zh: '认证方式' },
  ciphering: { en: 'Ciphering', zh: '加密' },
  protected: { en: 'Encrypted and authenticated', zh: '加密并认证' },
  unprotected: { en: 'None', zh: '不加密' },
  suite: words.securitySuite,
  pduSize: { en: 'Largest PDU of the device', zh: '设备最大 PDU' },
  octets: { en: '{count} octets', zh: '{count} 字节' },
  systemTitle: words.systemTitle,
  conformance: { en: 'Conformance block', zh: '一致性块' },
  counts: { en: 'Counts', zh: '计数' },
});
