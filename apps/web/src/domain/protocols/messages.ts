import { defineMessages } from '#core/i18n/messages.ts';

export const offeredTexts = defineMessages({
  joint: { en: '; ', zh: '；' },
  later: { en: 'Not supported yet: {words}', zh: '暂不支持：{words}' },
  plain: {
    en: 'Readings and commands are neither encrypted nor authenticated.',
    zh: '抄读数据和命令均不加密，也不校验来源。',
  },
  short: {
    en: 'The password has at most 16 characters; a device with challenges of another length than 16 octets is not read.',
    zh: '密码最多16个字符；挑战值不是16字节的设备不抄读。',
  },
});
