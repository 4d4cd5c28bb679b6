import { createSecureContext } from 'node:tls';
import type { ClientIdentity } from '#platform/guarded-socket.ts';
import { DeliveryFailed } from './kind.ts';

/** Alerts of TLS (RFC 8446, 6.2) by which a receiver refuses a client certificate or its absence; codes of errors of OpenSSL. */
const CERTIFICATE_ALERT =
  /ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|CERTIFICATE_REQUIRED|ACCESS_DENIED)/;

/** The failure of a receiver that refused the client certificate, or its absence: told by the error or by what caused it. */
export function certificateRefusalOf(error: unknown): DeliveryFailed | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, reason } = error as { code?: unknown; reason?: unknown }; // as: errors of OpenSSL have both
  if (typeof code !== 'string' || !CERTIFICATE_ALERT.test(code)) return certificateRefusalOf(error.cause);
  return new DeliveryFailed('unauthorized', typeof reason === 'string' ? reason : error.message);
}

/** The certificate that the head-end shows to a receiver; undefined: none. Throws `DeliveryFailed` if certificate and key do not belong together. */
export function clientOf(
  { clientCertificate: cert, isEncrypted }: { clientCertificate: string; isEncrypted: boolean },
  { clientKey: key }: { clientKey: string },
): ClientIdentity | undefined {
  if (cert === '' || !isEncrypted) return undefined;
  if (key === '') throw new DeliveryFailed('unauthorized', 'The client certificate has no key');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new DeliveryFailed(
      'unauthorized',
      `The client certificate and its key cannot be used: ${error instanceof Error ? error.message : ''}`,
    );
  }
  return { cert, key };
}
