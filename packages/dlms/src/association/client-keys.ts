import { securitySetupV1, type GlobalKeyId } from '../cosem/classes/security-setup.ts';
import type { Obis } from '../cosem/obis.ts';
import { equalInConstantTime, required, type Cipher, type SecuritySuite } from '../security/cipher.ts';
import { deriveKeyFromOffers, createEphemeralOffer } from '../security/ephemeral-agreement.ts';
import { KEY_NAMES, wrapKeys, type TransferableKeys } from '../security/key-transfer.ts';
import type { SecurityKeys } from '../security/protection.ts';
import { AssociationError } from './association-error.ts';
import { invokeSetup, returnedOf, type Returned } from './client-credentials.ts';
import type { InvokeItem, InvokeResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';
import type { SecureChannel } from './secure-channel.ts';

const { keyTransfer, keyAgreement } = securitySetupV1.methods;

interface KeyChangeOptions {
  /** The security setup object of the association. */
  setup: Obis;
  /** Counters for the new encryption key, which may begin again; the old ones go on when not said. */
  nextCounter?: () => number;
  /** The meter has used the new keys: only now the old ones may be forgotten. */
  onNewKeysUsed?: () => void;
}

/** New keys for a meter. */
export interface KeyChange extends KeyChangeOptions {
  /** The master key that the meter unwraps them with. */
  kek: Uint8Array;
  /** Those that change. */
  keys: Partial<TransferableKeys>;
}

/** New keys that a client and a meter come to together, so that nobody has to send one. */
export interface KeyAgreement extends KeyChangeOptions {
  keyIds: readonly GlobalKeyId[];
  /** Our private key for signatures, and the public one X ‖ Y of the meter. */
  signingKey: Uint8Array;
  peerSigningKey: Uint8Array;
  suite: SecuritySuite;
  clientTitle: Uint8Array;
  serverTitle: Uint8Array;
}

/** What changing keys takes of an association. */
export interface RekeyContext {
  cipher: Cipher;
  channel: SecureChannel | undefined;
  keys: SecurityKeys;
  invoke(ref: InvokeItem['ref'], argument?: Uint8Array): Exchange<InvokeResult>;
}

/**
 * Gives a meter new keys. The request and its answer go under the old keys, everything after that under the new ones;
 * until the meter has used those, the old ones are accepted too.
 */
export function* transferKeys(session: RekeyContext, change: KeyChange): Exchange<InvokeResult> {
  const { id: methodId } = keyTransfer;
  const ref = { classId: securitySetupV1.id, instance: change.setup, methodId };
  const result = yield* session.invoke(ref, wrapKeys(session.cipher, change.kek, change.keys));
  if (result.ok) switchToKeys(session, change.keys, change);
  return result;
}

/**
 * Comes to new keys with a meter, each from a key pair that both sides make for this once and sign. Fails with
 * `AUTH_FAILED` when what the meter sends is not signed by it for just these keys.
 */
export function* agreeKeys(session: RekeyContext, change: KeyAgreement): Exchange<Returned<Partial<TransferableKeys>>> {
  const { cipher } = session;
  const { suite, signingKey, peerSigningKey, clientTitle: client, serverTitle: server } = change;
  const offers = change.keyIds.map((keyId) => ({ keyId, own: createEphemeralOffer(cipher, keyId, signingKey) }));
  const argument = offers.map(({ keyId, own }) => ({ keyId, keyData: own.keyData }));
  const answer = yield* invokeSetup({ association: session, setup: change.setup }, keyAgreement, argument);
  const returned = returnedOf(answer, required(keyAgreement.result, 'result'));
  if (!returned.ok) return returned;
  const keys: Partial<TransferableKeys> = {};
  for (const { keyId, own } of offers) {
    const peerKeyData = returned.value.find((one) => one.keyId === keyId)?.keyData ?? new Uint8Array(0);
    const key = deriveKeyFromOffers(cipher, suite, { keyId, own, peerKeyData, peerSigningKey }, { client, server });
    if (key === undefined) throw new AssociationError('AUTH_FAILED', `no key can be agreed on: ${keyId}`);
    keys[KEY_NAMES[keyId]] = key;
  }
  switchToKeys(session, keys, change);
  return { ok: true, value: keys };
}

function switchToKeys(
  { channel, keys: old }: RekeyContext,
  changed: Partial<TransferableKeys>,
  { nextCounter, onNewKeysUsed }: KeyChangeOptions,
): void {
  const { kek: _, ...apduKeys } = changed;
  const keys = { ...old, ...apduKeys };
  const restart = !equalInConstantTime(old.ek, keys.ek);
  // Counters belong to a key: nothing may begin again under an old one.
  const counters = restart && nextCounter !== undefined ? { nextCounter } : {};
  channel?.rekey(keys, { restart, ...counters, onNewKeysUsed: () => onNewKeysUsed?.() });
}
