import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';

/** No wrapper has this version, and no APDU this tag. */
const NOT_DLMS = 0xff;

/** Octets that cannot be taken for anything that DLMS knows. */
export function noise(size: number): Uint8Array {
  const octets = nodeCipher.random(Math.max(1, size));
  octets[0] = NOT_DLMS;
  return octets;
}
