import { fromHex } from '@hes/dlms/codec/hex.ts';
import { readCipheredApdu, unprotect, type CipheredApdu, type SecurityPolicy } from '@hes/dlms/security/protection.ts';
import { nodeCipher } from '../node-cipher.ts';
import type { Open } from './apdu-shape.ts';
import { UsageError } from './usage-error.ts';

/** Keys and sender's system title, in hex, to unprotect APDUs. */
export interface KeyTexts {
  ek?: string | undefined;
  ak?: string | undefined;
  dk?: string | undefined;
  systemTitle?: string | undefined;
}

const KEY_SIZES: ReadonlySet<number> = new Set([16, 32]);
const SYSTEM_TITLE_LENGTH = 8;
const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const SUITE_MASK = 0x0f;

/** Octets of a hex text. Throws `UsageError`. */
export function octetsOfText(name: string, text: string): Uint8Array {
  try {
    return fromHex(text);
  } catch {
    throw new UsageError(`${name}: "${text}" is not hex`, 'write octets as pairs of 0-9 and A-F');
  }
}

function keyOf(name: string, text: string): Uint8Array {
  const key = octetsOfText(name, text);
  if (KEY_SIZES.has(key.length)) return key;
  throw new UsageError(`${name} has ${key.length} octets`, 'a key has 16 octets, or 32 in suite 2');
}

const keyOrNothing = (name: string, text: string | undefined) => (text === undefined ? undefined : keyOf(name, text));

/** Eight octets, in hex or as characters. Throws `UsageError`. */
export function titleOf(text: string): Uint8Array {
  const title =
    text.length === SYSTEM_TITLE_LENGTH ? Uint8Array.from(text, (letter) => letter.charCodeAt(0)) : octetsOfText('system title', text);
  if (title.length === SYSTEM_TITLE_LENGTH) return title;
  throw new UsageError(`the system title has ${title.length} octets`, 'it has 8: 16 hex digits');
}

/** There is no negotiated policy here, so the message states its protection. */
function policyOf({ securityControl }: CipheredApdu): SecurityPolicy {
  if ((securityControl & AUTHENTICATED) === 0) return 'enc';
  return (securityControl & ENCRYPTED) === 0 ? 'auth' : 'authEnc';
}

/** Unprotects with these keys; without them, or without the sender's title, APDUs stay protected. Throws `UsageError`. */
export function openerOf(texts: KeyTexts): Open {
  const ek = keyOrNothing('ek', texts.ek);
  const dedicatedKey = keyOrNothing('dk', texts.dk);
  const ak = keyOrNothing('ak', texts.ak) ?? new Uint8Array(ek?.length ?? 16);
  const title = texts.systemTitle === undefined || texts.systemTitle === '' ? undefined : titleOf(texts.systemTitle);
  return (apdu) => {
    const ciphered = readCipheredApdu(apdu);
    const systemTitle = ciphered.systemTitle ?? title;
    const key = ciphered.dedicated ? dedicatedKey : ek;
    if (systemTitle === undefined || key === undefined) return undefined;
    return unprotect(ciphered, {
      cipher: nodeCipher,
      keys: { ek: ek ?? key, ak },
      dedicatedKey,
      policy: policyOf(ciphered),
      systemTitle,
      lastCounter: -1,
      suite: ciphered.securityControl & SUITE_MASK,
    });
  };
}
