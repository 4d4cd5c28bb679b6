import { createHmac, randomInt } from 'node:crypto';
import { RECOVERY_CODES } from '@hes/contract/auth/second-factor.ts';
import { changeRights } from '#db/right-seals.ts';
import type { Context } from '#db/context.ts';
import { hashOctets, newSalt, saltOf } from '#platform/passwords.ts';
import type { Secrets } from '#platform/secrets.ts';
import type { Lane } from '#platform/work-queue.ts';
import { findRecoveryHashes, findRecoveryOwners, replaceRecoveryCodes } from './queries.ts';

/** Alphabet without similar characters, because codes are read from paper. A code has 60 bits. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 12;
const GROUP = /.{4}(?=.)/g;

const newCode = (): string => Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** Normalizes a typed code: removes separators and unifies case. */
export const plainCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

export const isRecoveryCode = (plain: string): boolean => plain.length === LENGTH;

/** Formats a code for display: `7K3M-Q9XW-2HBT`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, () => newCode().replaceAll(GROUP, '$&-'));

/** Keyed hash of a code. Without the master key, a copy of the database allows no guessing. */
const keyed = (secrets: Secrets, userId: string, plain: string): Buffer =>
  createHmac('sha256', secrets.derive('recovery codes')).update(`${userId}/${plain}`).digest();

/** Password hashes of a set of codes with one salt. */
export async function hashRecoveryCodes(secrets: Secrets, userId: string, codes: readonly string[]): Promise<Buffer[]> {
  const salt = newSalt();
  const hashes: Buffer[] = [];
  // Hashes sequentially, so that sign-ins get their turn.
  for (const code of codes) hashes.push(await hashOctets(keyed(secrets, userId, plainCode(code)), salt, 'signed-in'));
  return hashes;
}

/** Hash of a code with the salt of the stored ones; undefined if the user has no codes. */
export async function hashRecoveryCode(
  secrets: Secrets,
  { userId, plain, lane }: { userId: string; plain: string; lane: Lane },
  stored: readonly Buffer[],
): Promise<Buffer | undefined> {
  const salt = stored.map(saltOf).find((found) => found !== undefined);
  return salt && hashOctets(keyed(secrets, userId, plain), salt, lane);
}

/** Length of hashes of older versions, which stored the keyed hash itself. It is now the input of the password hash. */
const KEYED_OCTETS = 32;
const isKeyedOnly = (hash: Uint8Array): boolean => hash.length === KEYED_OCTETS;

/** Replaces keyed hashes of older versions by password hashes. The codes stay valid. */
export async function strengthenRecoveryCodes({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  const owners = new Set((await findRecoveryOwners(db, KEYED_OCTETS)).map(({ userId }) => userId));
  for (const userId of owners) {
    const weak = (await findRecoveryHashes(db, userId)).filter(isKeyedOnly);
    const salt = newSalt();
    const hashes: Buffer[] = [];
    for (const hash of weak) hashes.push(await hashOctets(hash, salt, 'signed-in'));
    await db
      .transaction()
      .execute((tx) => changeRights(tx, [{ kind: 'user', id: userId }], () => replaceRecoveryCodes(tx, userId, hashes)))
      .catch((error: unknown) => log.warn('Recovery codes of a user stay without a password hash and count no more', { error, userId }));
  }
}
