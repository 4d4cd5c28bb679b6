import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { CertificateSuite, CertificateUsage } from '@hes/contract/states/certificate.ts';
import { openPrivateKey } from '#platform/own-key-pairs.ts';
import type { Secrets } from '#platform/secrets.ts';

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

/** Our private key, and the public key X ‖ Y of the device, for one usage. */
export interface CertifiedKeys {
  privateKey: Uint8Array;
  peerPublicKey: Uint8Array;
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
  reasons: { missing: ReasonCode; expired: ReasonCode },
): Outcome<LoadedCertificate> {
  if (certificates.length === 0) return failed(reasons.missing);
  const [newest] = certificates
    .filter(({ fromMs, toMs }) => fromMs <= now && now < toMs)
    .toSorted((a, b) => b.fromMs - a.fromMs || b.toMs - a.toMs);
  return newest === undefined ? failed(reasons.expired) : ok(newest);
}

/** Keys of both sides for a usage. Throws when the private key is sealed with another master key. */
export function certifiedKeys(
  secrets: Secrets,
  certificates: readonly LoadedCertificate[],
  usage: CertificateUsage,
  now: number,
): Outcome<CertifiedKeys> {
  const of = (kind: LoadedCertificate['kind']) => certificates.filter((one) => one.kind === kind && one.usages.includes(usage));
  const own = findValid(of('head_end'), now, { missing: 'OWN_CERTIFICATE_MISSING', expired: 'OWN_CERTIFICATE_EXPIRED' });
  if (!own.ok) return own;
  const peer = findValid(of('device'), now, { missing: 'CERTIFICATE_MISSING', expired: 'CERTIFICATE_EXPIRED' });
  if (!peer.ok) return peer;
  const { publicKey, secret } = own.value;
  const privateKey = openPrivateKey(secrets, Buffer.from(publicKey, 'hex'), Buffer.from(secret ?? '', 'hex'));
  return ok({ privateKey, peerPublicKey: Buffer.from(peer.value.publicKey, 'hex') });
}

/** Suites with certificates. */
export const hasCertificates = (suite: number): suite is CertificateSuite => suite === 1 || suite === 2;
