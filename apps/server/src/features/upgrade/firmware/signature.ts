import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/** Parses a public key in PEM; undefined unless it is Ed25519 or EC. */
export function signingKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ec' ? key : undefined;
  } catch {
    // The text is no key: the caller reports it at its field.
    return undefined;
  }
}

/** Algorithm and fingerprint of a key; two people compare fingerprints to verify that they have the same key. */
export function describeKey(pem: string): { algorithm: string; fingerprint: string } {
  const key = createPublicKey(pem);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? 'Ed25519' : `ECDSA ${key.asymmetricKeyDetails?.namedCurve ?? ''}`.trim();
  const fingerprint = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return { algorithm, fingerprint };
}

/** Verifies Ed25519 over the file itself, or ECDSA in DER over its SHA-256. */
export function isSignedBy(pem: string, file: Uint8Array, signature: string): boolean {
  const key = signingKey(pem);
  if (key === undefined) return false;
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', file, key, Buffer.from(signature, 'base64'));
}
