import type { MechanismName } from '../acse/names.ts';
import { concatOctets, equalInConstantTime, required, type Cipher } from './cipher.ts';
import { computeGmacAnswer, verifyGmacAnswer } from './hls-gmac.ts';
import type { SecurityKeys } from './protection.ts';

/** How a client proves who it is: not at all, by a password, or by answering a challenge, as the server then does too. */
export type Mechanism = 'none' | 'low' | HlsMechanism;
export type HlsMechanism = 'hls' | 'hlsMd5' | 'hlsSha1' | 'hlsGmac' | 'hlsSha256' | 'hlsEcdsa';

/** What the association's APDUs call them. @spec GB 9.4 */
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

/** Whether a mechanism computes with system titles, so that both sides must say theirs. */
export const usesTitles = (mechanism: Mechanism): boolean =>
  mechanism === 'hlsGmac' || mechanism === 'hlsSha256' || mechanism === 'hlsEcdsa';

/** One side's answer to the other's challenge: everything that goes into it. */
export interface HlsParameters {
  cipher: Cipher;
  mechanism: HlsMechanism;
  /** For `hlsGmac`. */
  keys?: SecurityKeys | undefined;
  suite?: number | undefined;
  /** For `hls`, `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  secret?: Uint8Array | undefined;
  /** Of the side that proves itself. */
  ownTitle: Uint8Array;
  peerTitle: Uint8Array;
  /** What the side that proves itself was challenged with. */
  challenge: Uint8Array;
  /** What it challenged the other with. */
  otherChallenge: Uint8Array;
}

const BLOCK_SIZE = 16;

/** What a mechanism computes with. Throws `Error` where whoever configured it left it out. */
function requireCredential<T>(mechanism: Mechanism, what: string, value: T | undefined): T {
  if (value === undefined) throw new Error(`Mechanism ${mechanism} needs ${what}`);
  return value;
}

const digestInput = ({ ownTitle, peerTitle, challenge, otherChallenge }: HlsParameters): Uint8Array =>
  concatOctets(ownTitle, peerTitle, challenge, otherChallenge);

/** The standard leaves this mechanism to manufacturers; what is seen is AES of the challenge, secret and challenge padded with zeros. */
function encryptedChallenge({ cipher, challenge }: HlsParameters, secret: Uint8Array): Uint8Array {
  const key = new Uint8Array(BLOCK_SIZE);
  key.set(secret.subarray(0, BLOCK_SIZE));
  const blocks = new Uint8Array(Math.ceil(challenge.length / BLOCK_SIZE) * BLOCK_SIZE);
  blocks.set(challenge);
  return required(cipher.encryptBlocks, 'encryptBlocks')(key, blocks);
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

/** Throws `Error` when something is missing that a mechanism computes with: told before anything is sent, not by the other side. */
export function assertCredentials(
  mechanism: Mechanism,
  { password, keys, signing }: { password?: Uint8Array | undefined; keys?: SecurityKeys | undefined; signing?: object | undefined },
): void {
  if (mechanism === 'hlsGmac') requireCredential(mechanism, 'keys', keys);
  else if (mechanism === 'hlsEcdsa') requireCredential(mechanism, 'a private key, and the public key of the peer', signing);
  else if (mechanism !== 'none') requireCredential(mechanism, 'a password', password);
}

/**
 * f(StoC) of a client, f(CtoS) of a server. `counter` is only taken by `hlsGmac`, `privateKey` only by `hlsEcdsa`.
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

/** Whether the other side's answer proves its keys, compared in a time that does not tell where it differs. */
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
