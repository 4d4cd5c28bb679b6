import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/** A PEM of a kind that signs firmware; undefined: it is none. */
export function signingKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ec' ? key : undefined;
  } catch {
    // Not a key at all: the caller says so at its field.
    return undefined;
  }
}

/** What kind of key it is, and the hash by which two people tell that they have the same. */
export function describeKey(pem: string): { algorithm: string; fingerprint: string } {
  const key = createPublicKey(pem);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? 'Ed25519' : `ECDSA ${key.asymmetricKeyDetails?.namedCurve ?? ''}`.trim();
  const fingerprint = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return { algorithm, fingerprint };
}

/** Ed25519 over the file itself, ECDSA over its SHA-256 in DER. */
export function isSignedBy(pem: string, file: Uint8Array, signature: string): boolean {
  const key = signingKey(pem);
  if (key === undefined) return false;
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', file, key, Buffer.from(signature, 'base64'));
}
