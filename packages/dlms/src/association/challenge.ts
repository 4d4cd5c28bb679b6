const SIZE = 16;
/** A signed challenge is as long as the digest that is signed. */
const SIGNED_SIZE = 32;
const SMALLEST = 8;
const LARGEST = 64;

/** Octets of the challenges we make. */
export const challengeSizeOf = (mechanism: string): number => (mechanism === 'hlsEcdsa' ? SIGNED_SIZE : SIZE);

/** Whether a peer's challenge is there and of a size the standard allows. @spec GB 9.2 */
export const isChallenge = (octets: Uint8Array | undefined): octets is Uint8Array =>
  octets !== undefined && octets.length >= SMALLEST && octets.length <= LARGEST;
