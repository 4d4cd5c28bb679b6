import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { TAG_SIZE, concatOctets, type Cipher } from '@hes/dlms/security/cipher.ts';

const OPTIONS = { authTagLength: TAG_SIZE };
// RFC 3394 2.2.3.1: the value that proves an unwrapped key intact.
const WRAP_IV = new Uint8Array(8).fill(0xa6);

const gcm = (key: Uint8Array) => (key.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm');
const wrap = (key: Uint8Array) => (key.length === 32 ? 'aes256-wrap' : 'aes128-wrap');

/** The cipher port on OpenSSL, by `node:crypto`. */
export const nodeCipher: Cipher = {
  seal(key, iv, aad, plain) {
    const cipher = createCipheriv(gcm(key), key, iv, OPTIONS);
    cipher.setAAD(aad);
    return concatOctets(cipher.update(plain), cipher.final(), cipher.getAuthTag());
  },
  open(key, iv, aad, sealed) {
    if (sealed.length < TAG_SIZE) return undefined;
    const decipher = createDecipheriv(gcm(key), key, iv, OPTIONS);
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_SIZE));
    const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_SIZE));
    return authentic(() => decipher.final()) ? octetsOf(plain) : undefined;
  },
  random: (count) => octetsOf(randomBytes(count)),
  wrapKey(kek, key) {
    const cipher = createCipheriv(wrap(kek), kek, WRAP_IV);
    return concatOctets(cipher.update(key), cipher.final());
  },
  unwrapKey(kek, wrapped) {
    const decipher = createDecipheriv(wrap(kek), kek, WRAP_IV);
    let key: Uint8Array = wrapped;
    return authentic(() => (key = concatOctets(decipher.update(wrapped), decipher.final()))) ? key : undefined;
  },
};

/** Out of Node's hands as a plain array: a Buffer's own `slice` would share memory where an array's copies. */
const octetsOf = ({ buffer, byteOffset, length }: Buffer): Uint8Array => new Uint8Array(buffer, byteOffset, length);

/** OpenSSL tells of an unauthentic text by throwing from its last step, and in no other way. */
function authentic(finish: () => unknown): boolean {
  try {
    finish();
    return true;
  } catch {
    return false;
  }
}
