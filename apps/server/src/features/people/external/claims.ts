import type { GroupMapping, ProviderConfig } from '@hes/contract/manager/identity-provider.ts';
import { USERNAME } from '@hes/contract/core/rules.ts';
import { z } from 'zod';

const MAX_GROUPS = 1000;
const MAX_TEXT = 512;

/** A person as an identity provider describes them. */
export interface ExternalPerson {
  /** Permanent name of the person at the provider. */
  subject: string;
  username: string;
  name: string;
  email: string | null;
  groups: string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** The claim of this very name, or else along a path with dots. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let found: unknown = claims;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Claims)[step]; // as: an object has properties by name
  }
  return found;
}

const textAt = (claims: Claims, path: string): string | undefined => {
  const value = claimAt(claims, path);
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT ? value.trim() : undefined;
};

/** Groups of the claims, of which some providers send a single text instead of a list. */
function groupsOf(claims: Claims, path: string): string[] {
  const value = claimAt(claims, path);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((group) => typeof group === 'string' && group !== '' && group.length <= MAX_TEXT).slice(0, MAX_GROUPS) as string[]; // as: filtered
}

/** A user name of this system: without the domain of an e-mail address, and without characters that user names do not have. */
function usernameOf(text: string): string | undefined {
  const plain = (text.split('@')[0] ?? '')
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .slice(0, 32);
  return USERNAME.test(plain) ? plain : undefined;
}

/** What the claims say of a person; parts that are missing or unusable are undefined. */
export function describeClaims(claims: Claims, { usernameClaim, groupsClaim }: Pick<ProviderConfig, 'usernameClaim' | 'groupsClaim'>) {
  const named = textAt(claims, usernameClaim);
  const username = named === undefined ? undefined : usernameOf(named);
  const email = textAt(claims, 'email');
  // An address that the provider has not verified may be that of another person.
  const isVerified = claimAt(claims, 'email_verified') === true && z.email().max(254).safeParse(email).success;
  return {
    subject: textAt(claims, 'sub'),
    username,
    name: textAt(claims, 'name')?.slice(0, 64) ?? username,
    email: isVerified ? email : undefined,
    groups: groupsOf(claims, groupsClaim),
  };
}

/** The person of the claims; undefined without a subject or a usable user name. */
export function personOf(claims: Claims, config: Pick<ProviderConfig, 'usernameClaim' | 'groupsClaim'>): ExternalPerson | undefined {
  const { subject, username, name = '', email = null, groups } = describeClaims(claims, config);
  return subject === undefined || username === undefined ? undefined : { subject, username, name, email, groups };
}

/** Ids of the roles that these groups give. Groups are compared exactly. */
export function rolesOfGroups(mapping: readonly GroupMapping[], groups: readonly string[]): string[] {
  const given = new Set(groups);
  return [...new Set(mapping.filter(({ group }) => given.has(group)).flatMap(({ roleIds }) => roleIds))];
}
