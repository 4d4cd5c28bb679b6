import type { Obis } from '../cosem/obis.ts';
import { equalInConstantTime, type Cipher } from '../security/cipher.ts';
import { wrapKeys, type TransferableKeys } from '../security/key-transfer.ts';
import type { SecurityKeys } from '../security/protection.ts';
import type { InvokeItem, InvokeResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';
import type { SecureChannel } from './secure-channel.ts';

const SECURITY_SETUP = 64;
const KEY_TRANSFER = 2;

/** New keys for a meter. */
export interface KeyChange {
  /** The security setup object of the association. */
  setup: Obis;
  /** The master key that the meter unwraps them with. */
  kek: Uint8Array;
  /** Those that change. */
  keys: Partial<TransferableKeys>;
  /** Counters for the new encryption key, which may begin again; the old ones go on when not said. */
  nextCounter?: () => number;
  /** The meter has used the new keys: only now the old ones may be forgotten. */
  onProved?: () => void;
}

/**
 * Gives a meter new keys. The request and its answer go under the old keys, everything after that under the new ones;
 * until the meter has used those, the old ones are accepted too.
 */
export function* transferKeys(
  session: { cipher: Cipher; channel: SecureChannel | undefined; keys: SecurityKeys; invoke(item: InvokeItem): Exchange<InvokeResult> },
  { setup, kek, keys: changed, nextCounter, onProved }: KeyChange,
): Exchange<InvokeResult> {
  const { cipher, channel, keys } = session;
  const ref = { classId: SECURITY_SETUP, instance: setup, methodId: KEY_TRANSFER };
  const result = yield* session.invoke({ ref, argument: wrapKeys(cipher, kek, changed) });
  if (!result.ok) return result;
  const { kek: _, ...apduKeys } = changed;
  const newKeys = { ...keys, ...apduKeys };
  const restart = !equalInConstantTime(keys.ek, newKeys.ek);
  // Counters belong to a key: nothing may begin again under an old one.
  const counters = restart && nextCounter !== undefined ? { nextCounter } : {};
  channel?.rekey(newKeys, { restart, ...counters, onProved: () => onProved?.() });
  return result;
}
