import { createHmac, randomInt } from 'node:crypto';
import { RECOVERY_CODES } from '@hes/contract/auth/second-factor.ts';
import type { Secrets } from '#platform/secrets.ts';

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
export const hashRecoveryCode = (secrets: Secrets, userId: string, plain: string): Buffer =>
  createHmac('sha256', secrets.derive('recovery codes')).update(`${userId}/${plain}`).digest();
