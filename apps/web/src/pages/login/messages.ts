import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

// Labels and checks: @spec seed §2, §5
export const messages = defineMessages({
  welcome: { en: 'Welcome To Head-End System', zh: '欢迎使用主站系统' },
  hint: { en: 'Sign in with your operator account.', zh: '请使用操作员账号登录。' },
  userName: words.userName,
  enterUserName: { en: 'Please Enter User Name', zh: '请输入用户名' },
  userNameRequired: { en: 'User Name Is Required', zh: '用户名不能为空' },
  password: { en: 'Password', zh: '密码' },
  enterPassword: { en: 'Please Enter Password', zh: '请输入密码' },
  passwordRequired: { en: 'Password Is Required', zh: '密码不能为空' },
  check: { en: 'Security check', zh: '安全验证' },
  drag: { en: 'Drag The Slider To Verify', zh: '请拖动滑块验证' },
  verified: { en: 'Verified', zh: '验证通过' },
  verifying: { en: 'Verifying', zh: '验证中' },
  sliderRequired: { en: 'Please Drag The Slider To Verify', zh: '请先完成滑块验证' },
  remember: { en: 'Remember my user name here', zh: '在本机记住用户名' },
  agree: { en: 'I have read and accept the', zh: '我已阅读并同意' },
  agreement: { en: 'Service agreement', zh: '《服务协议》' },
  agreementRequired: { en: 'Please Accept The Service Agreement', zh: '请先同意服务协议' },
  logIn: { en: 'Log in', zh: '登录' },
  notice: { en: 'Authorised operators only. Every command is recorded.', zh: '仅限授权操作员使用，所有操作均被记录。' },
  agreementText: {
    en: 'Use of this system is reserved to operators authorised by the utility. Personal and consumption data may be used for the operation of metering only. Every sign-in and every command is recorded with user, time and result.',
    zh: '本系统仅供供电单位授权的操作员使用。个人信息与用电数据仅可用于计量业务。每次登录和每项操作均记录用户、时间与结果。',
  },
  codeHint: { en: 'One more step: show that you are {name}.', zh: '还需一步：验证 {name} 的身份。' },
  code: { en: 'Code of your authenticator app', zh: '验证器应用中的验证码' },
  codeNote: { en: '6 digits, changing every 30 seconds', zh: '6位数字，每30秒更新' },
  codeRequired: { en: 'Please enter the code', zh: '请输入验证码' },
  recoveryCode: { en: 'Recovery code', zh: '恢复码' },
  recoveryNote: { en: 'Each can be used once', zh: '每个恢复码仅可使用一次' },
  useRecovery: { en: 'Use a recovery code instead of the phone', zh: '手机不在身边？使用恢复码' },
  useCode: { en: 'Use the authenticator app', zh: '使用验证器应用' },
  back: { en: 'Back', zh: '返回' },
  capsLock: { en: 'Caps Lock is on', zh: '大写锁定已开启' },
});
