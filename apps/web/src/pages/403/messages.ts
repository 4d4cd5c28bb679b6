import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  forbidden: { en: 'You may not open this page', zh: '您无权访问此页面' },
  hint: { en: 'Your role does not include this page. Ask an administrator to grant it.', zh: '您的角色未开通此页面，请联系管理员授权。' },
  backHome: { en: 'Back To Home', zh: '返回首页' },
});
