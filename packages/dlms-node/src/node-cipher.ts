import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  hash,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { newOctets } from '@hes/dlms/codec/new-octets.ts';
import { GCM_TAG_LENGTH, concatOctets, type Cipher } from '@hes/dlms/security/cipher.ts';

const OPTIONS = { authTagLength: GCM_TAG_LENGTH };
/** The tag is copied here: a subarray of twelve octets costs several times as much to create and collect. */
const TAG = new Uint8Array(new ArrayBuffer(GCM_TAG_LENGTH));

const POOL_OCTETS = 4096;
let pool: Uint8Array = new Uint8Array(0);

/** Octets of a random page, each used once: a system call per challenge costs more than the challenge. */
function takeRandom(count: number): Uint8Array {
  if (count > POOL_OCTETS) return octetsOf(randomBytes(count));
  if (pool.length < count) pool = octetsOf(randomBytes(POOL_OCTETS));
  const taken = pool.slice(0, count);
  pool = pool.subarray(count);
  return taken;
}
// RFC 3394 2.2.3.1: the initial value, which proves that an unwrapped key is intact.
const WRAP_IV = new Uint8Array(8).fill(0xa6);

const gcm = (key: Uint8Array) => (key.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm');
const wrap = (key: Uint8Array) => (key.length === 32 ? 'aes256-wrap' : 'aes128-wrap');

const P256_SIZE = 32;
const isP256 = (size: number) => size === P256_SIZE;
const curveOf = (privateKey: Uint8Array) => (isP256(privateKey.length) ? 'prime256v1' : 'secp384r1');
const signatureHash = (size: number) => (isP256(size) ? 'sha256' : 'sha384');
const UNCOMPRESSED = 0x04;

/** The public key X ‖ Y of a private key. */
function pointOf(privateKey: Uint8Array): Uint8Array {
  const ecdh = createECDH(curveOf(privateKey));
  ecdh.setPrivateKey(privateKey);
  return octetsOf(ecdh.getPublicKey()).subarray(1);
}

function jwkOf(publicKey: Uint8Array) {
  const size = publicKey.length / 2;
  const [x, y] = [publicKey.subarray(0, size), publicKey.subarray(size)].map((octets) => Buffer.from(octets).toString('base64url'));
  return { kty: 'EC', crv: isP256(size) ? 'P-256' : 'P-384', x: x ?? '', y: y ?? '' };
}

/** The cipher port, implemented with `node:crypto` (OpenSSL). */
export const nodeCipher: Cipher = {
  seal(key, iv, aad, plain) {
    const cipher = createCipheriv(gcm(key), key, iv, OPTIONS);
    cipher.setAAD(aad);
    const sealed = newOctets(plain.length + GCM_TAG_LENGTH);
    // Each OpenSSL call allocates a buffer: a GMAC has no text, and the final block is always empty.
    if (plain.length > 0) sealed.set(cipher.update(plain));
    cipher.final();
    sealed.set(cipher.getAuthTag(), plain.length);
    return sealed;
  },
  open(key, iv, aad, sealed, from = 0) {
    const tagAt = sealed.length - GCM_TAG_LENGTH;
    if (tagAt < from) return undefined;
    // Read first, to prefetch the far end of the buffer while the decipher is created.
    for (let i = 0; i < GCM_TAG_LENGTH; i++) TAG[i] = sealed[tagAt + i] ?? 0;
    const decipher = createDecipheriv(gcm(key), key, iv, OPTIONS);
    decipher.setAAD(aad);
    decipher.setAuthTag(TAG);
    const plain = decipher.update(sealed.subarray(from, tagAt));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return octetsOf(plain);
  },
  random: (count) => takeRandom(count),
  wrapKey(kek, key) {
    const cipher = createCipheriv(wrap(kek), kek, WRAP_IV);
    return concatOctets(cipher.update(key), cipher.final());
  },
  unwrapKey(kek, wrapped) {
    const decipher = createDecipheriv(wrap(kek), kek, WRAP_IV);
    let key: Uint8Array = wrapped;
    return authentic(() => (key = concatOctets(decipher.update(wrapped), decipher.final()))) ? key : undefined;
  },
  encryptBlocks(key, blocks) {
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    return concatOctets(cipher.update(blocks), cipher.final());
  },
  md5: (octets) => octetsOf(hash('md5', octets, 'buffer')),
  sha1: (octets) => octetsOf(hash('sha1', octets, 'buffer')),
  sha256: (octets) => octetsOf(hash('sha256', octets, 'buffer')),
  sha384: (octets) => octetsOf(hash('sha384', octets, 'buffer')),
  sign(privateKey, octets) {
    const d = Buffer.from(privateKey).toString('base64url');
    const key = createPrivateKey({ key: { ...jwkOf(pointOf(privateKey)), d }, format: 'jwk' });
    return octetsOf(sign(signatureHash(privateKey.length), octets, { key, dsaEncoding: 'ieee-p1363' }));
  },
  verify(publicKey, octets, signature) {
    if (signature.length !== publicKey.length) return false;
    let proved = false;
    const attempt = () => {
      const key = createPublicKey({ key: jwkOf(publicKey), format: 'jwk' });
      proved = verify(signatureHash(publicKey.length / 2), octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
    };
    return authentic(attempt) && proved;
  },
  computeSharedSecret(privateKey, publicKey) {
    const ecdh = createECDH(curveOf(privateKey));
    ecdh.setPrivateKey(privateKey);
    let secret: Uint8Array | undefined;
    return authentic(() => (secret = octetsOf(ecdh.computeSecret(concatOctets(Uint8Array.of(UNCOMPRESSED), publicKey)))))
      ? secret
      : undefined;
  },
  publicKeyOf: pointOf,
};

/** A plain array: `Buffer.slice` shares memory, `Uint8Array.slice` copies. */
const octetsOf = ({ buffer, byteOffset, length }: Buffer): Uint8Array => new Uint8Array(buffer, byteOffset, length);

/** OpenSSL reports a failed authentication only by throwing from `final`. */
function authentic(finish: () => unknown): boolean {
  try {
    finish();
    return true;
  } catch {
    return false;
  }
}
