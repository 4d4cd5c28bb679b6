import { common } from '#shared/i18n/common.messages.ts';
import { defineMessages } from '#shared/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    dcus: { en: 'DCU', zh: '集中器' },
    searchDcu: { en: 'SN or transformer', zh: '编号或变压器' },
  }),
};
