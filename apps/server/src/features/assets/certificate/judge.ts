import { ERRORS } from '@hes/contract/core/errors.ts';
import { fill, joinTexts, nameText, type Text } from '@hes/contract/core/text.ts';
import { CERTIFICATE_USAGE_TEXT, type CertificateSuite, type CertificateUsage } from '@hes/contract/states/certificate.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { isIssuedBy, type Certificate, type KeyUse } from '@hes/dlms/security/certificate.ts';

const TEXTS = {
  expired: { en: 'It expired on {day}: import a new one from the issuer', zh: '证书已于 {day} 过期：请导入颁发机构新签发的证书' },
  unknownIssuer: {
    en: 'The issuer {issuer} is unknown: import its certificate first, or with the same file',
    zh: '未知的颁发机构 {issuer}：请先导入其证书，或放入同一文件',
  },
  wrongSignature: {
    en: 'The signature is not that of {issuer}: the file is damaged, or the certificate is forged',
    zh: '签名与颁发机构 {issuer} 不符：文件已损坏或证书系伪造',
  },
  issuerExpired: {
    en: 'The certificate of the issuer {issuer} is not valid now: import its new one first',
    zh: '颁发机构 {issuer} 的证书当前无效：请先导入其新证书',
  },
  weakIssuer: {
    en: 'A certificate of suite 2 (P-384) needs an issuer with a key of P-384',
    zh: '安全套件2的证书（P-384）须由 P-384 密钥签发',
  },
  noUsage: { en: 'Its key usage is neither digital signature nor key agreement', zh: '其密钥用途既非数字签名也非密钥协商' },
  noTitle: {
    en: 'Its common name {subject} is not a system title of 16 hexadecimal digits',
    zh: '其通用名 {subject} 不是16位十六进制系统标题',
  },
  sharedKey: { en: 'Its key is that of {subject}: each device needs its own', zh: '其密钥与 {subject} 相同：每台设备须有自己的密钥' },
  foreignKey: {
    en: 'Its subject is the head-end, but no key pair of the head-end has this key: import the certificate that was issued for a signing request from here',
    zh: '证书主体为主站，但没有对应的主站密钥对：请导入由本系统签名请求所签发的证书',
  },
  wrongOwner: {
    en: 'Its key is that of the head-end, but its subject {subject} is not the system title of the head-end, {title}',
    zh: '其密钥属于主站，但主体 {subject} 不是主站系统标题 {title}',
  },
  otherUsage: {
    en: 'The key pair is for another usage: have its request signed for {usage}',
    zh: '密钥对用途不符：请按“{usage}”用途签发',
  },
  hasCertificate: {
    en: 'This key pair has a certificate: generate a new key pair and have its request signed',
    zh: '该密钥对已有证书：请生成新密钥对并重新签发',
  },
  outside: {
    en: 'No device in your area has the system title {subject}: enter it in the form of the device first',
    zh: '您的管辖范围内没有系统标题为 {subject} 的设备：请先在设备档案中填写',
  },
} satisfies Record<string, Text>;

/** Message for octets that are no certificate of the suites. */
export const NOT_READABLE: Text = {
  en: 'Not an intact X.509 certificate with key and signature of P-256 or P-384 (security suites 1 and 2)',
  zh: '不是完整的 X.509 证书，或其密钥与签名不是 P-256、P-384（安全套件1、2）',
};

/** Message for a stored certificate of a device that is not in the archive. */
export const WITHOUT_DEVICE: Text = {
  en: 'Stored, but no device has this system title yet: enter it in the form of the device',
  zh: '已保存，但尚无设备使用该系统标题：请在设备档案中填写',
};

const SYSTEM_TITLE = /^[0-9A-F]{16}$/;
const USAGE_OF: Record<KeyUse, CertificateUsage> = {
  digitalSignature: 'digital_signature',
  keyAgreement: 'key_agreement',
  certificateSign: 'certificate_sign',
};
const P256_POINT_OCTETS = 64;

/** An authority that the head-end trusts. */
export interface Authority {
  /** Undefined: it is in the same file, and not stored yet. */
  id: string | undefined;
  subject: string;
  publicKey: Uint8Array;
  fromMs: number;
  toMs: number;
}

/** A key pair of the head-end. */
export interface OwnKeyPair {
  id: string;
  publicKey: Uint8Array;
  usages: readonly CertificateUsage[];
  hasCertificate: boolean;
}

/** Facts that certificates are judged by. */
export interface Known {
  now: number;
  /** System title of the head-end in upper-case hexadecimal digits. */
  ownTitle: string;
  authorities: readonly Authority[];
  ownKeyPairs: readonly OwnKeyPair[];
  /** Subjects by public key in hexadecimal digits: of stored certificates, and of those before it in the file. */
  holders: ReadonlyMap<string, string>;
  /** System titles of the devices in the area of the user. */
  titles: ReadonlySet<string>;
  /** The user may change what concerns all devices. */
  isWholeNetwork: boolean;
}

export type Judged =
  | { ok: false; text: Text }
  | {
      ok: true;
      kind: 'device' | 'head_end' | 'authority';
      subject: string;
      usages: CertificateUsage[];
      suite: CertificateSuite;
      /** Undefined: a self-signed authority, or one in the same file. */
      issuer: Authority | undefined;
      /** The key pair of the head-end that the certificate is for. */
      ownKeyPairId?: string;
    };

const refused = (text: Text, params: Record<string, string | Text> = {}): Judged => ({ ok: false, text: fill(text, params) });

const suiteOf = (publicKey: Uint8Array): CertificateSuite => (publicKey.length === P256_POINT_OCTETS ? 1 : 2);

export const isAuthority = ({ uses }: Certificate): boolean => uses.includes('certificateSign');

/** Key usages of a certificate, in the order of their names. */
const usagesOf = ({ uses }: Certificate): CertificateUsage[] => uses.map((use) => USAGE_OF[use]).toSorted();

const isSelfSigned = (certificate: Certificate): boolean =>
  certificate.issuer === certificate.subject && isIssuedBy(nodeCipher, certificate, certificate.publicKey);

/** The authority that signed a certificate, or the reason why none is accepted. @spec GB 9.2 (public key infrastructure) */
function findIssuer(certificate: Certificate, { authorities, now }: Known): Authority | Text {
  const { issuer, subject: own } = certificate;
  const named = authorities.filter(({ subject }) => subject === issuer);
  if (named.length === 0 && issuer !== own) return fill(TEXTS.unknownIssuer, { issuer });
  const signed = named.filter(({ publicKey }) => isIssuedBy(nodeCipher, certificate, publicKey));
  if (signed.length === 0) return fill(TEXTS.wrongSignature, { issuer });
  const valid = signed.find(({ fromMs, toMs }) => fromMs <= now && now < toMs);
  if (valid === undefined) return fill(TEXTS.issuerExpired, { issuer });
  return suiteOf(certificate.publicKey) > suiteOf(valid.publicKey) ? TEXTS.weakIssuer : valid;
}

/** Verifies a certificate: signature chain, validity, curve, key usage, subject, and that its key is used once. */
export function judgeCertificate(certificate: Certificate, known: Known): Judged {
  const { publicKey, toMs } = certificate;
  if (toMs <= known.now) return refused(TEXTS.expired, { day: new Date(toMs).toISOString().slice(0, 10) });
  const isRoot = isAuthority(certificate) && isSelfSigned(certificate);
  const issuer = isRoot ? undefined : findIssuer(certificate, known);
  if (issuer !== undefined && 'en' in issuer) return { ok: false, text: issuer };
  const judged = { ok: true, usages: usagesOf(certificate), suite: suiteOf(publicKey), issuer } as const;
  if (isAuthority(certificate)) {
    if (!known.isWholeNetwork) return refused(ERRORS.WHOLE_NETWORK_ONLY);
    return { ...judged, kind: 'authority', subject: certificate.subject };
  }
  return judgeOwner(certificate, known, { ...judged, usages: [...judged.usages] });
}

function judgeOwner(
  certificate: Certificate,
  known: Known,
  judged: Pick<Extract<Judged, { ok: true }>, 'ok' | 'usages' | 'suite' | 'issuer'>,
): Judged {
  const subject = certificate.subject.toUpperCase();
  if (judged.usages.length === 0) return refused(TEXTS.noUsage);
  if (!SYSTEM_TITLE.test(subject)) return refused(TEXTS.noTitle, { subject: certificate.subject });
  const key = toHex(certificate.publicKey);
  const own = known.ownKeyPairs.find(({ publicKey }) => toHex(publicKey) === key);
  if (own !== undefined) return judgeOwn(own, { ...judged, kind: 'head_end', subject }, known);
  if (subject === known.ownTitle) return refused(TEXTS.foreignKey);
  const holder = known.holders.get(key);
  if (holder !== undefined && holder !== subject) return refused(TEXTS.sharedKey, { subject: holder });
  if (!known.isWholeNetwork && !known.titles.has(subject)) return refused(TEXTS.outside, { subject });
  return { ...judged, kind: 'device', subject };
}

function judgeOwn(own: OwnKeyPair, judged: Extract<Judged, { ok: true }>, known: Known): Judged {
  if (!known.isWholeNetwork) return refused(ERRORS.WHOLE_NETWORK_ONLY);
  if (judged.subject !== known.ownTitle) return refused(TEXTS.wrongOwner, { subject: judged.subject, title: known.ownTitle });
  if (own.hasCertificate) return refused(TEXTS.hasCertificate);
  if (!own.usages.every((usage) => judged.usages.includes(usage))) {
    const usage = joinTexts(
      own.usages.map((one) => CERTIFICATE_USAGE_TEXT[one]),
      nameText(', '),
    );
    return refused(TEXTS.otherUsage, { usage });
  }
  return { ...judged, ownKeyPairId: own.id };
}
