import { z } from 'zod';
import type { Text } from '../core/text.ts';
import type { AuthenticationType, Ciphering, DcuProtocol, SecretName } from '../states/device.ts';
import type { ADDRESSING_TEXT, FEATURE_TEXT, METER_QUIRK_TEXT } from '../text/type-text.ts';
import type { UpgradeProtocol } from '../states/upgrade.ts';

/** `true`: the field engine supports the value, as `forms-honoured.test.ts` proves. Text: the reason with which a save is refused; forms do not offer it. */
export type Spoken = true | Text;

export type SecuritySuite = 0 | 1 | 2;

const FEATURES = {
  en: 'Not supported yet: what a DCU can do follows from its profile, not from this list',
  zh: '暂不支持：集中器的功能由其规约决定，不由此列表决定',
};

/**
 * Values of device and device type fields, with their support by the field engine. Forms, filters, imports, templates, the API and
 * validation are derived from this table, so new support needs the field code and one line here.
 */
export const SPOKEN: {
  protocol: Record<DcuProtocol, Spoken>;
  authenticationType: Record<AuthenticationType, Spoken>;
  securitySuite: Record<SecuritySuite, Spoken>;
  addressing: Record<keyof typeof ADDRESSING_TEXT, Spoken>;
  quirks: Record<keyof typeof METER_QUIRK_TEXT, Spoken>;
  features: Record<keyof typeof FEATURE_TEXT, Spoken>;
  /** Source of the block size of a firmware image: device and firmware, or the meter type. */
  imageBlockSize: Record<'device' | 'type', Spoken>;
  secrets: Record<SecretName, Spoken>;
  /** Peculiarities in the southbound profile of a type file. */
  profileQuirks: Record<'none' | 'some', Spoken>;
  upgradeProtocol: Record<UpgradeProtocol, Spoken>;
} = {
  protocol: {
    dlms_wrapper: true,
    dlms_hdlc: true,
  },
  authenticationType: {
    none: true,
    low: true,
    high: true,
    hls_md5: true,
    hls_sha1: true,
    hls_gmac: true,
    hls_sha256: true,
    hls_ecdsa: true,
  },
  securitySuite: { 0: true, 1: true, 2: true },
  addressing: {
    logical: true,
    short: true,
  },
  quirks: { range_without_deviation: true, no_block_get: true, single_attribute_only: true, ldn_short: true },
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
    type: true,
  },
  secrets: {
    ek: true,
    ak: true,
    password: true,
    masterKey: { en: 'Not supported yet: the head-end does not replace keys in devices', zh: '暂不支持：主站尚不能更换设备密钥' },
  },
  profileQuirks: {
    none: true,
    some: {
      en: 'Not supported: a template names objects; peculiarities belong to the meter type',
      zh: '不支持：模板仅说明对象，特殊行为请在电表类型中设置',
    },
  },
  upgradeProtocol: {
    dlms_image: true,
    dlms_image_via_dcu: true,
    vendor_file_pull: {
      en: 'Not supported yet: no manufacturer’s way of fetching a file is described',
      zh: '暂不支持：尚未收录任何厂商的文件拉取方式',
    },
  },
};

/** Secrets that an association with the mechanism needs. */
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

/** Most octets of a password of mechanism 2, in UTF-8: longer ones have no common form (decision 181). */
export const HIGH_PASSWORD_OCTETS = 16;

/** HLS mechanisms, in which the device also authenticates itself. With LLS it does not. */
const MUTUAL: ReadonlySet<AuthenticationType> = new Set<AuthenticationType>([
  'high',
  'hls_md5',
  'hls_sha1',
  'hls_gmac',
  'hls_sha256',
  'hls_ecdsa',
]);
export const hasMutualProof = (type: AuthenticationType): boolean => MUTUAL.has(type);

/** Mechanisms after which services are ciphered by default: they need, or come with, the keys of ciphering. */
const CIPHERED: ReadonlySet<AuthenticationType> = new Set<AuthenticationType>(['hls_gmac', 'hls_ecdsa']);
/** Whether the services of a device are ciphered. */
export const isCiphered = (type: AuthenticationType, ciphering: Ciphering): boolean =>
  ciphering === 'always' || (ciphering === 'by_mechanism' && CIPHERED.has(type));

/** Length of a key in hexadecimal digits by security suite. */
export const KEY_DIGITS: Record<SecuritySuite, number> = { 0: 32, 1: 32, 2: 64 };

/** Supported values of a field, which forms offer. */
export const offered = <K extends string>(choices: Record<K, Spoken>): K[] =>
  (Object.keys(choices) as K[]).filter((choice) => choices[choice] === true); // as: keys of that very table

/** Reason why a known value is refused; undefined: the value is supported or unknown. */
export function refusalOf(choices: Readonly<Record<string | number, Spoken>>, value: unknown): Text | undefined {
  const spoken =
    typeof value === 'string' || typeof value === 'number' ? Object.entries(choices).find(([key]) => key === String(value)) : undefined;
  return spoken === undefined || spoken[1] === true ? undefined : spoken[1];
}

/** Schema of the supported values; other known values are refused with their reason. */
export function spokenChoice<K extends string>(choices: Record<K, Spoken>): z.ZodType<K, K> {
  const error = ({ input }: { input?: unknown }) => refusalOf(choices, input)?.en;
  const words = offered(choices);
  // as: JSON schema has no empty enumeration; the type remains when the first value is added
  return (words.length === 0 ? z.never({ error }) : z.enum(words as [K, ...K[]], { error })) as unknown as z.ZodType<K, K>;
}

const suites = offered<string>(SPOKEN.securitySuite).map(Number) as SecuritySuite[]; // as: keys of that very table
const keyDigits = [...new Set(suites.map((suite) => KEY_DIGITS[suite]))];

/** Message for keys with a wrong format, for the supported suites. */
export const KEY_RULE: Text = { en: '32 hexadecimal digits, 64 in security suite 2', zh: '32位十六进制数；安全套件2为64位' };

export const spokenSuite = z.literal(suites, { error: ({ input }) => refusalOf(SPOKEN.securitySuite, input)?.en });

/** A key in hexadecimal with the length of a supported suite; the server compares it with the suite of the device. */
export const keyHex = z
  .string()
  .trim()
  .regex(new RegExp(keyDigits.map((digits) => `^[0-9A-Fa-f]{${digits}}$`).join('|')), KEY_RULE.en);

/** Schema of a secret that can be stored. Deleting a stored secret is always permitted. */
export const spokenSecret = <S extends z.ZodType>(name: SecretName, secret: S): S =>
  secret.refine((value) => typeof value !== 'string' || SPOKEN.secrets[name] === true, {
    error: () => refusalOf(SPOKEN.secrets, name)?.en,
  });

/** A record that must be empty because no value in it is supported. */
export const isSpokenQuirks = (quirks: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(quirks).length === 0 || SPOKEN.profileQuirks.some === true;

/** Messages of validations by this table, for translation into the caller's language. */
export const SPOKEN_SENTENCES: readonly Text[] = [
  KEY_RULE,
  ...Object.values(SPOKEN).flatMap((choices) => Object.values<Spoken>(choices).filter((spoken) => spoken !== true)),
];
