import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_OCTETS = 12;
const TAG_OCTETS = 16;
/** Format of older versions, without a key id. */
const VERSION_WITHOUT_KEY = 1;
const VERSION = 2;
const KEY_ID_OCTETS = 4;

/** Encryption at rest with the master key: AES-256-GCM, stored as version ‖ key id ‖ iv ‖ tag ‖ ciphertext. */
export interface Secrets {
  /** Identifies the master key without revealing it: 8 hex digits. */
  readonly keyId: string;
  /** The key that is being replaced; undefined without a rotation. */
  readonly previous: Secrets | undefined;
  /** Prefix of every secret sealed with the current key. */
  readonly mark: Buffer;
  /** Encrypts a secret. `purpose`, such as `meter/123/ek`, binds it to its row: it cannot be moved to another one. */
  seal(plain: Uint8Array, purpose: string): Buffer;
  /** Decrypts a secret. Throws when master key or purpose differ. */
  open(sealed: Uint8Array, purpose: string): Buffer;
  /** Re-encrypts a secret under the current key. Throws like `open`. */
  renew(sealed: Uint8Array, purpose: string): Buffer;
  /** Derives a separate key from the master key. */
  derive(purpose: string): Buffer;
  /** Derived keys for verification: of the current master key, and of the previous one during a rotation. */
  verifiers(purpose: string): [current: Buffer, ...previous: Buffer[]];
  /** Pins a derived key that outlives the master key. */
  keep(purpose: string, key: Buffer): void;
  isKept(purpose: string): boolean;
  /** Ends the use of the previous key. */
  forgetPrevious(): void;
}

/** Key of the hash chains of the audit log and the command log. */
export const chainKeyOf = (secrets: Secrets): Buffer => secrets.derive('chains of logs');

interface Sealed {
  /** Undefined in the format of older versions. */
  mark: Buffer | undefined;
  iv: Uint8Array;
  tag: Uint8Array;
  body: Uint8Array;
}

function partsOf(sealed: Uint8Array, purpose: string): Sealed {
  const [version] = sealed;
  const start = version === VERSION ? 1 + KEY_ID_OCTETS : 1;
  if ((version !== VERSION && version !== VERSION_WITHOUT_KEY) || sealed.length < start + IV_OCTETS + TAG_OCTETS)
    throw new Error(`Not a sealed secret: ${purpose}`);
  const tagAt = start + IV_OCTETS;
  return {
    mark: version === VERSION ? Buffer.from(sealed.subarray(0, start)) : undefined,
    iv: sealed.subarray(start, tagAt),
    tag: sealed.subarray(tagAt, tagAt + TAG_OCTETS),
    body: sealed.subarray(tagAt + TAG_OCTETS),
  };
}

/** `previousKey`: the key that `masterKey` replaces, while secrets sealed with it are still stored. */
export function createSecrets(masterKey: Uint8Array, previousKey?: Uint8Array): Secrets {
  const kept = new Map<string, Buffer>();
  const own = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, 'hes', purpose, 32));
  const derive = (purpose: string) => kept.get(purpose) ?? own(purpose);
  const key = own('secrets at rest');
  const id = own('key id').subarray(0, KEY_ID_OCTETS);
  const mark = Buffer.concat([Buffer.of(VERSION), id]);
  let previous = previousKey === undefined ? undefined : createSecrets(previousKey);

  function openOwn(sealed: Uint8Array, purpose: string): Buffer {
    const { iv, tag, body, mark: found } = partsOf(sealed, purpose);
    if (found !== undefined && !found.equals(mark)) throw new Error(`Not a sealed secret of this master key: ${purpose}`);
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose)).setAuthTag(tag);
    const plain = decipher.update(body);
    // Returns no data in GCM mode; throws when the tag is invalid.
    decipher.final();
    return plain;
  }

  const secrets: Secrets = {
    keyId: id.toString('hex'),
    mark,
    derive,
    get previous() {
      return previous;
    },
    seal(plain, purpose) {
      const iv = randomBytes(IV_OCTETS);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([mark, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, purpose) {
      if (previous === undefined) return openOwn(sealed, purpose);
      try {
        return openOwn(sealed, purpose);
      } catch {
        return previous.open(sealed, purpose);
      }
    },
    renew: (sealed, purpose) =>
      mark.equals(sealed.subarray(0, mark.length)) ? Buffer.from(sealed) : secrets.seal(secrets.open(sealed, purpose), purpose),
    verifiers: (purpose) => [derive(purpose), ...(previous === undefined ? [] : [previous.derive(purpose)])],
    keep: (purpose, derived) => void kept.set(purpose, derived),
    isKept: (purpose) => kept.has(purpose),
    forgetPrevious: () => void (previous = undefined),
  };
  return secrets;
}
