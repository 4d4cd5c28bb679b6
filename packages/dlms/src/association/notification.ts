import { decode, encode } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import type { CosemDateTime } from '../cosem/date-time.ts';
import { protect, readCipheredApdu, unprotect, type Protection, type SecurityKeys, type SecurityPolicy } from '../security/protection.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import { dataNotification, dataNotificationConfirm, type DataNotification } from '../xdlms/data-notification.ts';
import { eventNotification, type EventNotification } from '../xdlms/event-notification.ts';
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
}

/** Looks up the keys of a sender by its system title; undefined for an unknown title. */
export type KeysOf = (systemTitle: Uint8Array) => NotificationKeys | undefined;

export interface DecodedNotification extends DataNotification {
  /** The plain APDU. */
  plain: Uint8Array;
  /** Authenticated sender and counter; undefined for a plain notification. */
  proof: { systemTitle: Uint8Array; counter: number } | undefined;
}

/**
 * Decodes a DATA-NOTIFICATION and unprotects it if necessary. Throws `DecodeError` when it is broken, replayed or not authentic; fails
 * with `WRONG_TITLE` when its sender is unknown. A plain notification is unauthenticated; the caller decides whether to use it.
 */
export function decodeNotification(apdu: Uint8Array, keysOf: KeysOf): DecodedNotification {
  if (!isCipheredTag(apdu[0] ?? 0)) return { ...decode(dataNotification, apdu), plain: apdu, proof: undefined };
  const { plain, proof } = unprotectFromSender(apdu, keysOf);
  return { ...decode(dataNotification, plain), plain, proof };
}

/** A plain APDU with its authenticated sender. */
interface AuthenticatedApdu {
  plain: Uint8Array;
  proof: { systemTitle: Uint8Array; counter: number };
}

function unprotectFromSender(apdu: Uint8Array, keysOf: KeysOf): AuthenticatedApdu {
  const ciphered = readCipheredApdu(apdu);
  const { systemTitle, invocationCounter: counter } = ciphered;
  const known = systemTitle === undefined ? undefined : keysOf(systemTitle);
  if (systemTitle === undefined || known === undefined)
    throw new AssociationError('WRONG_TITLE', systemTitle === undefined ? 'no system title' : `unknown: ${toHex(systemTitle)}`);
  const plain = unprotect(ciphered, { policy: 'authEnc', ...known, systemTitle });
  return { plain, proof: { systemTitle, counter } };
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
  const plain = isCipheredTag(apdu[0] ?? 0) ? unprotectFromSender(apdu, keysOf).plain : apdu;
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
  if (!isCipheredTag(apdu[0] ?? 0)) return { ...decode(eventNotification, apdu), plain: apdu, proof: undefined };
  const { plain, proof } = unprotectFromSender(apdu, keysOf);
  return { ...decode(eventNotification, plain), plain, proof };
}
