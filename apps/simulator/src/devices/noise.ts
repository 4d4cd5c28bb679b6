import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';

/** Neither a wrapper version nor an APDU tag. */
const NOT_DLMS = 0xff;

/** Random octets that cannot be valid DLMS. */
export function noise(size: number): Uint8Array {
  const octets = nodeCipher.random(Math.max(1, size));
  octets[0] = NOT_DLMS;
  return octets;
}
