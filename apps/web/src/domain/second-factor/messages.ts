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
  proofKeyNote: {
    en: 'This action is dangerous. Use your security key, or enter a code; nothing is sent before. The confirmation is valid for five minutes.',
    zh: '此操作有风险。请使用安全密钥或输入验证码，确认前不会下发任何命令；确认后五分钟内有效。',
  },
  useKey: { en: 'Use security key', zh: '使用安全密钥' },
  keyFailed: {
    en: 'No security key answered. Insert or choose your key, and confirm by PIN or fingerprint.',
    zh: '安全密钥无响应。请插入或选择密钥，并用PIN或指纹确认。',
  },
  keys: { en: 'Security keys', zh: '安全密钥' },
  keysNote: {
    en: 'A passkey or security key confirms sign-ins and dangerous orders without a code, and works at this address only.',
    zh: '通行密钥或安全密钥可代替验证码确认登录和高风险操作，且仅对本站地址有效。',
  },
  keysImpossible: {
    en: 'Security keys need a console that browsers reach by HTTPS under a name. An administrator sets HES_PUBLIC_URL.',
    zh: '安全密钥要求浏览器以域名经HTTPS访问控制台，须由管理员设置 HES_PUBLIC_URL。',
  },
  keyAdded: { en: 'Added {at}', zh: '添加于 {at}' },
  keyUsed: { en: 'Last used {at}', zh: '最近使用 {at}' },
  keyUnused: { en: 'Not used yet', zh: '尚未使用' },
  keyElsewhere: { en: 'Works at a former address only', zh: '仅对原地址有效' },
  addKey: { en: 'Add security key', zh: '添加安全密钥' },
  newKeyNote: {
    en: 'Name the key, so that you recognize it in the list. The browser then asks for it. Your other sessions end.',
    zh: '请为密钥命名以便识别，随后浏览器会提示使用密钥。您的其他会话将结束。',
  },
  keyName: { en: 'Name of the key', zh: '密钥名称' },
  removeNamed: { en: 'Remove key {name}', zh: '移除密钥{name}' },
  removeKey: { en: 'Remove key', zh: '移除密钥' },
  removeKeyNote: {
    en: '{name} then no longer confirms sign-ins or orders. Your other sessions end.',
    zh: '移除后，{name} 不能再用于确认登录或操作。您的其他会话将结束。',
  },
  keyRemoved: { en: 'Security key removed', zh: '安全密钥已移除' },
  codeDone: { en: 'Authenticator app added', zh: '验证器应用已添加' },
  keyDone: { en: 'Security key added', zh: '安全密钥已添加' },
  remove: words.removeWord,
  removed: { en: 'Second factor removed', zh: '二次验证已移除' },
});
