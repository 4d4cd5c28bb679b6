import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { CertifiedKeys } from '@hes/dlms/association/notification.ts';
import type { Device } from './devices.ts';

/** Reasons to refuse a push that is signed or under agreed keys, when its certificates are not at hand. */
export const LACKING_CERTIFICATE = [
  'CERTIFICATE_MISSING',
  'CERTIFICATE_EXPIRED',
  'OWN_CERTIFICATE_MISSING',
  'OWN_CERTIFICATE_EXPIRED',
] as const satisfies readonly ReasonCode[];

/** Keys for pushes that are signed or under agreed keys: those that the type of the device uses in its associations; undefined: it uses none. */
export function certifiedKeysOf({ access }: Pick<Device, 'access'>, ownTitle: Uint8Array): CertifiedKeys | undefined {
  if ('reason' in access) return undefined;
  const { signing, generalCiphering } = access;
  if (signing === undefined && generalCiphering === undefined) return undefined;
  const { agreementKey, peerAgreementKey } = generalCiphering ?? {};
  return {
    ownTitle,
    ...(agreementKey === undefined ? {} : { agreementKey }),
    ...(peerAgreementKey === undefined ? {} : { peerAgreementKey }),
    ...(signing === undefined ? {} : { peerSigningKey: signing.peerPublicKey }),
  };
}

/** Why there are no keys for such a push: the reason that the associations of the device have, or its type does not load certificates. */
export function lackingCertificate({ access }: Pick<Device, 'access'>): (typeof LACKING_CERTIFICATE)[number] {
  const reason = 'reason' in access ? access.reason : undefined;
  return LACKING_CERTIFICATE.find((lacking) => lacking === reason) ?? 'CERTIFICATE_MISSING';
}
