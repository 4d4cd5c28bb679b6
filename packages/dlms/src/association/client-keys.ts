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
  /** Counters of the new encryption key, which may restart at 0. Without it the old counters continue. */
  nextCounter?: () => number;
  /** Called when the meter first uses the new keys: from then on the old keys may be deleted. */
  onNewKeysUsed?: () => void;
}

/** Parameters of a key transfer to a meter. */
export interface KeyChange extends KeyChangeOptions {
  /** The master key, with which the meter unwraps the new keys. */
  kek: Uint8Array;
  /** The keys to replace. */
  keys: Partial<TransferableKeys>;
}

/** Parameters of a key agreement: client and meter derive the new keys, which are never sent. */
export interface KeyAgreement extends KeyChangeOptions {
  keyIds: readonly GlobalKeyId[];
  /** Our private signing key, and the public signing key X ‖ Y of the meter. */
  signingKey: Uint8Array;
  peerSigningKey: Uint8Array;
  suite: SecuritySuite;
  clientTitle: Uint8Array;
  serverTitle: Uint8Array;
}

/** The parts of an association that a key change uses. */
export interface RekeyContext {
  cipher: Cipher;
  channel: SecureChannel | undefined;
  keys: SecurityKeys;
  invoke(ref: InvokeItem['ref'], argument?: Uint8Array): Exchange<InvokeResult>;
}

/**
 * Transfers new keys. Request and response are protected with the old keys, everything afterwards with the new ones. The old keys remain
 * accepted until the meter uses the new ones.
 */
export function* transferKeys(session: RekeyContext, change: KeyChange): Exchange<InvokeResult> {
  const { id: methodId } = keyTransfer;
  const ref = { classId: securitySetupV1.id, instance: change.setup, methodId };
  const result = yield* session.invoke(ref, wrapKeys(session.cipher, change.kek, change.keys));
  if (result.ok) switchToKeys(session, change.keys, change);
  return result;
}

/**
 * Agrees on new keys by signed ephemeral key pairs. Fails with `AUTH_FAILED` when the meter's offer is not signed for exactly these keys.
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
    if (key === undefined) throw new AssociationError('AUTH_FAILED', `no key agreed: ${keyId}`);
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
  // Counters belong to a key: they must not restart while the encryption key stays the same.
  const counters = restart && nextCounter !== undefined ? { nextCounter } : {};
  channel?.rekey(keys, { restart, ...counters, onNewKeysUsed: () => onNewKeysUsed?.() });
}
