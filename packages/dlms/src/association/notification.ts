import { decode, encode } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import type { CosemDateTime } from '../cosem/date-time.ts';
import { protect, readEnvelope, unprotect, type Protection, type SecurityKeys, type SecurityPolicy } from '../security/protection.ts';
import type { Cipher } from '../security/cipher.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import { dataNotification, type DataNotification } from '../xdlms/data-notification.ts';
import { AssociationError } from './association-error.ts';

/** What a device tells on its own. */
export interface Notification {
  /** 0 to 16 777 215. */
  longInvokeId: number;
  dateTime?: CosemDateTime;
  /** One encoded Data. */
  body: Uint8Array;
  /** Sent plain when not said. */
  protection?: Omit<Protection, 'form'>;
}

/** A DATA-NOTIFICATION, unconfirmed; protected ones take the general form, because there is no association. */
export function encodeNotification({ longInvokeId, dateTime, body, protection }: Notification): Uint8Array {
  const longInvoke = { id: longInvokeId, selfDescriptive: false, breakOnError: false, confirmed: false, highPriority: false };
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

export interface OpenedNotification extends DataNotification {
  /** The plain APDU. */
  plain: Uint8Array;
  /** Who sent it, and with which counter, when that was proved. */
  proof: { systemTitle: Uint8Array; counter: number } | undefined;
}

/**
 * A DATA-NOTIFICATION, opened if it is protected. Throws `DecodeError` when it is broken, replayed or not authentic;
 * fails with `WRONG_TITLE` when nobody knows its sender. A plain one has no proof: whoever uses it decides what it is worth.
 */
export function openNotification(apdu: Uint8Array, keysOf: (systemTitle: Uint8Array) => NotificationKeys | undefined): OpenedNotification {
  if (!isCipheredTag(apdu[0] ?? 0)) return { ...decode(dataNotification, apdu), plain: apdu, proof: undefined };
  const envelope = readEnvelope(apdu);
  const { systemTitle, invocationCounter: counter } = envelope;
  const known = systemTitle === undefined ? undefined : keysOf(systemTitle);
  if (systemTitle === undefined || known === undefined)
    throw new AssociationError('WRONG_TITLE', systemTitle === undefined ? 'no system title' : `unknown: ${toHex(systemTitle)}`);
  const plain = unprotect(envelope, { policy: 'authEnc', ...known, systemTitle });
  return { ...decode(dataNotification, plain), plain, proof: { systemTitle, counter } };
}
