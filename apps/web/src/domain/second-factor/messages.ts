import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  title: words.secondFactor,
  required: {
    en: 'Your account needs a second factor. Set it up before you continue.',
    zh: '您的账号须启用二次验证，设置完成前无法使用其他功能。',
  },
  why: {
    en: 'Each sign-in and each confirmation of a dangerous order needs a code from an authenticator app on your phone.',
    zh: '每次登录以及下发高风险操作前，均须输入手机验证器应用中的验证码。',
  },
  password: { en: 'Your password', zh: '本人密码' },
  code: { en: 'Code of your authenticator app', zh: '验证器应用中的验证码' },
  codeOrRecovery: { en: 'Code of your app, or a recovery code', zh: '应用验证码或恢复码' },
  missing: { en: 'Please enter', zh: '请填写' },
  proofTitle: { en: 'Confirm that it is you', zh: '本人确认' },
  proofPasswordNote: {
    en: 'This action is dangerous. Enter your password to continue; nothing is sent before. The confirmation is valid for five minutes.',
    zh: '此操作有风险。请输入登录密码后继续，确认前不会下发任何命令；确认后五分钟内有效。',
  },
  proofCodeNote: {
    en: 'This action is dangerous. Enter a code from your authenticator app to continue; nothing is sent before. The confirmation is valid for five minutes.',
    zh: '此操作有风险。请输入验证器应用中的验证码后继续，确认前不会下发任何命令；确认后五分钟内有效。',
  },
  proofProviderNote: {
    en: 'This action needs confirmation at your identity provider. Sign in there once more, in a window that opens; your input here stays.',
    zh: '此操作须在身份提供方处确认。请在弹出的窗口中重新登录，此处已填写的内容会保留。',
  },
  proofProviderGive: { en: 'Confirm at the provider', zh: '前往确认' },
  proofWaiting: { en: 'Waiting for the window of the identity provider', zh: '正在等待身份提供方窗口' },
  proofBlocked: {
    en: 'The browser has blocked the window. Permit windows of this site, and try again.',
    zh: '浏览器拦截了窗口，请允许本站弹出窗口后重试。',
  },
  proofGive: { en: 'Confirm', zh: '确认' },
  next: words.nextStep,
  logOut: { en: 'Log out', zh: '退出登录' },
  scan: { en: 'Scan this with an authenticator app, or type the key into it.', zh: '请用验证器应用扫描二维码，或手动输入密钥。' },
  square: { en: 'QR code for the authenticator app', zh: '验证器应用二维码' },
  key: { en: 'Key', zh: '密钥' },
  kind: { en: 'By time, 6 digits, 30 s, SHA-1', zh: '基于时间，6位数字，30秒，SHA-1' },
  proveIt: { en: 'Then enter the code that it shows.', zh: '然后输入应用显示的验证码。' },
  turnOn: { en: 'Turn on', zh: '启用' },
  codes: { en: 'Recovery codes', zh: '恢复码' },
  codesShown: {
    en: 'The second factor is on. These recovery codes are shown once. Each allows one sign-in without the phone: keep them in a safe place, not on the phone.',
    zh: '二次验证已启用。以下恢复码仅显示一次，手机不可用时每个恢复码可登录一次，请妥善保存，勿存于该手机。',
  },
  download: words.download,
  copyAll: { en: 'Copy all', zh: '全部复制' },
  fileHead: {
    en: 'Recovery codes of {name} for the head-end system. Each can be used once.',
    zh: '{name} 的主站系统恢复码，每个仅可使用一次。',
  },
  kept: { en: 'I have saved them', zh: '我已保存' },
  since: { en: 'On since', zh: '启用时间' },
  recoveryLeft: { en: 'Recovery codes left', zh: '剩余恢复码' },
  removeNote: {
    en: 'For a new phone or new recovery codes, remove the second factor and set it up again. Your other sessions end.',
    zh: '更换手机或获取新的恢复码：请先移除再重新设置。您的其他会话将结束。',
  },
  remove: words.removeWord,
  removed: { en: 'Second factor removed', zh: '二次验证已移除' },
});
