import { decode, encode, type Codec } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { toHex } from '../codec/hex.ts';
import type { CosemDateTime } from '../cosem/date-time.ts';
import { equalInConstantTime, type Cipher, type SecuritySuite } from '../security/cipher.ts';
import { unprotectGeneralCiphering, verifyGeneralSigning, type GeneralUnprotectOptions } from '../security/general-protection.ts';
import {
  isProtectedTag,
  protect,
  readCipheredApdu,
  unprotect,
  type Protection,
  type SecurityKeys,
  type SecurityPolicy,
} from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import {
  dataNotification,
  dataNotificationConfirm,
  valueNotification,
  type DataNotification,
  type ValueNotification,
} from '../xdlms/data-notification.ts';
import { eventNotification, type EventNotification } from '../xdlms/event-notification.ts';
import { generalCiphering } from '../xdlms/general-ciphering.ts';
import { generalSigning } from '../xdlms/general-signing.ts';
import { tagDescriptors } from '../xdlms/untagged-descriptors.ts';
import { AssociationError } from './association-error.ts';

/** A DATA-NOTIFICATION that a device pushes. */
export interface Notification {
  /** 0 to 16 777 215. */
  longInvokeId: number;
  dateTime?: CosemDateTime;
  /** One encoded Data. */
  body: Uint8Array;
  /** Whether a confirmation is requested. */
  confirmed?: boolean;
  /** Defaults to none. */
  protection?: Omit<Protection, 'form'>;
}

/** Encodes a DATA-NOTIFICATION; a protected one takes the general form, because there is no association. */
export function encodeNotification({ longInvokeId, dateTime, body, confirmed = false, protection }: Notification): Uint8Array {
  const longInvoke = { id: longInvokeId, selfDescriptive: false, breakOnError: false, confirmed, highPriority: false };
  const plain = encode(dataNotification, { longInvoke, dateTime, body });
  return protection === undefined ? plain : protect(plain, { ...protection, form: 'general' });
}

/** Keys and state for the sender of a protected notification. */
export interface NotificationKeys {
  cipher: Cipher;
  keys: SecurityKeys;
  policy?: SecurityPolicy;
  /** Defaults to 0. */
  suite?: SecuritySuite;
  /** Highest counter accepted from this title; -1 for none. */
  lastCounter: number;
  /** For general-ciphering with agreed keys, and general-signing. Without it, notifications in these forms are not authentic. */
  certified?: CertifiedKeys | undefined;
}

/** Keys of certificates: our private key for agreement, and the public keys X ‖ Y of the sender for agreement and for signatures. */
export interface CertifiedKeys extends Pick<GeneralUnprotectOptions, 'agreementKey' | 'peerAgreementKey' | 'peerSigningKey'> {
  /** Our system title, which the notification names as its recipient. */
  ownTitle: Uint8Array;
}

/** Looks up the keys of a sender by its system title; undefined for an unknown title. */
export type KeysOf = (systemTitle: Uint8Array) => NotificationKeys | undefined;

/** The origin of a notification. */
interface NotificationOrigin {
  /** The plain APDU. */
  plain: Uint8Array;
  /** Authenticated sender and counter; undefined for a plain notification. */
  proof: { systemTitle: Uint8Array; counter: number } | undefined;
}

/** A notification whose body is one encoded Data. */
export interface DecodedNotification extends DataNotification, NotificationOrigin {}

/** A notification whose body is decoded: `value`. */
export interface NotificationValue extends ValueNotification, NotificationOrigin {}

/**
 * Decodes a DATA-NOTIFICATION and unprotects it if necessary. Throws `DecodeError` when it is broken, replayed or not authentic; fails
 * with `WRONG_TITLE` when its sender is unknown, and with `DECRYPT_FAILED` when no certificates are known for its form. A plain notification is unauthenticated; the caller decides whether to use it.
 */
export function decodeNotification(apdu: Uint8Array, keysOf: KeysOf): DecodedNotification {
  const { plain, proof } = originOf(apdu, keysOf);
  return { ...readNotification(dataNotification, plain), plain, proof };
}

/** Like `decodeNotification`, but decodes the body in the same pass instead of validating it only. Throws like `decodeNotification`. */
export function decodeNotificationValue(apdu: Uint8Array, keysOf: KeysOf): NotificationValue {
  const { plain, proof } = originOf(apdu, keysOf);
  return { ...readNotification(valueNotification, plain), plain, proof };
}

const originOf = (apdu: Uint8Array, keysOf: KeysOf): NotificationOrigin =>
  isProtectedTag(apdu[0] ?? 0) ? unprotectFromSender(apdu, keysOf) : { plain: apdu, proof: undefined };

/** Tolerates descriptors without tags; the error of any other body is that of the standard form. */
function readNotification<T>(codec: Codec<T>, plain: Uint8Array): T {
  try {
    return decode(codec, plain);
  } catch (error) {
    const tagged = error instanceof DecodeError ? tagDescriptors(plain) : undefined;
    if (tagged === undefined) throw error;
    return decode(codec, tagged);
  }
}

/** A plain APDU with its authenticated sender. */
interface AuthenticatedApdu {
  plain: Uint8Array;
  proof: { systemTitle: Uint8Array; counter: number };
}

function unprotectFromSender(apdu: Uint8Array, keysOf: KeysOf): AuthenticatedApdu {
  if (apdu[0] === APDU_TAGS.generalSigning) return verifySigned(apdu, keysOf);
  if (apdu[0] === APDU_TAGS.generalCiphering) return unprotectGeneral(apdu, keysOf);
  const ciphered = readCipheredApdu(apdu);
  const { systemTitle, invocationCounter: counter } = ciphered;
  const known = keysFor(systemTitle, keysOf);
  const plain = unprotect(ciphered, { policy: 'authEnc', ...known, systemTitle: known.systemTitle });
  return { plain, proof: { systemTitle: known.systemTitle, counter } };
}

function keysFor(systemTitle: Uint8Array | undefined, keysOf: KeysOf): NotificationKeys & { systemTitle: Uint8Array } {
  if (systemTitle === undefined) throw new AssociationError('WRONG_TITLE', 'no system title');
  const known = keysOf(systemTitle);
  if (known === undefined) throw new AssociationError('WRONG_TITLE', `unknown: ${toHex(systemTitle)}`);
  return { ...known, systemTitle };
}

/** Opens general-ciphering under the key that both sides agree on, or under the global key. */
function unprotectGeneral(apdu: Uint8Array, keysOf: KeysOf): AuthenticatedApdu {
  const {
    systemTitle,
    certified,
    lastCounter,
    suite = 0,
    ...known
  } = keysFor(decode(generalCiphering, apdu).originatorSystemTitle, keysOf);
  if (certified === undefined) throw new AssociationError('DECRYPT_FAILED', 'no certificates for general-ciphering');
  const options = { policy: 'authEnc' as const, ...known, ...certified, suite, peerTitle: systemTitle, lastCounter: () => lastCounter };
  const { plain, counter } = unprotectGeneralCiphering(apdu, options);
  return { plain, proof: { systemTitle, counter } };
}

/**
 * Verifies a signature and opens the content, whose counter prevents a replay. The content is opened first: that costs less than a signature,
 * many of which a forger could demand.
 */
function verifySigned(apdu: Uint8Array, keysOf: KeysOf): AuthenticatedApdu {
  const { originatorSystemTitle, content } = decode(generalSigning, apdu);
  const { systemTitle, cipher, certified } = keysFor(originatorSystemTitle, keysOf);
  const { ownTitle, peerSigningKey: publicKey } = certified ?? {};
  if (ownTitle === undefined || publicKey === undefined) throw new AssociationError('DECRYPT_FAILED', 'no certificate for signatures');
  const isProtected = isProtectedTag(content[0] ?? 0) && content[0] !== APDU_TAGS.generalSigning;
  if (!isProtected) throw new DecodeError({ code: 'BAD_VALUE', reason: 'signed, but not protected' }, { offset: 0, path: 'content' });
  const opened = unprotectFromSender(content, keysOf);
  if (!equalInConstantTime(opened.proof.systemTitle, systemTitle))
    throw new AssociationError('WRONG_TITLE', `signed by ${toHex(systemTitle)}, protected by ${toHex(opened.proof.systemTitle)}`);
  verifyGeneralSigning(apdu, { cipher, publicKey, ownTitle, peerTitle: systemTitle });
  return opened;
}

/** Encodes the confirmation of a DATA-NOTIFICATION; undefined when none was requested. */
export function confirmNotification(
  { longInvoke }: Pick<DataNotification, 'longInvoke'>,
  options: { dateTime?: CosemDateTime; protection?: Omit<Protection, 'form'> } = {},
): Uint8Array | undefined {
  if (!longInvoke.confirmed) return undefined;
  const plain = encode(dataNotificationConfirm, { longInvoke, dateTime: options.dateTime });
  return options.protection === undefined ? plain : protect(plain, { ...options.protection, form: 'general' });
}

/** Whether an APDU confirms the notification with this long invoke id. Throws like `decodeNotification`. */
export function isConfirmation(apdu: Uint8Array, longInvokeId: number, keysOf: KeysOf): boolean {
  const plain = isProtectedTag(apdu[0] ?? 0) ? unprotectFromSender(apdu, keysOf).plain : apdu;
  return decode(dataNotificationConfirm, plain).longInvoke.id === longInvokeId;
}

/** Encodes an EVENT-NOTIFICATION: the changed value of one attribute. Inside an association it is protected like a response. */
export function encodeEvent(event: EventNotification, protection?: Protection): Uint8Array {
  const plain = encode(eventNotification, event);
  return protection === undefined ? plain : protect(plain, protection);
}

/** Decodes an EVENT-NOTIFICATION, protected by a known sender or plain from any. Throws like `decodeNotification`. */
export function decodeEvent(
  apdu: Uint8Array,
  keysOf: KeysOf,
): EventNotification & { plain: Uint8Array; proof: AuthenticatedApdu['proof'] | undefined } {
  if (!isProtectedTag(apdu[0] ?? 0)) return { ...decode(eventNotification, apdu), plain: apdu, proof: undefined };
  const { plain, proof } = unprotectFromSender(apdu, keysOf);
  return { ...decode(eventNotification, plain), plain, proof };
}
