import { createHmac, randomInt } from 'node:crypto';
import { RECOVERY_CODES } from '@hes/contract/auth/second-factor.ts';
import { changeRights } from '#db/right-seals.ts';
import type { Context } from '#db/context.ts';
import { hashOctets, newSalt, saltOf } from '#platform/passwords.ts';
import type { Secrets } from '#platform/secrets.ts';
import type { Lane } from '#platform/work-queue.ts';
import { findRecoveryHashes, findRecoveryOwners, replaceRecoveryCodes } from './queries.ts';

/** Without letters and digits that look alike: they are read from paper. 60 bits a code. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 12;
const GROUP = /.{4}(?=.)/g;

const newCode = (): string => Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** As it is typed: without what separates, whatever the case. */
export const plainCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

export const isRecoveryCode = (plain: string): boolean => plain.length === LENGTH;

/** `7K3M-Q9XW-2HBT`: what a person keeps. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, () => newCode().replaceAll(GROUP, '$&-'));

/** Keyed by the master key, so that nothing can be tried on a copy of the database alone. */
const keyed = (secrets: Secrets, userId: string, plain: string): Buffer =>
  createHmac('sha256', secrets.derive('recovery codes')).update(`${userId}/${plain}`).digest();

/** Password hashes of a set of codes, which share their salt. */
export async function hashRecoveryCodes(secrets: Secrets, userId: string, codes: readonly string[]): Promise<Buffer[]> {
  const salt = newSalt();
  const hashes: Buffer[] = [];
  // One after the other: others sign in meanwhile.
  for (const code of codes) hashes.push(await hashOctets(keyed(secrets, userId, plainCode(code)), salt, 'signed-in'));
  return hashes;
}

/** The hash under which a code is stored if it is one of these; undefined: the user has none. */
export async function hashRecoveryCode(
  secrets: Secrets,
  { userId, plain, lane }: { userId: string; plain: string; lane: Lane },
  stored: readonly Buffer[],
): Promise<Buffer | undefined> {
  const salt = stored.map(saltOf).find((found) => found !== undefined);
  return salt && hashOctets(keyed(secrets, userId, plain), salt, lane);
}

/** A code of an older version, which was kept as what is hashed now, so that it stays valid. */
const KEYED_OCTETS = 32;
const isKeyedOnly = (hash: Uint8Array): boolean => hash.length === KEYED_OCTETS;

/** Password hashes in place of what older versions kept; codes stay as they are on paper. */
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
