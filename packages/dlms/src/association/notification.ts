import { decode, encode } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import type { CosemDateTime } from '../cosem/date-time.ts';
import { protect, readCipheredApdu, unprotect, type Protection, type SecurityKeys, type SecurityPolicy } from '../security/protection.ts';
import type { Cipher } from '../security/cipher.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import { dataNotification, dataNotificationConfirm, type DataNotification } from '../xdlms/data-notification.ts';
import { eventNotification, type EventNotification } from '../xdlms/event-notification.ts';
import { AssociationError } from './association-error.ts';

/** What a device tells on its own. */
export interface Notification {
  /** 0 to 16 777 215. */
  longInvokeId: number;
  dateTime?: CosemDateTime;
  /** One encoded Data. */
  body: Uint8Array;
  /** Whether an answer is asked for. */
  confirmed?: boolean;
  /** Sent plain when not said. */
  protection?: Omit<Protection, 'form'>;
}

/** A DATA-NOTIFICATION; protected ones take the general form, because there is no association. */
export function encodeNotification({ longInvokeId, dateTime, body, confirmed = false, protection }: Notification): Uint8Array {
  const longInvoke = { id: longInvokeId, selfDescriptive: false, breakOnError: false, confirmed, highPriority: false };
  const plain = encode(dataNotification, { longInvoke, dateTime, body });
  return protection === undefined ? plain : protect(plain, { ...protection, form: 'general' });
}

/** What is known about the sender of a protected notification. */
export interface NotificationKeys {
  cipher: Cipher;
  keys: SecurityKeys;
  policy?: SecurityPolicy;
  /** Highest counter accepted from this title; -1: none. */
  lastCounter: number;
}

/** Who a title belongs to; undefined when nobody knows it. */
export type KeysOf = (systemTitle: Uint8Array) => NotificationKeys | undefined;

export interface DecodedNotification extends DataNotification {
  /** The plain APDU. */
  plain: Uint8Array;
  /** Who sent it, and with which counter, when that was proved. */
  proof: { systemTitle: Uint8Array; counter: number } | undefined;
}

/**
 * A DATA-NOTIFICATION, opened if it is protected. Throws `DecodeError` when it is broken, replayed or not authentic;
 * fails with `WRONG_TITLE` when nobody knows its sender. A plain one has no proof: whoever uses it decides what it is worth.
 */
export function decodeNotification(apdu: Uint8Array, keysOf: KeysOf): DecodedNotification {
  if (!isCipheredTag(apdu[0] ?? 0)) return { ...decode(dataNotification, apdu), plain: apdu, proof: undefined };
  const { plain, proof } = unprotectFromSender(apdu, keysOf);
  return { ...decode(dataNotification, plain), plain, proof };
}

/** What was sent with a proof of its sender. */
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

/** The answer to a confirmed DATA-NOTIFICATION, plain or protected like it; undefined when none was asked for. */
export function confirmNotification(
  { longInvoke }: Pick<DataNotification, 'longInvoke'>,
  options: { dateTime?: CosemDateTime; protection?: Omit<Protection, 'form'> } = {},
): Uint8Array | undefined {
  if (!longInvoke.confirmed) return undefined;
  const plain = encode(dataNotificationConfirm, { longInvoke, dateTime: options.dateTime });
  return options.protection === undefined ? plain : protect(plain, { ...options.protection, form: 'general' });
}

/** Whether an APDU confirms the notification with this long invoke id. Throws as `decodeNotification` does. */
export function isConfirmation(apdu: Uint8Array, longInvokeId: number, keysOf: KeysOf): boolean {
  const plain = isCipheredTag(apdu[0] ?? 0) ? unprotectFromSender(apdu, keysOf).plain : apdu;
  return decode(dataNotificationConfirm, plain).longInvoke.id === longInvokeId;
}

/** An EVENT-NOTIFICATION: one attribute's value, told when it changed. Protected inside of an association like its answers. */
export function encodeEvent(event: EventNotification, protection?: Protection): Uint8Array {
  const plain = encode(eventNotification, event);
  return protection === undefined ? plain : protect(plain, protection);
}

/** An EVENT-NOTIFICATION of a known or, plain, of any sender. Throws as `decodeNotification` does. */
export function decodeEvent(
  apdu: Uint8Array,
  keysOf: KeysOf,
): EventNotification & { plain: Uint8Array; proof: AuthenticatedApdu['proof'] | undefined } {
  if (!isCipheredTag(apdu[0] ?? 0)) return { ...decode(eventNotification, apdu), plain: apdu, proof: undefined };
  const { plain, proof } = unprotectFromSender(apdu, keysOf);
  return { ...decode(eventNotification, plain), plain, proof };
}
