import { z } from 'zod';
import type { Text } from './text.ts';

/** Permitted user names; `RULES.username` is the message for others. */
export const USERNAME = /^[A-Za-z0-9_.-]{3,32}$/;

const sentences = <const T extends Record<string, Text>>(table: T): T => table;

/** Messages of fields that fail validation. The server finds the translation by the English sentence. */
export const RULES = sentences({
  upgradeTargets: {
    en: 'Select targets: devices, serial numbers, a node of the network, or your whole area',
    zh: '请指明升级目标：设备、编号、网络节点或管辖范围内全部设备',
  },
  selectData: { en: 'Please Select Data!', zh: '请选择数据！' },
  cursor: { en: 'Pass 0, or next of the answer before', zh: '请填写 0 或上一响应中的 next' },
  tooFar: { en: 'The first 10,000 rows can be paged through; please narrow the list', zh: '最多可翻阅前 10,000 行，请缩小筛选范围' },
  emptyFile: { en: 'The file is empty', zh: '文件为空' },
  bothDays: { en: 'A first and a last day are needed', zh: '请选择开始日期和结束日期' },
  name: { en: 'Visible characters are needed, without control characters', zh: '须包含可见字符，且不含控制字符' },
  phone: { en: 'Phone Number Is Not Valid', zh: '手机号码不正确' },
  email: { en: 'Email is not valid', zh: '邮箱格式不正确' },
  password: {
    en: 'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
    zh: '长度不少于7位，须包含大小写字母、数字、特殊字符，且不含空格',
  },
  username: { en: '3 to 32 letters, digits, dots, hyphens or underscores', zh: '3至32位字母、数字、点、连字符或下划线' },
  roleCode: { en: '2 to 32 upper case letters or underscores', zh: '2至32位大写字母或下划线' },
  areaNodes: { en: 'Select at least one level or transformer', zh: '请至少选择一个层级或变压器' },
  roles: { en: 'Please select at least one role', zh: '请至少选择一个角色' },
  lockReason: { en: 'Please enter lock reason', zh: '请输入锁定原因' },
  levelCode: { en: '1 to 32 upper case letters, digits or hyphens', zh: '1至32位大写字母、数字或连字符' },
  supplierCode: { en: '2 to 16 letters, digits, hyphens or underscores', zh: '2至16位字母、数字、连字符或下划线' },
  typeCode: { en: '1 to 32 letters, digits, hyphens, dots or underscores', zh: '1至32位字母、数字、连字符、点或下划线' },
  flagId: { en: 'Three upper case letters of the DLMS User Association', zh: '三位大写字母（DLMS 厂商标识）' },
  position: { en: 'Longitude and latitude belong together', zh: '经度和纬度须同时填写' },
  current: { en: 'Like 5(60), the maximum not below the basic current', zh: '格式如 5(60)，最大电流不小于基本电流' },
  selectOne: { en: 'Please select at least one', zh: '请至少选择一项' },
  path: { en: 'A path like /system/my-page', zh: '路径格式如 /system/my-page' },
  descending: { en: 'Each limit must be below the one before', zh: '各级限值必须依次递减' },
  ascending: { en: 'Each limit must be above the one before', zh: '各级限值必须依次递增' },
  webAddress: {
    en: 'An address that begins with https:// or http://, without user and password',
    zh: '以 https:// 或 http:// 开头的地址，不含用户名和密码',
  },
  senderSecret: {
    en: 'At least 24 characters, or whsec_ and Base64 of 24 to 64 octets',
    zh: '至少24个字符，或 whsec_ 加 24 至 64 字节的 Base64',
  },
  issuer: {
    en: 'The address of the issuer, such as https://id.example.com/realms/utility',
    zh: '签发方地址，例如 https://id.example.com/realms/utility',
  },
  needed: { en: 'Please fill in', zh: '请填写' },
  servers: {
    en: 'Addresses such as ldaps://dc1.example.com, separated by spaces',
    zh: '地址如 ldaps://dc1.example.com，多个以空格分隔',
  },
  userFilter: { en: 'A filter in brackets with {name}, such as (uid={name})', zh: '带括号且含 {name} 的过滤器，例如 (uid={name})' },
  emergencyUser: { en: 'Name the local account that may still sign in', zh: '请填写仍可登录的本地账号' },
  issuerStays: { en: 'The issuer stays. Add another provider instead', zh: '签发方不可更改，请新增身份提供方' },
  words: { en: 'Words separated by spaces', zh: '以空格分隔的词' },
  timeOfDay: { en: 'A time such as 06:30', zh: '时间格式如 06:30' },
  ascendingSteps: { en: 'Each step must come later than the one before', zh: '每一步须晚于前一步' },
  namedRecipient: {
    en: 'Messages of this webhook name their recipient, so each step needs one',
    zh: '该 Webhook 的消息包含接收人，每一步须选择接收人',
  },
  hostName: { en: 'A host name or an address', zh: '请填写主机名或地址' },
  secretAgain: {
    en: 'A new address, user name or encryption needs the secret again',
    zh: '更改地址、用户名或加密方式后须重新填写密码',
  },
  template: {
    en: 'JSON with placeholders such as {{title}} inside its strings',
    zh: '须为 JSON，占位符（如 {{title}}）须位于字符串内',
  },
  dcuSn: { en: '6 to 32 letters and digits', zh: '6至32位字母和数字' },
  meterSn: { en: '6 to 20 letters and digits', zh: '6至20位字母和数字' },
  addressRange: {
    en: 'An address or a network such as 10.20.0.0/16, not larger than /8, IPv6 /32',
    zh: '请填写地址或网段，如 10.20.0.0/16；IPv4 前缀不小于 8，IPv6 不小于 32',
  },
  preEstablished: {
    en: 'A pre-established association has no authentication',
    zh: '预建立关联不支持身份认证，认证方式须为“无”',
  },
  preEstablishedPlainly: {
    en: 'A pre-established association has no agreed keys and no signatures',
    zh: '预建立关联不支持协商密钥和签名',
  },
  host: { en: 'A device that is dialled needs an address', zh: '由主站连接时必须填写地址' },
  systemTitle: { en: '16 hexadecimal digits', zh: '16位十六进制数' },
  keyOf128Bits: { en: '32 hexadecimal digits, as the security suite of the device demands', zh: '须为32位十六进制数（按设备的安全套件）' },
  keyOf256Bits: { en: '64 hexadecimal digits, as the security suite of the device demands', zh: '须为64位十六进制数（按设备的安全套件）' },
  suiteOfCertificates: { en: 'Certificates need security suite 1 or 2', zh: '使用证书须选择安全套件1或2' },
  cipheredServices: { en: 'Only ciphered services can be signed or use agreed keys', zh: '仅加密报文可签名或使用协商密钥' },
  keyPair: { en: 'Both keys are needed, of the same length', zh: '两个密钥须同时填写且长度相同' },
  guessableKey: { en: 'A key that can be guessed', zh: '密钥过于简单，可被猜出' },
  longitude: { en: 'Between -180 and 180, east is positive', zh: '-180至180之间，东经为正' },
  latitude: { en: 'Between -90 and 90, north is positive', zh: '-90至90之间，北纬为正' },
  imageIdentifier: {
    en: 'Needed for DLMS image transfer: 1 to 64 characters, or 0x and hexadecimal digits',
    zh: 'DLMS镜像传输必填：1至64个字符，或0x加十六进制数',
  },
  publicKey: { en: 'A PEM of an Ed25519 or ECDSA public key', zh: 'Ed25519 或 ECDSA 公钥（PEM）' },
  inFuture: { en: 'Must be in the future', zh: '必须晚于当前时间' },
  reason: { en: 'Please enter the reason', zh: '请输入原因' },
  workOrder: { en: 'Please enter the work order', zh: '请输入工单号' },
  ratio: { en: 'Must be above 0', zh: '必须大于0' },
  obis: { en: 'Like 1-0:1.8.0.255 or 1.0.1.8.0.255, each part 0 to 255', zh: '格式如 1-0:1.8.0.255 或 1.0.1.8.0.255，各段为0至255' },
  obisKey: { en: '2 to 32 upper case letters, digits or underscores', zh: '2至32位大写字母、数字或下划线' },
  timeWindow: { en: 'Two different times are needed', zh: '请选择两个不同的时间' },
  timeZone: { en: 'There is no such time zone', zh: '不存在该时区' },
  cellRequired: { en: 'Must not be empty', zh: '不能为空' },
  cellNumber: { en: 'Not a number', zh: '不是数字' },
  cellChoice: { en: 'None of the possible words', zh: '不在可选范围内' },
  sameLine: { en: 'The same as line {line}', zh: '与第 {line} 行重复' },
});

/** Control, bidirectional and zero-width characters. Joiners are permitted because Persian and emoji need them. */
const UNSEEN = String.raw`\p{Cc}\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF`;
const NAME = new RegExp(`^$|^(?=.*[\\p{L}\\p{N}\\p{P}\\p{S}])[^${UNSEEN}]*$`, 'u');

/** A name in any alphabet: at least one visible character, and none of `UNSEEN`. */
export const nameOf = (maxLength: number) => z.string().trim().min(1).max(maxLength).regex(NAME, RULES.name.en);

/** As `nameOf`, but may be empty. */
export const optionalName = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength)
    .regex(NAME, RULES.name.en)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null);

/** Minimum length of passwords; an installation may require more. @spec seed §5 */
export const PASSWORD_MIN = 7;
/** Upper limit of the minimum length that an installation may require. */
export const PASSWORD_MIN_MOST = 64;
/** At least 7 characters: one lower, one upper, one digit, one special, no whitespace. A letter of another alphabet is not special. @spec seed §5 */
export const PASSWORD_RULE = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[\p{P}\p{S}])\S{7,}$/u;
export const password = z.string().max(256).regex(PASSWORD_RULE, RULES.password.en);

/** Seven to twenty digits, with spaces, hyphens and an area code in brackets between them. An empty field is no number, not a wrong one. */
export const phone = z
  .string()
  .trim()
  .regex(/^(?=(?:\D*\d){7,20}\D*$)\+?\(?\d[0-9 ()-]{5,28}\d$/, RULES.phone.en)
  .or(z.literal('').transform(() => null))
  .nullable();
export const email = z
  .email(RULES.email.en)
  .max(254)
  .or(z.literal('').transform(() => null))
  .nullable();
