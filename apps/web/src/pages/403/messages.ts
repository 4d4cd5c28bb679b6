import { defineMessages } from '#shared/i18n/messages.ts';

export const messages = defineMessages({
  forbidden: { en: 'You may not open this page', zh: '您无权访问此页面' },
  hint: { en: 'The breaker is open for your role. An administrator can grant the page.', zh: '您的角色未开通此页面，请联系管理员授权。' },
  backHome: { en: 'Back To Home', zh: '返回首页' },
});
