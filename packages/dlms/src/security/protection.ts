import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { DecodeError, type DecodeFault } from '../codec/decode-error.ts';
import { TAG_SIZE, TITLE_SIZE, concatOctets, type Cipher } from './cipher.ts';

/** What is applied to an APDU. `enc` alone has no integrity: it is only used where a device is configured for it. */
export type SecurityPolicy = 'auth' | 'enc' | 'authEnc';

/** Global unicast encryption key and authentication key. */
export interface SecurityKeys {
  ek: Uint8Array;
  ak: Uint8Array;
}

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const BROADCAST_KEY = 0x40;
const COMPRESSED = 0x80;
const SUITE_MASK = 0x0f;
const POLICY_BITS: Record<SecurityPolicy, number> = { auth: AUTHENTICATED, enc: ENCRYPTED, authEnc: AUTHENTICATED | ENCRYPTED };

const GENERAL_GLO = 0xdb;
const GENERAL_DED = 0xdc;
const NOTHING = new Uint8Array(0);

// Of each protected tag, the plain one it stands for. @spec GB 9.5
const GLO_OF = new Map([
  [0x01, 0x21],
  [0x08, 0x28],
  [0x0e, 0x2e],
  ...Array.from({ length: 8 }, (_, i): [number, number] => [0xc0 + i, 0xc8 + i]),
]);
const DED_OF = new Map([
  [0x01, 0x41],
  [0x08, 0x48],
  [0x0e, 0x4e],
  ...Array.from({ length: 8 }, (_, i): [number, number] => [0xc0 + i, 0xd0 + i]),
]);
const PLAIN_OF_GLO = new Map([...GLO_OF].map(([plain, glo]) => [glo, plain]));
const PLAIN_OF_DED = new Map([...DED_OF].map(([plain, ded]) => [ded, plain]));

/** A protected APDU taken apart; nothing in it is proved yet. */
export interface Envelope {
  form: 'glo' | 'ded' | 'generalGlo' | 'generalDed';
  /** The tag the plain APDU must have; undefined in the general forms, which carry any. */
  plainTag: number | undefined;
  /** Of the general forms, when it is sent along. */
  systemTitle: Uint8Array | undefined;
  securityControl: number;
  counter: number;
  /** Ciphertext (or plain text, when only authenticated) and tag. */
  body: Uint8Array;
  /** Where the body begins in the APDU, for error messages. */
  bodyOffset: number;
}

/** Octets that the largest header and the tag add to an APDU of up to 65,535 octets. */
export function protectionOverhead(form: 'glo' | 'general'): number {
  // Tag octet, length in three octets, security control, counter, GCM tag; the general form adds its title and that length.
  return 1 + 3 + 5 + TAG_SIZE + (form === 'general' ? 1 + TITLE_SIZE : 0);
}

/** Whether an APDU with this first octet is a protected one that `readEnvelope` understands. */
export function isProtectedTag(tag: number): boolean {
  return tag === GENERAL_GLO || tag === GENERAL_DED || PLAIN_OF_GLO.has(tag) || PLAIN_OF_DED.has(tag);
}

function formOf(tag: number): Pick<Envelope, 'form' | 'plainTag'> | undefined {
  if (tag === GENERAL_GLO) return { form: 'generalGlo', plainTag: undefined };
  if (tag === GENERAL_DED) return { form: 'generalDed', plainTag: undefined };
  const glo = PLAIN_OF_GLO.get(tag);
  if (glo !== undefined) return { form: 'glo', plainTag: glo };
  const ded = PLAIN_OF_DED.get(tag);
  return ded === undefined ? undefined : { form: 'ded', plainTag: ded };
}

/** Takes a protected APDU apart: service-specific glo and ded, general-glo and general-ded. Throws `DecodeError`. */
export function readEnvelope(apdu: Uint8Array): Envelope {
  const input = new ByteReader(apdu);
  const tag = input.uint8();
  const kind = formOf(tag) ?? input.fail({ code: 'UNKNOWN_TAG', tag }, 0);
  return input.field('protected', () => {
    const general = kind.plainTag === undefined;
    const systemTitle = general ? input.field('systemTitle', () => readTitle(input)) : undefined;
    const at = input.offset;
    const size = input.length();
    input.need(size);
    if (size < 5) input.fail({ code: 'BAD_LENGTH', length: size }, at);
    const securityControl = input.uint8();
    const counter = input.uint32();
    const bodyOffset = input.offset;
    const body = input.bytes(size - 5);
    input.done();
    return { ...kind, systemTitle, securityControl, counter, body, bodyOffset };
  });
}

/** An empty title means "the one of the association". */
function readTitle(input: ByteReader): Uint8Array | undefined {
  const at = input.offset;
  const size = input.length();
  if (size !== 0 && size !== TITLE_SIZE) input.fail({ code: 'BAD_LENGTH', length: size }, at);
  return size === 0 ? undefined : input.bytes(size);
}

/** IV of one APDU: the originator's title and its counter. @spec GB 9.2 */
export function initializationVector(systemTitle: Uint8Array, counter: number): Uint8Array {
  const iv = new Uint8Array(TITLE_SIZE + 4);
  iv.set(systemTitle.subarray(0, TITLE_SIZE), 0);
  new DataView(iv.buffer).setUint32(TITLE_SIZE, counter);
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
  form: 'glo' | 'general';
  /** Instead of the global encryption key, for one association. */
  dedicatedKey?: Uint8Array | undefined;
  /** Security suite; 0 when not said. */
  suite?: number | undefined;
}

/** A plain APDU in its protected form. An APDU without a service-specific tag takes the general form. */
export function protect(plain: Uint8Array, protection: Protection): Uint8Array {
  const { cipher, keys, dedicatedKey, systemTitle, counter } = protection;
  const securityControl = POLICY_BITS[protection.policy] | (protection.suite ?? 0);
  const key = dedicatedKey ?? keys.ek;
  const iv = initializationVector(systemTitle, counter);
  const specific = (dedicatedKey === undefined ? GLO_OF : DED_OF).get(plain[0] ?? 0);
  const body = sealBody(cipher, { key, ak: keys.ak, iv, securityControl }, plain);
  const out = new ByteWriter(body.length + protectionOverhead('general'));
  if (protection.form === 'general' || specific === undefined) {
    out.uint8(dedicatedKey === undefined ? GENERAL_GLO : GENERAL_DED);
    out.length(systemTitle.length);
    out.bytes(systemTitle);
  } else out.uint8(specific);
  out.length(5 + body.length);
  out.uint8(securityControl);
  out.uint32(counter);
  out.bytes(body);
  return out.finish();
}

interface BodyKeys {
  key: Uint8Array;
  ak: Uint8Array;
  iv: Uint8Array;
  securityControl: number;
}

function sealBody(cipher: Cipher, { key, ak, iv, securityControl }: BodyKeys, plain: Uint8Array): Uint8Array {
  const control = Uint8Array.of(securityControl);
  if ((securityControl & ENCRYPTED) === 0) return concatOctets(plain, cipher.seal(key, iv, concatOctets(control, ak, plain), NOTHING));
  if ((securityControl & AUTHENTICATED) !== 0) return cipher.seal(key, iv, concatOctets(control, ak), plain);
  return withoutTag(cipher.seal(key, iv, NOTHING, plain));
}

function openBody(cipher: Cipher, { key, ak, iv, securityControl }: BodyKeys, body: Uint8Array): Uint8Array | undefined {
  const control = Uint8Array.of(securityControl);
  if ((securityControl & AUTHENTICATED) === 0) {
    // GCM's key stream does not depend on the text: sealing the ciphertext once more gives the plain text.
    return withoutTag(cipher.seal(key, iv, NOTHING, body));
  }
  if (body.length < TAG_SIZE) return undefined;
  if ((securityControl & ENCRYPTED) !== 0) return cipher.open(key, iv, concatOctets(control, ak), body);
  const plain = withoutTag(body);
  return cipher.open(key, iv, concatOctets(control, ak, plain), body.subarray(plain.length)) && plain;
}

const withoutTag = (sealed: Uint8Array): Uint8Array => sealed.subarray(0, sealed.length - TAG_SIZE);

/** What is known about the sender when its APDU is opened. */
export interface Opening {
  cipher: Cipher;
  keys: SecurityKeys;
  /** The least that is accepted: everything the policy asks must have been applied. */
  policy: SecurityPolicy;
  /** Of the sender; the caller has compared it with the one in the envelope. */
  systemTitle: Uint8Array;
  /** Highest counter accepted so far; -1 when none was. */
  lastCounter: number;
  dedicatedKey?: Uint8Array | undefined;
  suite?: number | undefined;
}

/**
 * The proved plain APDU of an envelope. Throws `DecodeError`: `COUNTER_NOT_RISING` for a replay, `NOT_AUTHENTIC` for
 * wrong keys, changed octets, or an APDU that is not what its tag promised, `BAD_VALUE` for less security than asked.
 */
export function unprotect(envelope: Envelope, opening: Opening): Uint8Array {
  const { securityControl, counter, body } = envelope;
  const wanted = POLICY_BITS[opening.policy];
  if ((securityControl & (BROADCAST_KEY | COMPRESSED)) !== 0) fail({ code: 'BAD_VALUE', reason: 'broadcast key or compression' }, envelope);
  if ((securityControl & SUITE_MASK) !== (opening.suite ?? 0)) fail({ code: 'BAD_VALUE', reason: 'another security suite' }, envelope);
  if ((securityControl & wanted) !== wanted) fail({ code: 'BAD_VALUE', reason: 'less security than the policy asks' }, envelope);
  if (counter <= opening.lastCounter) fail({ code: 'COUNTER_NOT_RISING', counter, last: opening.lastCounter }, envelope);
  const dedicated = envelope.form === 'ded' || envelope.form === 'generalDed';
  const key = dedicated ? opening.dedicatedKey : opening.keys.ek;
  if (key === undefined) fail({ code: 'BAD_VALUE', reason: 'no dedicated key was agreed' }, envelope);
  const iv = initializationVector(opening.systemTitle, counter);
  const plain = openBody(opening.cipher, { key, ak: opening.keys.ak, iv, securityControl }, body);
  if (plain === undefined) fail({ code: 'NOT_AUTHENTIC' }, envelope);
  if (envelope.plainTag !== undefined && plain[0] !== envelope.plainTag) fail({ code: 'NOT_AUTHENTIC' }, envelope);
  return plain;
}

function fail(fault: DecodeFault, envelope: Envelope): never {
  throw new DecodeError(fault, { offset: envelope.bodyOffset, path: 'protected' });
}
