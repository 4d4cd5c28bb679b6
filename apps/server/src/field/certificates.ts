import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { CertificateUsage } from '@hes/contract/states/certificate.ts';
import type { KeyAgreement } from '@hes/contract/states/device.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { required, type SecuritySuite } from '@hes/dlms/security/cipher.ts';
import type { GeneralKeys, SigningKeys } from '@hes/dlms/association/secure-channel.ts';

/** A certificate of a device, or of the head-end with its sealed private key, as it is loaded with the device. */
export interface LoadedCertificate {
  kind: 'device' | 'head_end';
  usages: readonly CertificateUsage[];
  /** X and Y of the point, in hexadecimal digits. */
  publicKey: string;
  secret: string | null;
  fromMs: number;
  toMs: number;
}

const AS_JSON = `json_build_object('kind', c.kind, 'usages', c.usages, 'publicKey', encode(c.public_key, 'hex'), 'secret', encode(c.private_key_secret, 'hex'),
  'fromMs', (extract(epoch from c.valid_from) * 1000)::float8, 'toMs', (extract(epoch from c.valid_to) * 1000)::float8)`;

/**
 * SQL column with the certificates of a device and the ones that the head-end uses; null unless `isNeeded`. The two are separate statements,
 * because each has an index.
 */
export const certificatesColumn = ({ isNeeded, suite, title }: { isNeeded: string; suite: string; title: string }): string =>
  `case when ${isNeeded} then (select coalesce(json_agg(one), '[]'::json) from (
     select ${AS_JSON} as one from certificate c where c.system_title = ${title} and c.kind = 'device' and c.suite = ${suite}
     union all select ${AS_JSON} from certificate c where c.is_current and c.suite = ${suite}) as loaded) end`;

/** The valid certificate that was issued last, or the reason why there is none. */
function findValid(
  certificates: readonly LoadedCertificate[],
  now: number,
  reasons: { missing: ReasonCode; expired: ReasonCode; detail: string },
): Outcome<LoadedCertificate> {
  if (certificates.length === 0) return failed(reasons.missing, reasons.detail);
  const [newest] = certificates
    .filter(({ fromMs, toMs }) => fromMs <= now && now < toMs)
    .toSorted((a, b) => b.fromMs - a.fromMs || b.toMs - a.toMs);
  return newest === undefined ? failed(reasons.expired, reasons.detail) : ok(newest);
}

/** Opens a sealed private key; undefined: it is sealed with another master key. */
type OpenPrivateKey = (publicKey: Uint8Array, sealed: Uint8Array) => Uint8Array | undefined;

function keysFor(
  certificates: readonly LoadedCertificate[],
  usage: CertificateUsage,
  { now, open }: { now: number; open: OpenPrivateKey },
): Outcome<SigningKeys> {
  const of = (kind: LoadedCertificate['kind']) => certificates.filter((one) => one.kind === kind && one.usages.includes(usage));
  const detail = usage.replace('_', ' ');
  const own = findValid(of('head_end'), now, { missing: 'OWN_CERTIFICATE_MISSING', expired: 'OWN_CERTIFICATE_EXPIRED', detail });
  if (!own.ok) return own;
  const peer = findValid(of('device'), now, { missing: 'CERTIFICATE_MISSING', expired: 'CERTIFICATE_EXPIRED', detail });
  if (!peer.ok) return peer;
  const privateKey = open(Buffer.from(own.value.publicKey, 'hex'), Buffer.from(own.value.secret ?? '', 'hex'));
  if (privateKey === undefined) return failed('OWN_CERTIFICATE_MISSING', 'Its private key is sealed with another master key');
  return ok({ privateKey, peerPublicKey: Buffer.from(peer.value.publicKey, 'hex') });
}

/** Uses of certificates in the associations of a device. */
export interface CertificateUses {
  /** HLS-ECDSA. */
  signsChallenges: boolean;
  /** general-signing. */
  generalSigning: boolean;
  /** general-ciphering with agreed keys. */
  keyAgreement: KeyAgreement;
}

/** Options of an association that come from certificates. */
export interface CertifiedOptions {
  signing?: SigningKeys;
  generalSigning?: boolean;
  generalCiphering?: GeneralKeys;
}

/** Keys for the uses of certificates, or the reason why one is missing. An ephemeral key of one-pass agreement is signed. */
export function certifiedOptions(
  certificates: readonly LoadedCertificate[],
  { signsChallenges, generalSigning, keyAgreement }: CertificateUses,
  { suite, isCiphered, ...tools }: { suite: SecuritySuite; isCiphered: boolean; now: number; open: OpenPrivateKey },
): Outcome<CertifiedOptions> {
  const isProtected = generalSigning || keyAgreement !== 'none';
  if (suite === 0 && (signsChallenges || isProtected)) return failed('SETTING_UNSUPPORTED', 'Certificates in security suite 0');
  if (isProtected && !isCiphered) return failed('SETTING_UNSUPPORTED', RULES.cipheredServices.en);
  const options: CertifiedOptions = generalSigning ? { generalSigning } : {};
  if (signsChallenges || generalSigning || keyAgreement === 'one_pass') {
    const signing = keysFor(certificates, 'digital_signature', tools);
    if (!signing.ok) return signing;
    options.signing = signing.value;
  }
  if (keyAgreement === 'none') return ok(options);
  const agreement = keysFor(certificates, 'key_agreement', tools);
  if (!agreement.ok) return agreement;
  return ok({ ...options, generalCiphering: generalKeys(keyAgreement, agreement.value, options.signing) });
}

function generalKeys(
  kind: Exclude<KeyAgreement, 'none'>,
  { privateKey: agreementKey, peerPublicKey: peerAgreementKey }: SigningKeys,
  signing: SigningKeys | undefined,
): GeneralKeys {
  const keys = { agreementKey, peerAgreementKey, ...(signing ? { peerSigningKey: signing.peerPublicKey } : {}) };
  if (kind === 'static') return { ...keys, choice: { kind, agreementKey, peerAgreementKey } };
  return { ...keys, choice: { kind: 'onePass', signingKey: required(signing, 'signing key').privateKey, peerAgreementKey } };
}
