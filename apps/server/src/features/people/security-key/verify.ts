import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import type { Attestation } from '@hes/contract/auth/security-key.ts';
import type { Assertion } from '@hes/contract/core/own-proof.ts';
import type { RelyingParty } from './relying-party.ts';
import type { StoredKey } from './key-queries.ts';

/** COSE algorithms: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];

/** The challenge in the answer of a browser, which the caller has to compare; undefined: the answer is malformed. */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    if (typeof parsed !== 'object' || parsed === null || !('challenge' in parsed)) return undefined;
    return typeof parsed.challenge === 'string' ? parsed.challenge : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Certificates of an attestation name addresses that the library would read: an answer with certificates, which the options do not ask for,
 * is refused before it is verified.
 */
function isWithoutCertificates(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

export interface NewKey {
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
}

/** The key of an answer to a registration; undefined: it is refused. */
export async function verifyNewKey(answer: Attestation, challenge: string, party: RelyingParty): Promise<NewKey | undefined> {
  try {
    if (!isWithoutCertificates(answer.response.attestationObject)) return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...answer, response: { ...answer.response, transports: [] }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { credentialId: Buffer.from(id, 'base64url'), publicKey: Buffer.from(publicKey), signCount: counter };
  } catch {
    // The library throws for every mismatch and for malformed octets.
    return undefined;
  }
}

/** A key that counts less than before was copied. Keys that do not count send 0. */
const isCounterBehind = (counter: number, stored: number): boolean => (counter > 0 || stored > 0) && counter <= stored;

/** The new counter of a key whose signature is valid; `copied` if its counter went back; undefined if the signature is refused. */
export async function verifyAssertion(
  key: StoredKey,
  { answer, challenge, party }: { answer: Assertion; challenge: string; party: RelyingParty },
): Promise<number | 'copied' | undefined> {
  try {
    const { userHandle, ...response } = answer.response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...answer,
        response: { ...response, ...(userHandle == null ? {} : { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // Compared below, so that a copied key differs from a wrong signature.
      credential: { id: answer.id, publicKey: new Uint8Array(key.publicKey), counter: 0 },
    });
    if (!verified) return undefined;
    const { newCounter } = authenticationInfo;
    return isCounterBehind(newCounter, key.signCount) ? 'copied' : newCounter;
  } catch {
    return undefined;
  }
}
