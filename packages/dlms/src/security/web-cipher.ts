import { equalInConstantTime, GCM_TAG_LENGTH, type Cipher } from './cipher.ts';
import { pkcs8Of, type CurveName } from './web-keys.ts';

/** The part of the Web Cryptography API that is used, so that this package needs no types of a browser. */
export interface WebCrypto {
  readonly subtle: WebSubtle;
  getRandomValues(octets: Uint8Array<ArrayBuffer>): Uint8Array;
}

interface Algorithm {
  name: string;
  [parameter: string]: unknown;
}
type KeyUse = 'encrypt' | 'sign' | 'verify' | 'deriveBits' | 'wrapKey' | 'unwrapKey';

interface WebSubtle {
  importKey(format: 'raw' | 'pkcs8', key: ArrayBuffer, algorithm: Algorithm, extractable: boolean, uses: KeyUse[]): Promise<unknown>;
  exportKey(format: 'raw', key: unknown): Promise<ArrayBuffer>;
  encrypt(algorithm: Algorithm, key: unknown, octets: ArrayBuffer): Promise<ArrayBuffer>;
  digest(algorithm: Algorithm, octets: ArrayBuffer): Promise<ArrayBuffer>;
  sign(algorithm: Algorithm, key: unknown, octets: ArrayBuffer): Promise<ArrayBuffer>;
  verify(algorithm: Algorithm, key: unknown, signature: ArrayBuffer, octets: ArrayBuffer): Promise<boolean>;
  deriveBits(algorithm: Algorithm, key: unknown, bits: number): Promise<ArrayBuffer>;
  wrapKey(format: 'raw', key: unknown, kek: unknown, algorithm: Algorithm): Promise<ArrayBuffer>;
  unwrapKey(
    format: 'raw',
    wrapped: ArrayBuffer,
    kek: unknown,
    algorithm: Algorithm,
    keyAlgorithm: Algorithm,
    extractable: boolean,
    uses: KeyUse[],
  ): Promise<unknown>;
}

/** Thrown to leave the computation until an operation has finished. No code but `withWebCrypto` catches it. */
class Pending {
  readonly result: Promise<unknown>;

  constructor(result: Promise<unknown>) {
    this.result = result;
  }
}

/**
 * Runs a computation that needs a cipher with the asynchronous one of a browser: `withWebCrypto(crypto, (cipher) => unprotect(apdu, { cipher, … }))`.
 * The computation is left at each operation whose result is missing, and runs again from the beginning when it is there. It must therefore
 * be pure: decoders are, associations are not. Rejects with the error of the computation.
 */
export async function withWebCrypto<T>(crypto: WebCrypto, compute: (cipher: Cipher) => T): Promise<T> {
  const results: unknown[] = [];
  for (;;) {
    let used = 0;
    const operate = <R>(begin: () => Promise<R>): R => {
      if (used < results.length) return results[used++] as R; // as: the same operation as in the run before
      throw new Pending(begin());
    };
    try {
      return compute(cipherOf(crypto, operate));
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      results.push(await error.result);
    }
  }
}

type Operate = <R>(begin: () => Promise<R>) => R;

function cipherOf(crypto: WebCrypto, operate: Operate): Cipher {
  const { subtle } = crypto;
  // Arguments are scratch buffers that change as soon as the call returns: `begin` copies them before it awaits anything.
  return {
    seal: (key, iv, aad, plain) => operate(() => seal(subtle, key, iv, aad, plain)),
    open: (key, iv, aad, sealed, from = 0) => operate(() => open(subtle, key, iv, aad, sealed.subarray(from))),
    random: (count) => operate(() => Promise.resolve(crypto.getRandomValues(new Uint8Array(count)))),
    wrapKey: (kek, key) => operate(() => wrap(subtle, kek, key)),
    unwrapKey: (kek, wrapped) => operate(() => unwrap(subtle, kek, wrapped)),
    sha1: (octets) => operate(() => digest(subtle, 'SHA-1', octets)),
    sha256: (octets) => operate(() => digest(subtle, 'SHA-256', octets)),
    sha384: (octets) => operate(() => digest(subtle, 'SHA-384', octets)),
    sign: (privateKey, octets) => operate(() => sign(subtle, privateKey, octets)),
    verify: (publicKey, octets, signature) => operate(() => verify(subtle, publicKey, octets, signature)),
    computeSharedSecret: (privateKey, publicKey) => operate(() => shareSecret(subtle, privateKey, publicKey)),
  };
}

const copyOf = (octets: Uint8Array): ArrayBuffer => new Uint8Array(octets).buffer;
const octetsOf = (buffer: ArrayBuffer): Uint8Array => new Uint8Array(buffer);

/** WebCrypto rejects where a wrapped key is not intact or a point is not on its curve, and tells no reason. */
const orUndefined = <T>(attempt: Promise<T>): Promise<T | undefined> =>
  attempt.then(
    (value) => value,
    () => undefined,
  );

const gcm = (iv: Uint8Array, aad: Uint8Array): Algorithm => ({
  name: 'AES-GCM',
  iv: copyOf(iv),
  additionalData: copyOf(aad),
  tagLength: 8 * GCM_TAG_LENGTH,
});

async function seal(subtle: WebSubtle, key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
  const [algorithm, text] = [gcm(iv, aad), copyOf(plain)];
  const imported = await subtle.importKey('raw', copyOf(key), { name: 'AES-GCM' }, false, ['encrypt']);
  return octetsOf(await subtle.encrypt(algorithm, imported, text));
}

/**
 * Deciphers by encrypting, as GCM is its own inverse but for the tag, and compares the tag of the result: Deno 2.9 refuses to decrypt with a
 * tag of twelve octets.
 */
async function open(
  subtle: WebSubtle,
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (sealed.length < GCM_TAG_LENGTH) return undefined;
  const [expected, parameters] = [sealed.slice(), [key.slice(), iv.slice(), aad.slice()] as const];
  const size = expected.length - GCM_TAG_LENGTH;
  const plain = (await seal(subtle, ...parameters, expected.subarray(0, size))).subarray(0, size);
  const again = await seal(subtle, ...parameters, plain);
  return equalInConstantTime(again, expected) ? plain : undefined;
}

const KEY_WRAP = { name: 'AES-KW' };

async function wrap(subtle: WebSubtle, kek: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  const [wrapping, wrapped] = [copyOf(kek), copyOf(key)];
  const imported = await subtle.importKey('raw', wrapping, KEY_WRAP, false, ['wrapKey']);
  // Only an extractable key may be wrapped; its algorithm does not matter.
  const content = await subtle.importKey('raw', wrapped, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
  return octetsOf(await subtle.wrapKey('raw', content, imported, KEY_WRAP));
}

async function unwrap(subtle: WebSubtle, kek: Uint8Array, wrapped: Uint8Array): Promise<Uint8Array | undefined> {
  const [wrapping, octets] = [copyOf(kek), copyOf(wrapped)];
  const imported = await subtle.importKey('raw', wrapping, KEY_WRAP, false, ['unwrapKey']);
  const content = await orUndefined(subtle.unwrapKey('raw', octets, imported, KEY_WRAP, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']));
  return content === undefined ? undefined : octetsOf(await subtle.exportKey('raw', content));
}

const digest = async (subtle: WebSubtle, name: string, octets: Uint8Array): Promise<Uint8Array> =>
  octetsOf(await subtle.digest({ name }, copyOf(octets)));

const UNCOMPRESSED = 0x04;
/** A public key X ‖ Y as a point. */
const pointOf = (publicKey: Uint8Array): ArrayBuffer => Uint8Array.of(UNCOMPRESSED, ...publicKey).buffer;
const curveOf = (size: number): CurveName => (size === 32 ? 'P-256' : 'P-384');
const ecdsa = (curve: CurveName): Algorithm => ({ name: 'ECDSA', hash: curve === 'P-256' ? 'SHA-256' : 'SHA-384' });

async function sign(subtle: WebSubtle, privateKey: Uint8Array, octets: Uint8Array): Promise<Uint8Array> {
  const namedCurve = curveOf(privateKey.length);
  const [key, content] = [pkcs8Of(privateKey, namedCurve), copyOf(octets)];
  const imported = await subtle.importKey('pkcs8', key, { name: 'ECDSA', namedCurve }, false, ['sign']);
  return octetsOf(await subtle.sign(ecdsa(namedCurve), imported, content));
}

async function verify(subtle: WebSubtle, publicKey: Uint8Array, octets: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const namedCurve = curveOf(publicKey.length / 2);
  const [content, proof] = [copyOf(octets), copyOf(signature)];
  const imported = await orUndefined(subtle.importKey('raw', pointOf(publicKey), { name: 'ECDSA', namedCurve }, false, ['verify']));
  return imported !== undefined && (await subtle.verify(ecdsa(namedCurve), imported, proof, content));
}

async function shareSecret(subtle: WebSubtle, privateKey: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array | undefined> {
  const algorithm = { name: 'ECDH', namedCurve: curveOf(privateKey.length) };
  const [own, point] = [pkcs8Of(privateKey, algorithm.namedCurve), pointOf(publicKey)];
  const peer = await orUndefined(subtle.importKey('raw', point, algorithm, false, []));
  if (peer === undefined) return undefined;
  const imported = await subtle.importKey('pkcs8', own, algorithm, false, ['deriveBits']);
  return octetsOf(await subtle.deriveBits({ name: 'ECDH', public: peer }, imported, 8 * privateKey.length));
}
