import { z } from 'zod';
import type { Text } from '../core/text.ts';
import type { AuthenticationType, DcuProtocol, SecretName } from './device.ts';
import type { ADDRESSING_TEXT, FEATURE_TEXT, METER_QUIRK_TEXT } from './type-text.ts';
import type { UpgradeProtocol } from './upgrade.ts';

/** `true`: the field engine acts on this value, and `forms-honoured.test.ts` shows it. A text: forms do not offer it, and a save is refused with it. */
export type Spoken = true | Text;

export type SecuritySuite = 0 | 1 | 2;

const later = (en: string, zh: string): Text => ({ en: `Not supported yet: ${en}`, zh: `暂不支持：${zh}` });

const OTHER_SUITES = later('the head-end speaks security suite 0, with keys of 16 octets', '主站仅支持安全套件0（16字节密钥）');
const QUIRKS = later('the head-end does not adapt its requests to this peculiarity', '主站尚不能按此特殊行为调整请求');
const FEATURES = later(
  'the head-end finds out from the object list of a DCU what it can do, and does not ask its type',
  '主站按集中器的对象列表判断其功能，不参考类型',
);

/**
 * Every value that a form of a device or a device type could offer, and whether the field engine acts on it. Forms, filters, imports,
 * templates, the API and the server's validation follow this table, so support is added by the field code and one line here.
 */
export const SPOKEN: {
  protocol: Record<DcuProtocol, Spoken>;
  authenticationType: Record<AuthenticationType, Spoken>;
  securitySuite: Record<SecuritySuite, Spoken>;
  addressing: Record<keyof typeof ADDRESSING_TEXT, Spoken>;
  quirks: Record<keyof typeof METER_QUIRK_TEXT, Spoken>;
  features: Record<keyof typeof FEATURE_TEXT, Spoken>;
  /** Who decides the size of the blocks of a firmware image: the device and the firmware, or the type of the meter. */
  imageBlockSize: Record<'device' | 'type', Spoken>;
  secrets: Record<SecretName, Spoken>;
  /** Peculiarities in the southbound profile of a type file. */
  profileQuirks: Record<'none' | 'some', Spoken>;
  upgradeProtocol: Record<UpgradeProtocol, Spoken>;
} = {
  protocol: {
    dlms_wrapper: true,
    dlms_hdlc: later('the head-end speaks the TCP wrapper to DCUs, not HDLC', '主站与集中器仅使用 TCP wrapper，不支持 HDLC'),
  },
  authenticationType: {
    none: true,
    low: true,
    high: later('mechanism 2 differs from manufacturer to manufacturer', '机制2由各厂商自行定义'),
    hls_md5: true,
    hls_sha1: true,
    hls_gmac: true,
    hls_sha256: true,
    hls_ecdsa: later('the head-end keeps no certificates of devices', '主站尚不保存设备证书'),
  },
  securitySuite: { 0: true, 1: OTHER_SUITES, 2: OTHER_SUITES },
  addressing: { logical: true, short: later('the head-end associates by logical names', '主站仅支持逻辑名寻址') },
  quirks: { range_without_deviation: QUIRKS, no_block_get: QUIRKS, single_attribute_only: QUIRKS, ldn_short: QUIRKS },
  features: {
    gateway: FEATURES,
    cache: FEATURES,
    discovery: FEATURES,
    topology: FEATURES,
    phase: FEATURES,
    rt_upgrade: FEATURES,
    sta_upgrade: FEATURES,
    tasks: FEATURES,
    frame_log: FEATURES,
  },
  imageBlockSize: {
    device: true,
    type: later('the block size is the one of the firmware, as far as the device takes it', '块大小取固件设定值，并以设备支持为限'),
  },
  secrets: {
    ek: true,
    ak: true,
    password: true,
    masterKey: later('the head-end does not replace keys in devices', '主站尚不能更换设备密钥'),
  },
  profileQuirks: { none: true, some: QUIRKS },
  upgradeProtocol: {
    dlms_image: true,
    dlms_image_via_dcu: true,
    vendor_file_pull: later('no manufacturer’s way of fetching a file is described', '尚未收录任何厂商的文件拉取方式'),
  },
};

/** Secrets an association with this mechanism is opened with. */
export const SECRETS_OF: Record<AuthenticationType, readonly SecretName[]> = {
  none: [],
  low: ['password'],
  high: ['password'],
  hls_md5: ['password'],
  hls_sha1: ['password'],
  hls_gmac: ['ek', 'ak'],
  hls_sha256: ['password'],
  hls_ecdsa: ['ek', 'ak'],
};

/** Mechanisms (HLS) in which the device, too, answers a challenge with the secret. With a password (LLS) it proves nothing. */
const MUTUAL: ReadonlySet<AuthenticationType> = new Set<AuthenticationType>(['hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa']);
export const hasMutualProof = (type: AuthenticationType): boolean => MUTUAL.has(type);

/** Hexadecimal digits of a key of a suite. */
export const KEY_DIGITS: Record<SecuritySuite, number> = { 0: 32, 1: 32, 2: 64 };

/** What forms offer. */
export const offered = <K extends string>(choices: Record<K, Spoken>): K[] =>
  (Object.keys(choices) as K[]).filter((choice) => choices[choice] === true); // as: keys of that very table

/** Why a known value is not saved; undefined: it is saved, or it is no value of this table. */
export function refusalOf(choices: Readonly<Record<string | number, Spoken>>, value: unknown): Text | undefined {
  const spoken =
    typeof value === 'string' || typeof value === 'number' ? Object.entries(choices).find(([key]) => key === String(value)) : undefined;
  return spoken === undefined || spoken[1] === true ? undefined : spoken[1];
}

/** One of the offered values; another known one is refused with its reason. */
export function spokenChoice<K extends string>(choices: Record<K, Spoken>): z.ZodType<K, K> {
  const error = ({ input }: { input?: unknown }) => refusalOf(choices, input)?.en;
  const words = offered(choices);
  // as: an enumeration without members cannot be written as a schema of JSON; the type stays the same when the first one is added
  return (words.length === 0 ? z.never({ error }) : z.enum(words as [K, ...K[]], { error })) as unknown as z.ZodType<K, K>;
}

const suites = offered<string>(SPOKEN.securitySuite).map(Number) as SecuritySuite[]; // as: keys of that very table
const keyDigits = [...new Set(suites.map((suite) => KEY_DIGITS[suite]))];

/** What a key of a device looks like, for the suites that are spoken. */
export const KEY_RULE: Text = {
  en: `${keyDigits.join(' or ')} hexadecimal digits`,
  zh: `${keyDigits.join('位或')}位十六进制数`,
};

export const spokenSuite = z.literal(suites, { error: ({ input }) => refusalOf(SPOKEN.securitySuite, input)?.en });

const isOfOtherSuite = (text: unknown): boolean =>
  typeof text === 'string' && /^[0-9A-Fa-f]*$/.test(text) && Object.values(KEY_DIGITS).includes(text.length);

/** A key in hexadecimal, of a length that a spoken suite has. */
export const keyHex = z
  .string()
  .trim()
  .regex(new RegExp(keyDigits.map((digits) => `^[0-9A-Fa-f]{${digits}}$`).join('|')), {
    error: ({ input }) => (isOfOtherSuite(input) ? OTHER_SUITES : KEY_RULE).en,
  });

/** A secret that a device may be given. Taking away what is stored is allowed for every one of them. */
export const spokenSecret = <S extends z.ZodType>(name: SecretName, secret: S): S =>
  secret.refine((value) => typeof value !== 'string' || SPOKEN.secrets[name] === true, {
    error: () => refusalOf(SPOKEN.secrets, name)?.en,
  });

/** A record that must be empty as long as nothing in it is acted on. */
export const isSpokenQuirks = (quirks: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(quirks).length === 0 || SPOKEN.profileQuirks.some === true;

/** Every reason above and the rule of keys: what a validation answers with, to be said in the caller's language. */
export const SPOKEN_SENTENCES: readonly Text[] = [
  KEY_RULE,
  ...Object.values(SPOKEN).flatMap((choices) => Object.values<Spoken>(choices).filter((spoken) => spoken !== true)),
];
