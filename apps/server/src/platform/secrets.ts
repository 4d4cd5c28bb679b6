import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_OCTETS = 12;
const TAG_OCTETS = 16;
/** Secrets of older versions do not name their key. */
const VERSION_WITHOUT_KEY = 1;
const VERSION = 2;
const KEY_ID_OCTETS = 4;

/** Encryption at rest with the master key: AES-256-GCM, stored as version ‖ key id ‖ iv ‖ tag ‖ ciphertext. */
export interface Secrets {
  /** Names the master key without revealing it: 8 hex digits. */
  readonly keyId: string;
  /** The key that is being replaced; undefined: none is. */
  readonly previous: Secrets | undefined;
  /** First octets of every secret that the current key has sealed. */
  readonly mark: Buffer;
  /** `purpose` binds the secret to its place, so that one row's secret cannot be moved into another: `meter/123/ek`. */
  seal(plain: Uint8Array, purpose: string): Buffer;
  /** Throws when the master key is another one or the secret was moved. */
  open(sealed: Uint8Array, purpose: string): Buffer;
  /** The same secret under the current key. Throws like `open`. */
  renew(sealed: Uint8Array, purpose: string): Buffer;
  /** A key of its own for another use, from the same master key. */
  derive(purpose: string): Buffer;
  /** Keys that proofs are verified with: of the current master key, and of the previous one while it is being replaced. */
  verifiers(purpose: string): [current: Buffer, ...previous: Buffer[]];
  /** A derived key that stays as it is when the master key is replaced. */
  keep(purpose: string, key: Buffer): void;
  isKept(purpose: string): boolean;
  /** The previous key counts no more. */
  forgetPrevious(): void;
}

/** The key of the hashes that chain the audit log and the command log. */
export const chainKeyOf = (secrets: Secrets): Buffer => secrets.derive('chains of logs');

interface Sealed {
  /** Undefined: of an older version. */
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
    // Gives no octets in this mode, and throws when the tag does not fit.
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
