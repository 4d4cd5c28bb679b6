import type { MechanismName } from '../acse/names.ts';
import { concatOctets, equalInConstantTime, required, type Cipher } from './cipher.ts';
import { computeGmacAnswer, verifyGmacAnswer } from './hls-gmac.ts';
import type { SecurityKeys } from './protection.ts';

/** Authentication mechanisms: none, LLS (password), or HLS, in which client and server answer a challenge of the other. */
export type Mechanism = 'none' | 'low' | HlsMechanism;
export type HlsMechanism = 'hls' | 'hlsMd5' | 'hlsSha1' | 'hlsGmac' | 'hlsSha256' | 'hlsEcdsa';

/** The mechanism names in AARQ and AARE. @spec GB 9.4 */
export const MECHANISM_NAMES = {
  none: 'lowest',
  low: 'low',
  hls: 'high',
  hlsMd5: 'highMd5',
  hlsSha1: 'highSha1',
  hlsGmac: 'highGmac',
  hlsSha256: 'highSha256',
  hlsEcdsa: 'highEcdsa',
} as const satisfies Record<Mechanism, MechanismName>;

export const isHls = (mechanism: Mechanism): mechanism is HlsMechanism => mechanism !== 'none' && mechanism !== 'low';

/** Whether the mechanism includes the system titles, which both sides must then send. */
export const usesTitles = (mechanism: Mechanism): boolean =>
  mechanism === 'hlsGmac' || mechanism === 'hlsSha256' || mechanism === 'hlsEcdsa';

/** Input of the answer of one side to the challenge of the other. */
export interface HlsParameters {
  cipher: Cipher;
  mechanism: HlsMechanism;
  /** For `hlsGmac`. */
  keys?: SecurityKeys | undefined;
  suite?: number | undefined;
  /** For `hls`, `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  secret?: Uint8Array | undefined;
  /** System title of the answering side. */
  ownTitle: Uint8Array;
  peerTitle: Uint8Array;
  /** The challenge that the answering side received. */
  challenge: Uint8Array;
  /** The challenge that the answering side sent. */
  otherChallenge: Uint8Array;
}

const BLOCK_SIZE = 16;

/**
 * Octets of a challenge of mechanism 2 (`hls`), and most octets of its password. The standard leaves the algorithm to manufacturers, and
 * known implementations differ for other lengths.
 */
export const HIGH_CHALLENGE_SIZE = BLOCK_SIZE;

/** Returns a credential of the mechanism. Throws `Error` when the configuration lacks it. */
function requireCredential<T>(mechanism: Mechanism, what: string, value: T | undefined): T {
  if (value === undefined) throw new Error(`Mechanism ${mechanism} needs ${what}`);
  return value;
}

const digestInput = ({ ownTitle, peerTitle, challenge, otherChallenge }: HlsParameters): Uint8Array =>
  concatOctets(ownTitle, peerTitle, challenge, otherChallenge);

/** AES-128-ECB of the challenge under the password padded with zeros. */
function encryptedChallenge({ cipher, challenge }: HlsParameters, secret: Uint8Array): Uint8Array {
  const key = new Uint8Array(BLOCK_SIZE);
  key.set(secret);
  return required(cipher.encryptBlocks, 'encryptBlocks')(key, challenge);
}

function digestOf(proof: HlsParameters): Uint8Array {
  const { cipher, mechanism, challenge } = proof;
  const secret = requireCredential(mechanism, 'a password', proof.secret);
  switch (mechanism) {
    case 'hls':
      return encryptedChallenge(proof, secret);
    case 'hlsMd5':
      return required(cipher.md5, 'MD5')(concatOctets(challenge, secret));
    case 'hlsSha1':
      return required(cipher.sha1, 'SHA-1')(concatOctets(challenge, secret));
    default:
      return required(cipher.sha256, 'SHA-256')(concatOctets(secret, digestInput(proof)));
  }
}

/** Throws `Error` when the configuration lacks a credential of the mechanism. Called before anything is sent. */
export function assertCredentials(
  mechanism: Mechanism,
  { password, keys, signing }: { password?: Uint8Array | undefined; keys?: SecurityKeys | undefined; signing?: object | undefined },
): void {
  if (mechanism === 'hlsGmac') requireCredential(mechanism, 'keys', keys);
  else if (mechanism === 'hlsEcdsa') requireCredential(mechanism, 'a private key, and the public key of the peer', signing);
  else if (mechanism !== 'none') {
    const { length } = requireCredential(mechanism, 'a password', password);
    if (mechanism === 'hls' && length > HIGH_CHALLENGE_SIZE)
      throw new Error(`Mechanism hls takes a password of at most ${HIGH_CHALLENGE_SIZE} octets`);
  }
}

/**
 * Computes HLS pass 3 (client, f(StoC)) or pass 4 (server, f(CtoS)). Only `hlsGmac` takes a counter, only `hlsEcdsa` uses `privateKey`.
 * @spec GB 9.2 (HLS authentication mechanisms)
 */
export function computeHlsAnswer(proof: HlsParameters, own: { nextCounter(): number; privateKey?: Uint8Array | undefined }): Uint8Array {
  const { cipher, mechanism, ownTitle: systemTitle, challenge, suite } = proof;
  if (mechanism === 'hlsEcdsa')
    return required(cipher.sign, 'ECDSA')(requireCredential(mechanism, 'a private key', own.privateKey), digestInput(proof));
  if (mechanism !== 'hlsGmac') return digestOf(proof);
  return computeGmacAnswer({
    cipher,
    keys: requireCredential(mechanism, 'keys', proof.keys),
    systemTitle,
    challenge,
    suite,
    counter: own.nextCounter(),
  });
}

/** Verifies the answer of the peer (HLS pass 3 or 4) in constant time. */
export function verifyHlsAnswer(proof: HlsParameters, answer: Uint8Array, publicKey?: Uint8Array): boolean {
  const { cipher, mechanism, ownTitle: systemTitle, challenge, suite } = proof;
  if (mechanism === 'hlsEcdsa')
    return required(cipher.verify, 'ECDSA')(
      requireCredential(mechanism, 'the public key of the peer', publicKey),
      digestInput(proof),
      answer,
    );
  if (mechanism !== 'hlsGmac') return equalInConstantTime(digestOf(proof), answer);
  return (
    verifyGmacAnswer({ cipher, keys: requireCredential(mechanism, 'keys', proof.keys), systemTitle, challenge, suite }, answer) !==
    undefined
  );
}
