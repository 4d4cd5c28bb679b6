import { HIGH_CHALLENGE_SIZE } from '../security/hls.ts';

const SIZE = 16;
/** ECDSA signs a digest of 32 octets; the challenge has the same length. */
const SIGNED_SIZE = 32;
const SMALLEST = 8;
const LARGEST = 64;

/** Length of our challenges in octets. */
export const challengeSizeOf = (mechanism: string): number => (mechanism === 'hlsEcdsa' ? SIGNED_SIZE : SIZE);

/** Whether mechanism 2 has one algorithm for this challenge; all other mechanisms take any permitted length. */
export const isAnswerable = (mechanism: string, challenge: Uint8Array): boolean =>
  mechanism !== 'hls' || challenge.length === HIGH_CHALLENGE_SIZE;

/** Whether the challenge of the peer is present and of a permitted length. @spec GB 9.2 */
export const isChallenge = (octets: Uint8Array | undefined): octets is Uint8Array =>
  octets !== undefined && octets.length >= SMALLEST && octets.length <= LARGEST;
