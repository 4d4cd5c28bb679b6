import { gcm } from '@noble/ciphers/aes.js';
import type { Cipher } from '@hes/dlms/entry/root.ts';

/** Octets; DLMS cuts the tag of 16. */
const TAG_SIZE = 12;

/** AES-GCM in JavaScript: that of browsers is asynchronous, and absent on pages without TLS. */
export const browserCipher: Cipher = {
  seal: (key, iv, aad, plain) =>
    gcm(key, iv, aad)
      .encrypt(plain)
      .subarray(0, plain.length + TAG_SIZE),
  open(key, iv, aad, sealed, from = 0) {
    const text = sealed.subarray(from, sealed.length - TAG_SIZE);
    // GCM is its own inverse, but for the tag.
    const plain = gcm(key, iv, aad).encrypt(text).slice(0, text.length);
    const again = browserCipher.seal(key, iv, aad, plain);
    return again.every((octet, at) => octet === sealed[from + at]) ? plain : undefined;
  },
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
