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
import { compress, COMPRESSED, decompress, reasonAgainstCompression, uncompressed } from './compression.ts';
import { GCM_TAG_LENGTH, SYSTEM_TITLE_LENGTH, concatOctets, required, type Cipher } from './cipher.ts';

/** The protection of an APDU. `enc` alone gives no integrity; use it only for devices that are configured for it. */
export type SecurityPolicy = 'auth' | 'enc' | 'authEnc';

/** Global unicast encryption key and authentication key. */
export interface SecurityKeys {
  ek: Uint8Array;
  ak: Uint8Array;
  /** Global broadcast encryption key, if the device has one. */
  bk?: Uint8Array | undefined;
}

/** The key that protects an APDU. Each has separate invocation counters. */
export type KeyKind = 'unicast' | 'broadcast' | 'dedicated';

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const BROADCAST_KEY = 0x40;
const SUITE_MASK = 0x0f;
const LAST_COUNTER = 0xffff_ffff;
const GENERAL_CIPHERING = 0xdd;
const GENERAL_SIGNING = 0xdf;
/** Three identifiers of nine octets, lengths, a signed P-384 point (196 octets), and the fields of every form. */
const GENERAL_CIPHERING_OVERHEAD = 256;
/**
 * Maximum octets that general signing adds: tag, identifiers, two empty fields, the lengths of content and signature, a P-384 signature.
 */
export const SIGNING_OVERHEAD = 1 + 3 * (1 + SYSTEM_TITLE_LENGTH) + 2 + 3 + 1 + 96;
/** Bits of the security control octet. */
export const POLICY_BITS: Record<SecurityPolicy, number> = { auth: AUTHENTICATED, enc: ENCRYPTED, authEnc: AUTHENTICATED | ENCRYPTED };
const NOTHING = new Uint8Array(0);
const IV_SIZE = SYSTEM_TITLE_LENGTH + 4;

/**
 * Scratch buffers for the arguments of the cipher, overwritten by each call. A small array on the V8 heap costs about 20 % of deciphering
 * 1 kB on first use, because V8 then moves it to off-heap memory.
 */
const outside = (size: number): Uint8Array => new Uint8Array(new ArrayBuffer(size));
const IV = outside(IV_SIZE);
/** Security control ‖ authentication key: `short` for suites 0 and 1, `long` for suite 2. */
const ASSOCIATED = { short: outside(1 + 16), long: outside(1 + 32) };
const NAMES = new Map(Object.entries(CIPHERED_TAGS).map(([name, tag]) => [tag as number, name as CipheredName])); // as: entries() widens

// Maps each service-specific ciphered tag to its plain tag.
const PLAIN_TAG = new Map<number, number>();
for (const plain of PLAIN_TAGS) {
  for (const key of ['glo', 'ded'] as const) {
    const protectedTag = serviceCipheredTag(plain, key);
    if (protectedTag !== undefined) PLAIN_TAG.set(protectedTag, plain);
  }
}

/** A parsed ciphered APDU. Nothing in it is authenticated yet. */
export interface CipheredApdu extends Omit<CipheredApduFields, 'body'> {
  /** The whole APDU. */
  octets: Uint8Array;
  /** Offset of the body, which extends to the end. A subarray would be one more allocation per APDU. */
  bodyAt: number;
  /** Only in the general forms, and only when it is present. */
  systemTitle?: Uint8Array | undefined;
  /** The tag that the plain APDU must have; undefined in the general forms, which carry any APDU. */
  plainTag: number | undefined;
  dedicated: boolean;
}

/** Whether this first octet begins a protected APDU of any form. */
export const isProtectedTag = (tag: number): boolean => isCipheredTag(tag) || tag === GENERAL_CIPHERING || tag === GENERAL_SIGNING;

/** Maximum octets that protection adds to an APDU of up to 65,535 octets. */
export function protectionOverhead(form: 'service-specific' | 'general' | 'generalCiphering'): number {
  if (form === 'generalCiphering') return GENERAL_CIPHERING_OVERHEAD;
  // Tag, length in three octets, security control, counter and GCM tag; the general form adds the system title with its length.
  return 1 + 3 + 1 + 4 + GCM_TAG_LENGTH + (form === 'general' ? 1 + SYSTEM_TITLE_LENGTH : 0);
}

/** Properties of each service-specific ciphered tag. */
const SERVICE_FORMS = Array.from({ length: 256 }, (_, tag) => {
  const name = NAMES.get(tag);
  const plainTag = PLAIN_TAG.get(tag);
  return name === undefined || plainTag === undefined ? undefined : { name, plainTag, dedicated: name.startsWith('ded') };
});
/** Names of the service-specific forms, indexed by the plain tag. */
const serviceNames = (key: 'glo' | 'ded') => Array.from({ length: 256 }, (_, tag) => NAMES.get(serviceCipheredTag(tag, key) ?? -1));
const UNDER_GLOBAL_KEY = { service: serviceNames('glo'), general: 'generalGloCiphering' } as const;
const UNDER_DEDICATED_KEY = { service: serviceNames('ded'), general: 'generalDedCiphering' } as const;
const COUNTER_SIZE = 4;
const LONGEST_LENGTH = 0x84;

/**
 * Fast path for service-specific forms, by far the most frequent. Undefined for other forms and for broken octets, for which the codec
 * reports the error.
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
  // Shorter than a GCM tag: the codec reports the offset.
  if ((securityControl & AUTHENTICATED) !== 0 && apdu.length - at < GCM_TAG_LENGTH) return undefined;
  const { name, plainTag, dedicated } = form;
  return { name, plainTag, dedicated, systemTitle: undefined, securityControl, invocationCounter, octets: apdu, bodyAt: at };
}

/** Parses a ciphered APDU: service-specific glo and ded, general-glo and general-ded. Throws `DecodeError`. */
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
    // An empty title means the title agreed in the association.
    systemTitle: title?.length === SYSTEM_TITLE_LENGTH ? title : undefined,
    plainTag: PLAIN_TAG.get(CIPHERED_TAGS[name]),
    dedicated: name.startsWith('ded') || name === 'generalDedCiphering',
  };
}

/**
 * The IV of one APDU: system title of the originator ‖ counter. Throws `RangeError` when the counter is exhausted, because a repeated IV
 * breaks AES-GCM.
 * @spec GB 9.2
 */
export function initializationVector(systemTitle: Uint8Array, counter: number, iv: Uint8Array = newOctets(IV_SIZE)): Uint8Array {
  if (counter < 0 || counter > LAST_COUNTER) throw new RangeError('The invocation counter is exhausted: change the key');
  // A loop: a subarray of a few octets costs about a tenth of deciphering a short APDU.
  for (let i = 0; i < SYSTEM_TITLE_LENGTH; i++) iv[i] = systemTitle[i] ?? 0;
  for (let i = 0; i < 4; i++) iv[SYSTEM_TITLE_LENGTH + i] = counter >>> (24 - 8 * i);
  return iv;
}

/** Parameters that protect one APDU. */
export interface Protection {
  cipher: Cipher;
  keys: SecurityKeys;
  policy: SecurityPolicy;
  /** System title of the sender. */
  systemTitle: Uint8Array;
  /** Must be unique per key. */
  counter: number;
  form: 'service-specific' | 'general';
  /** Replaces the global encryption key for one association. */
  dedicatedKey?: Uint8Array | undefined;
  /** Security suite; defaults to 0. */
  suite?: number | undefined;
  /** Compress the APDU by V.44 first, if that makes it shorter. Suites 1 and 2 only, and not with encryption alone. */
  compressed?: boolean | undefined;
  /** Use the broadcast key, which every meter of a utility may hold. */
  broadcast?: boolean | undefined;
}

/** The key that the security control octet and the tag select. */
export function keyKindOf({ dedicated, securityControl }: CipheredApdu): KeyKind {
  if (dedicated) return 'dedicated';
  return (securityControl & BROADCAST_KEY) === 0 ? 'unicast' : 'broadcast';
}

/** Protects a plain APDU. An APDU without a service-specific tag takes the general form. */
export function protect(plain: Uint8Array, protection: Protection): Uint8Array {
  const { cipher, keys, dedicatedKey, systemTitle, counter } = protection;
  const broadcast = protection.broadcast === true;
  const { suite = 0, policy, compressed = false } = protection;
  const { content, flag } = compressed ? compress(plain, suite, POLICY_BITS[policy]) : uncompressed(plain);
  const securityControl = POLICY_BITS[policy] | (broadcast ? BROADCAST_KEY : 0) | flag | suite;
  const key = broadcast ? required(keys.bk, 'broadcast key') : (dedicatedKey ?? keys.ek);
  const iv = initializationVector(systemTitle, counter, IV);
  const body = protectBody(cipher, { key, ak: keys.ak, iv, securityControl }, content);
  const { service, general } = dedicatedKey === undefined ? UNDER_GLOBAL_KEY : UNDER_DEDICATED_KEY;
  const name = (protection.form === 'service-specific' ? service[plain[0] ?? 0] : undefined) ?? general;
  return encode(cipheredApdu, { name, systemTitle, securityControl, invocationCounter: counter, body });
}

/** Key material that protects or unprotects the body of one APDU. */
export interface BodyKeys {
  key: Uint8Array;
  ak: Uint8Array;
  iv: Uint8Array;
  securityControl: number;
  /** Additional authenticated data of general ciphering. */
  header?: Uint8Array | undefined;
}

/** Associated data in one buffer, reused for the usual sizes: its allocation dominates the cost of short APDUs. */
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

/** Encrypts and authenticates a body as the security control octet states. */
export function protectBody(cipher: Cipher, { key, ak, iv, securityControl, header = NOTHING }: BodyKeys, plain: Uint8Array): Uint8Array {
  if ((securityControl & ENCRYPTED) === 0)
    return concatOctets(plain, cipher.seal(key, iv, associatedData(securityControl, ak, header, plain), NOTHING));
  if ((securityControl & AUTHENTICATED) !== 0) return cipher.seal(key, iv, associatedData(securityControl, ak, header, NOTHING), plain);
  return withoutTag(cipher.seal(key, iv, NOTHING, plain));
}

/** Deciphers and verifies the body that begins at `from`; undefined when it is not authentic. */
export function unprotectBody(
  cipher: Cipher,
  { key, ak, iv, securityControl, header = NOTHING }: BodyKeys,
  octets: Uint8Array,
  from = 0,
): Uint8Array | undefined {
  // Kept small so that V8 inlines the common case. The other cases build a new object here, because passing the argument through would
  // prevent scalar replacement.
  if ((securityControl & POLICY_BITS.authEnc) !== POLICY_BITS.authEnc)
    return unprotectPartial(cipher, { key, ak, iv, securityControl, header }, octets, from);
  return cipher.open(key, iv, associatedData(securityControl, ak, header, NOTHING), octets, from);
}

/** Handles bodies that are only encrypted or only authenticated. */
function unprotectPartial(
  cipher: Cipher,
  { key, ak, iv, securityControl, header = NOTHING }: BodyKeys,
  octets: Uint8Array,
  from: number,
): Uint8Array | undefined {
  if ((securityControl & AUTHENTICATED) === 0) {
    // The GCM key stream does not depend on the text, so encrypting the ciphertext yields the plaintext.
    return withoutTag(cipher.seal(key, iv, NOTHING, octets.subarray(from)));
  }
  const tagAt = octets.length - GCM_TAG_LENGTH;
  if (tagAt < from) return undefined;
  const plain = octets.subarray(from, tagAt);
  return cipher.open(key, iv, associatedData(securityControl, ak, header, plain), octets, tagAt) && plain;
}

const withoutTag = (sealed: Uint8Array): Uint8Array => sealed.subarray(0, sealed.length - GCM_TAG_LENGTH);

/** Keys and state of the receiver of a protected APDU. */
export interface UnprotectOptions {
  cipher: Cipher;
  keys: SecurityKeys;
  /** Minimum protection that is accepted. */
  policy: SecurityPolicy;
  /** System title of the sender; the caller has compared it with the title in the APDU. */
  systemTitle: Uint8Array;
  /** Highest counter accepted so far; -1 for none. */
  lastCounter: number;
  dedicatedKey?: Uint8Array | undefined;
  suite?: number | undefined;
}

/**
 * Verifies and deciphers an APDU. Throws `DecodeError`: `COUNTER_NOT_RISING` for a replay, `NOT_AUTHENTIC` for wrong keys, changed octets
 * or a plain tag other than the ciphered one, `BAD_VALUE` for compression in suite 0 or without authentication, another suite, a missing key, or less protection than the policy
 * requires.
 */
export function unprotect(ciphered: CipheredApdu, options: UnprotectOptions): Uint8Array {
  const { securityControl, invocationCounter: counter } = ciphered;
  const wanted = POLICY_BITS[options.policy];
  const isCompressed = (securityControl & COMPRESSED) !== 0;
  const why = isCompressed ? reasonAgainstCompression(options.suite ?? 0, securityControl) : undefined;
  if (why !== undefined) fail({ code: 'BAD_VALUE', reason: why }, ciphered);
  if ((securityControl & SUITE_MASK) !== (options.suite ?? 0)) fail({ code: 'BAD_VALUE', reason: 'another security suite' }, ciphered);
  if ((securityControl & wanted) !== wanted) fail({ code: 'BAD_VALUE', reason: 'less protection than the policy requires' }, ciphered);
  if (counter <= options.lastCounter) fail({ code: 'COUNTER_NOT_RISING', counter, last: options.lastCounter }, ciphered);
  const kind = keyKindOf(ciphered);
  const { bk, ek, ak } = options.keys;
  const key = kind === 'dedicated' ? options.dedicatedKey : kind === 'broadcast' ? bk : ek;
  if (key === undefined) fail({ code: 'BAD_VALUE', reason: `no ${kind} key was agreed` }, ciphered);
  const iv = initializationVector(options.systemTitle, counter, IV);
  const content = unprotectBody(options.cipher, { key, ak, iv, securityControl }, ciphered.octets, ciphered.bodyAt);
  if (content === undefined) fail({ code: 'NOT_AUTHENTIC' }, ciphered);
  const plain = isCompressed ? decompress(content) : content;
  if (ciphered.plainTag !== undefined && plain[0] !== ciphered.plainTag) fail({ code: 'NOT_AUTHENTIC' }, ciphered);
  return plain;
}

/** Whether this is a service-specific APDU under the global unicast key, the most frequent form. */
export function isUnderGlobalKey(apdu: Uint8Array): boolean {
  const ciphered = readServiceForm(apdu);
  return ciphered !== undefined && (ciphered.securityControl & COMPRESSED) === 0 && keyKindOf(ciphered) === 'unicast';
}

/**
 * Deciphers a stored APDU without verification, for display; a wrong key yields noise. Throws `DecodeError` on an APDU that is not
 * protected.
 */
export function decipherUnverified(apdu: Uint8Array, sender: { cipher: Cipher; key: Uint8Array; systemTitle: Uint8Array }): Uint8Array {
  const { cipher, key, systemTitle } = sender;
  const { securityControl, invocationCounter, bodyAt } = readCipheredApdu(apdu);
  const body = apdu.subarray(bodyAt);
  const text = (securityControl & AUTHENTICATED) === 0 ? body : withoutTag(body);
  if ((securityControl & ENCRYPTED) === 0) return text;
  const iv = initializationVector(systemTitle, invocationCounter, IV);
  // Without associated data the tag does not match, but the key stream is the same.
  return unprotectBody(cipher, { key, ak: NOTHING, iv, securityControl: ENCRYPTED }, text) ?? text;
}

function fail(fault: DecodeFault, ciphered: CipheredApdu): never {
  throw new DecodeError(fault, { offset: 0, path: ciphered.name });
}
