import { decode, encode } from '../codec/codec.ts';
import { DecodeError, type DecodeFault } from '../codec/decode-error.ts';
import { newOctets } from '../codec/new-octets.ts';
import {
  CIPHERED_TAGS,
  PLAIN_TAGS,
  cipheredApdu,
  isCipheredTag,
  serviceCipheredTag,
  type CipheredApduFields,
  type CipheredName,
} from '../xdlms/ciphered.ts';
import { GCM_TAG_LENGTH, SYSTEM_TITLE_LENGTH, concatOctets, required, type Cipher } from './cipher.ts';

/** What is applied to an APDU. `enc` alone has no integrity: it is only used where a device is configured for it. */
export type SecurityPolicy = 'auth' | 'enc' | 'authEnc';

/** Global unicast encryption key and authentication key. */
export interface SecurityKeys {
  ek: Uint8Array;
  ak: Uint8Array;
  /** Global broadcast encryption key, where there is one. */
  bk?: Uint8Array | undefined;
}

/** Which key an APDU is protected with; each has invocation counters of its own. */
export type KeyKind = 'unicast' | 'broadcast' | 'dedicated';

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const BROADCAST_KEY = 0x40;
const COMPRESSED = 0x80;
const SUITE_MASK = 0x0f;
const LAST_COUNTER = 0xffff_ffff;
const GENERAL_CIPHERING = 0xdd;
const GENERAL_SIGNING = 0xdf;
/** Three identifiers of nine octets, lengths, a signed point of P-384 (196 octets), and what every form takes. */
const GENERAL_CIPHERING_OVERHEAD = 256;
/** Octets that a signature adds around a protected APDU, at most: tag, identifiers, two lengths, and a signature of P-384. */
export const SIGNING_OVERHEAD = 1 + 3 * (1 + SYSTEM_TITLE_LENGTH) + 2 + 3 + 1 + 96;
/** Bits of the security control octet. */
export const POLICY_BITS: Record<SecurityPolicy, number> = { auth: AUTHENTICATED, enc: ENCRYPTED, authEnc: AUTHENTICATED | ENCRYPTED };
const NOTHING = new Uint8Array(0);
const IV_SIZE = SYSTEM_TITLE_LENGTH + 4;

/**
 * What is handed to the cipher beside keys and text, written anew for each call: handing over a small array for the first
 * time costs a fifth of what options 1 kB takes, because the engine then has to give it memory outside of its heap.
 */
const outside = (size: number): Uint8Array => new Uint8Array(new ArrayBuffer(size));
const IV = outside(IV_SIZE);
/** Security control and authentication key, of suites 0 and 1, and of suite 2. */
const ASSOCIATED = { short: outside(1 + 16), long: outside(1 + 32) };
const NAMES = new Map(Object.entries(CIPHERED_TAGS).map(([name, tag]) => [tag as number, name as CipheredName])); // as: entries() widens

// Of each service-specific protected tag, the plain one it stands for. @spec GB 9.5
const PLAIN_TAG = new Map<number, number>();
for (const plain of PLAIN_TAGS) {
  for (const key of ['glo', 'ded'] as const) {
    const protectedTag = serviceCipheredTag(plain, key);
    if (protectedTag !== undefined) PLAIN_TAG.set(protectedTag, plain);
  }
}

/** A protected APDU taken apart; nothing in it is proved yet. */
export interface CipheredApdu extends Omit<CipheredApduFields, 'body'> {
  /** All of it. */
  octets: Uint8Array;
  /** Where its body begins, which goes to the end: a view of it would be one more for each APDU. */
  bodyAt: number;
  /** Of the general forms, when it is sent along. */
  systemTitle?: Uint8Array | undefined;
  /** The tag the plain APDU must have; undefined in the general forms, which carry any. */
  plainTag: number | undefined;
  dedicated: boolean;
}

/** Whether the APDU with this first octet is a protected one, in whichever form. */
export const isProtectedTag = (tag: number): boolean => isCipheredTag(tag) || tag === GENERAL_CIPHERING || tag === GENERAL_SIGNING;

/** Octets that protection adds, at most, to an APDU of up to 65,535 octets. */
export function protectionOverhead(form: 'service-specific' | 'general' | 'generalCiphering'): number {
  if (form === 'generalCiphering') return GENERAL_CIPHERING_OVERHEAD;
  // Tag octet, length in three octets, security control, counter, GCM tag; the general form adds its title and that length.
  return 1 + 3 + 1 + 4 + GCM_TAG_LENGTH + (form === 'general' ? 1 + SYSTEM_TITLE_LENGTH : 0);
}

/** What a service-specific tag says, by the tag. */
const SERVICE_FORMS = Array.from({ length: 256 }, (_, tag) => {
  const name = NAMES.get(tag);
  const plainTag = PLAIN_TAG.get(tag);
  return name === undefined || plainTag === undefined ? undefined : { name, plainTag, dedicated: name.startsWith('ded') };
});
/** What the protected form of each service is called, by the tag of the plain one. */
const serviceNames = (key: 'glo' | 'ded') => Array.from({ length: 256 }, (_, tag) => NAMES.get(serviceCipheredTag(tag, key) ?? -1));
const UNDER_GLOBAL_KEY = { service: serviceNames('glo'), general: 'generalGloCiphering' } as const;
const UNDER_DEDICATED_KEY = { service: serviceNames('ded'), general: 'generalDedCiphering' } as const;
const COUNTER_SIZE = 4;
const LONGEST_LENGTH = 0x84;

/**
 * Service-specific forms, which come a million times a day, without a reader; undefined for all others, and for what is
 * broken, which the codec can explain.
 */
function readServiceForm(apdu: Uint8Array): CipheredApdu | undefined {
  const form = SERVICE_FORMS[apdu[0] ?? 0];
  let length = apdu[1] ?? 0;
  let at = 2;
  if (length === 0x80 || length > LONGEST_LENGTH) return undefined;
  if (length > 0x80) {
    const end = at + (length & 0x7f);
    for (length = 0; at < end; at++) length = length * 256 + (apdu[at] ?? 0);
  }
  if (form === undefined || length < 1 + COUNTER_SIZE || at + length !== apdu.length) return undefined;
  const securityControl = apdu[at++] ?? 0;
  let invocationCounter = 0;
  for (let i = 0; i < COUNTER_SIZE; i++) invocationCounter = invocationCounter * 256 + (apdu[at++] ?? 0);
  // Too short for its tag: the codec says where.
  if ((securityControl & AUTHENTICATED) !== 0 && apdu.length - at < GCM_TAG_LENGTH) return undefined;
  const { name, plainTag, dedicated } = form;
  return { name, plainTag, dedicated, systemTitle: undefined, securityControl, invocationCounter, octets: apdu, bodyAt: at };
}

/** Takes a protected APDU apart: service-specific glo and ded, general-glo and general-ded. Throws `DecodeError`. */
export function readCipheredApdu(apdu: Uint8Array): CipheredApdu {
  const simple = readServiceForm(apdu);
  if (simple !== undefined) return simple;
  const ciphered = decode(cipheredApdu, apdu);
  const { name, systemTitle: title } = ciphered;
  if (title !== undefined && title.length !== 0 && title.length !== SYSTEM_TITLE_LENGTH)
    throw new DecodeError({ code: 'BAD_LENGTH', length: title.length }, { offset: 1, path: `${name}.systemTitle` });
  const { securityControl, invocationCounter, body } = ciphered;
  return {
    name,
    securityControl,
    invocationCounter,
    octets: apdu,
    bodyAt: apdu.length - body.length,
    // An empty title means "the one of the association".
    systemTitle: title?.length === SYSTEM_TITLE_LENGTH ? title : undefined,
    plainTag: PLAIN_TAG.get(CIPHERED_TAGS[name]),
    dedicated: name.startsWith('ded') || name === 'generalDedCiphering',
  };
}

/**
 * IV of one APDU: the originator's title and its counter. Throws `RangeError` when the counter is used up: beginning
 * again would repeat an IV, and with it give the key away. @spec GB 9.2
 */
export function initializationVector(systemTitle: Uint8Array, counter: number, iv: Uint8Array = newOctets(IV_SIZE)): Uint8Array {
  if (counter < 0 || counter > LAST_COUNTER) throw new RangeError('The invocation counter is used up: the key has to be changed');
  // By hand: a view for a few octets costs as much as a tenth of options a short APDU.
  for (let i = 0; i < SYSTEM_TITLE_LENGTH; i++) iv[i] = systemTitle[i] ?? 0;
  for (let i = 0; i < 4; i++) iv[SYSTEM_TITLE_LENGTH + i] = counter >>> (24 - 8 * i);
  return iv;
}

/** Everything that decides how one APDU is protected. */
export interface Protection {
  cipher: Cipher;
  keys: SecurityKeys;
  policy: SecurityPolicy;
  /** Of the sender. */
  systemTitle: Uint8Array;
  /** Never used before with this key. */
  counter: number;
  form: 'service-specific' | 'general';
  /** Instead of the global encryption key, for one association. */
  dedicatedKey?: Uint8Array | undefined;
  /** Security suite; 0 when not said. */
  suite?: number | undefined;
  /** Under the broadcast key, which every meter of a utility may have. */
  broadcast?: boolean | undefined;
}

/** The key an ciphered says it is protected with. */
export function keyKindOf({ dedicated, securityControl }: CipheredApdu): KeyKind {
  if (dedicated) return 'dedicated';
  return (securityControl & BROADCAST_KEY) === 0 ? 'unicast' : 'broadcast';
}

/** A plain APDU in its protected form. An APDU without a service-specific tag takes the general form. */
export function protect(plain: Uint8Array, protection: Protection): Uint8Array {
  const { cipher, keys, dedicatedKey, systemTitle, counter } = protection;
  const broadcast = protection.broadcast === true;
  const securityControl = POLICY_BITS[protection.policy] | (broadcast ? BROADCAST_KEY : 0) | (protection.suite ?? 0);
  const key = broadcast ? required(keys.bk, 'broadcast key') : (dedicatedKey ?? keys.ek);
  const iv = initializationVector(systemTitle, counter, IV);
  const body = protectBody(cipher, { key, ak: keys.ak, iv, securityControl }, plain);
  const { service, general } = dedicatedKey === undefined ? UNDER_GLOBAL_KEY : UNDER_DEDICATED_KEY;
  const name = (protection.form === 'service-specific' ? service[plain[0] ?? 0] : undefined) ?? general;
  return encode(cipheredApdu, { name, systemTitle, securityControl, invocationCounter: counter, body });
}

/** What seals and opens the body of one APDU. */
export interface BodyKeys {
  key: Uint8Array;
  ak: Uint8Array;
  iv: Uint8Array;
  securityControl: number;
  /** What general ciphering authenticates beside the service. */
  header?: Uint8Array | undefined;
}

/** What is authenticated but not encrypted, in one piece that is made once: short APDUs cost little else. */
function associatedData(securityControl: number, ak: Uint8Array, header: Uint8Array, plain: Uint8Array): Uint8Array {
  const size = 1 + ak.length + header.length + plain.length;
  const { short, long } = ASSOCIATED;
  const octets = size === short.length ? short : size === long.length ? long : new Uint8Array(size);
  octets[0] = securityControl;
  octets.set(ak, 1);
  if (header.length > 0) octets.set(header, 1 + ak.length);
  if (plain.length > 0) octets.set(plain, 1 + ak.length + header.length);
  return octets;
}

/** Applies protection to an APDU. */
export function protectBody(cipher: Cipher, { key, ak, iv, securityControl, header = NOTHING }: BodyKeys, plain: Uint8Array): Uint8Array {
  if ((securityControl & ENCRYPTED) === 0)
    return concatOctets(plain, cipher.seal(key, iv, associatedData(securityControl, ak, header, plain), NOTHING));
  if ((securityControl & AUTHENTICATED) !== 0) return cipher.seal(key, iv, associatedData(securityControl, ak, header, NOTHING), plain);
  return withoutTag(cipher.seal(key, iv, NOTHING, plain));
}

/** Takes protection away from the body that begins at `from`; undefined when it is not authentic. */
export function unprotectBody(
  cipher: Cipher,
  { key, ak, iv, securityControl, header = NOTHING }: BodyKeys,
  octets: Uint8Array,
  from = 0,
): Uint8Array | undefined {
  // What comes a million times a day is short enough for the engine to put it where it is called. The keys are put together anew
  // for the others: handed on as they are, they would be an object each time.
  if ((securityControl & POLICY_BITS.authEnc) !== POLICY_BITS.authEnc)
    return unprotectPartial(cipher, { key, ak, iv, securityControl, header }, octets, from);
  return cipher.open(key, iv, associatedData(securityControl, ak, header, NOTHING), octets, from);
}

/** The same for a body that is only encrypted, or only authenticated. */
function unprotectPartial(
  cipher: Cipher,
  { key, ak, iv, securityControl, header = NOTHING }: BodyKeys,
  octets: Uint8Array,
  from: number,
): Uint8Array | undefined {
  if ((securityControl & AUTHENTICATED) === 0) {
    // GCM's key stream does not depend on the text: sealing the ciphertext once more gives the plain text.
    return withoutTag(cipher.seal(key, iv, NOTHING, octets.subarray(from)));
  }
  const tagAt = octets.length - GCM_TAG_LENGTH;
  if (tagAt < from) return undefined;
  const plain = octets.subarray(from, tagAt);
  return cipher.open(key, iv, associatedData(securityControl, ak, header, plain), octets, tagAt) && plain;
}

const withoutTag = (sealed: Uint8Array): Uint8Array => sealed.subarray(0, sealed.length - GCM_TAG_LENGTH);

/** What is known about the sender when its APDU is opened. */
export interface UnprotectOptions {
  cipher: Cipher;
  keys: SecurityKeys;
  /** The least that is accepted: everything the policy asks must have been applied. */
  policy: SecurityPolicy;
  /** Of the sender; the caller has compared it with the one in the ciphered. */
  systemTitle: Uint8Array;
  /** Highest counter accepted so far; -1 when none was. */
  lastCounter: number;
  dedicatedKey?: Uint8Array | undefined;
  suite?: number | undefined;
}

/**
 * The proved plain APDU of an ciphered. Throws `DecodeError`: `COUNTER_NOT_RISING` for a replay, `NOT_AUTHENTIC` for
 * wrong keys, changed octets, or an APDU that is not what its tag promised, `BAD_VALUE` for less security than asked.
 */
export function unprotect(ciphered: CipheredApdu, options: UnprotectOptions): Uint8Array {
  const { securityControl, invocationCounter: counter } = ciphered;
  const wanted = POLICY_BITS[options.policy];
  if ((securityControl & COMPRESSED) !== 0) fail({ code: 'BAD_VALUE', reason: 'compression' }, ciphered);
  if ((securityControl & SUITE_MASK) !== (options.suite ?? 0)) fail({ code: 'BAD_VALUE', reason: 'another security suite' }, ciphered);
  if ((securityControl & wanted) !== wanted) fail({ code: 'BAD_VALUE', reason: 'less security than the policy asks' }, ciphered);
  if (counter <= options.lastCounter) fail({ code: 'COUNTER_NOT_RISING', counter, last: options.lastCounter }, ciphered);
  const kind = keyKindOf(ciphered);
  const { bk, ek, ak } = options.keys;
  const key = kind === 'dedicated' ? options.dedicatedKey : kind === 'broadcast' ? bk : ek;
  if (key === undefined) fail({ code: 'BAD_VALUE', reason: `no ${kind} key was agreed` }, ciphered);
  const iv = initializationVector(options.systemTitle, counter, IV);
  const plain = unprotectBody(options.cipher, { key, ak, iv, securityControl }, ciphered.octets, ciphered.bodyAt);
  if (plain === undefined) fail({ code: 'NOT_AUTHENTIC' }, ciphered);
  if (ciphered.plainTag !== undefined && plain[0] !== ciphered.plainTag) fail({ code: 'NOT_AUTHENTIC' }, ciphered);
  return plain;
}

/** Whether this is an APDU under the global unicast key in a service's own form, which is what comes a million times a day. */
export function isUnderGlobalKey(apdu: Uint8Array): boolean {
  const ciphered = readServiceForm(apdu);
  return ciphered !== undefined && (ciphered.securityControl & COMPRESSED) === 0 && keyKindOf(ciphered) === 'unicast';
}

/**
 * The plain text of such an APDU, for who shows what was proved when it came. Nothing is proved here: with another key it is noise.
 * Throws `DecodeError` on what is no protected APDU.
 */
export function decipherUnverified(apdu: Uint8Array, sender: { cipher: Cipher; key: Uint8Array; systemTitle: Uint8Array }): Uint8Array {
  const { cipher, key, systemTitle } = sender;
  const { securityControl, invocationCounter, bodyAt } = readCipheredApdu(apdu);
  const body = apdu.subarray(bodyAt);
  const text = (securityControl & AUTHENTICATED) === 0 ? body : withoutTag(body);
  if ((securityControl & ENCRYPTED) === 0) return text;
  const iv = initializationVector(systemTitle, invocationCounter, IV);
  // Without associated data the proof comes out wrong and the key stream the same.
  return unprotectBody(cipher, { key, ak: NOTHING, iv, securityControl: ENCRYPTED }, text) ?? text;
}

function fail(fault: DecodeFault, ciphered: CipheredApdu): never {
  throw new DecodeError(fault, { offset: 0, path: ciphered.name });
}
