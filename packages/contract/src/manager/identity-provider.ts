import { z } from 'zod';
import { id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';
import { isPlainWebAddress } from '../alarm/channel.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { groupSource, providerFailure, providerKind, providerState, type ProviderKind } from '../states/identity-provider.ts';

const MAX_GROUPS = 200;
const MAX_ROLES = 50;

/** Address of an issuer: no query, no fragment, no user. */
const isIssuer = (text: string): boolean => isPlainWebAddress(text) && !/[?#]/.test(text);

/** Words between spaces. */
const words = z
  .string()
  .trim()
  .max(512)
  .regex(/^[\x21-\x7e]*(?: +[\x21-\x7e]+)*$/, RULES.words.en)
  .default('');
const claim = z.string().trim().min(1).max(256);

const attribute = z
  .string()
  .trim()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/);
const address = z.url({ protocol: /^ldaps?$/ });
const isServer = (text: string): boolean => /^ldaps?:\/\/[^\s/?#@]+$/.test(text) && address.safeParse(text).success;
const isFilter = (text: string): boolean => text.startsWith('(') && text.endsWith(')') && text.includes('{name}');

/** Rules that depend on the kind. */
function checkKind(value: z.infer<typeof config> & { kind: ProviderKind }, context: z.RefinementCtx): void {
  const require = (isRight: boolean, field: string, { en }: { en: string }) => {
    if (!isRight) context.addIssue({ code: 'custom', path: [field], message: en });
  };
  if (value.kind === 'oidc') {
    require(isIssuer(value.issuer), 'issuer', RULES.issuer);
    require(value.clientId !== '', 'clientId', RULES.needed);
  } else {
    require(value.servers !== '' && value.servers.split(/ +/).every(isServer), 'servers', RULES.servers);
    require(value.baseDn !== '', 'baseDn', RULES.needed);
    require(isFilter(value.userFilter), 'userFilter', RULES.userFilter);
  }
}

const config = z.object({
  isEnabled: z.boolean().default(false),
  /** Address of the issuer, which stays: another issuer could vouch for persons of this one. */
  issuer: z.string().trim().max(512).default(''),
  clientId: z.string().trim().max(256).default(''),
  scopes: words.default('openid profile email'),
  /** Claim with the groups; a path such as `realm_access.roles` leads into nested claims. */
  groupsClaim: claim.default('groups'),
  /** Claim with the user name. */
  usernameClaim: claim.default('preferred_username'),
  /** `acr` values of which a sign-in must have one; empty: any. */
  signInAcr: words,
  /** `acr` values of which own proof must have one; empty: any sign-in within a minute. */
  proofAcr: words,
  /** Longest time of a session, after which groups are read again. */
  sessionHours: z.number().int().min(1).max(168).default(12),
  /** Authority of the provider's certificate in PEM; empty: those that the machine trusts. */
  ca: z.string().trim().max(20_000).default(''),
  /** Servers of a directory, in the order in which they are asked: `ldaps://host`, or `ldap://host`, which is used with StartTLS alone. */
  servers: words,
  /** Account that searches; empty: without identity. Its password is the secret. */
  bindDn: z.string().trim().max(512).default(''),
  /** Entry below which persons are. */
  baseDn: z.string().trim().max(512).default(''),
  /** Filter that finds a person; `{name}` stands for what the person enters. */
  userFilter: z.string().trim().max(1024).default('(uid={name})'),
  /** Attribute with the permanent name of a person. */
  idAttribute: attribute.default('entryUUID'),
  /** Where the groups of a person stand: in the attribute `groupsClaim`, or in entries with the person as member, directly or through groups. */
  groupSource: groupSource.default('attribute'),
  /** Entry below which groups are; empty: `baseDn`. */
  groupBaseDn: z.string().trim().max(512).default(''),
});
/** Fields of directories only, for content that was stored before there were any. */
export const NO_DIRECTORY = {
  servers: '',
  bindDn: '',
  baseDn: '',
  userFilter: '(uid={name})',
  idAttribute: 'entryUUID',
  groupSource: 'attribute',
  groupBaseDn: '',
} as const satisfies Partial<z.infer<typeof config>>;
export type ProviderConfig = z.infer<typeof config>;

/** A group, as the provider names it, with the roles that it gives. */
export const groupMapping = z.object({
  group: z.string().trim().min(1).max(512),
  roleIds: z.array(id).min(1, RULES.roles.en).max(MAX_ROLES),
});
export type GroupMapping = z.infer<typeof groupMapping>;
const mapping = z.array(groupMapping).max(MAX_GROUPS).default([]);

const fields = config.extend({
  name: nameOf(64),
  kind: providerKind,
  /** Secret of the client; empty: the present one stays. */
  secret: z.string().max(1024).default(''),
  mapping,
});
export type ProviderFields = z.infer<typeof fields>;
export const newProvider = fields.superRefine(checkKind);
/** `isLastConfirmed`: the last provider may be switched off although passwords are, so that the emergency account alone can sign in. */
export const providerChange = fields
  .extend({ version: z.number().int(), isLastConfirmed: z.boolean().default(false) })
  .superRefine(checkKind);

export const providerRow = config.extend({
  id,
  /** These are empty if the row was changed outside the product. */
  issuer: z.string(),
  clientId: z.string(),
  groupsClaim: z.string(),
  usernameClaim: z.string(),
  name: z.string(),
  kind: providerKind,
  state: providerState,
  mapping: z.array(groupMapping),
  hasSecret: z.boolean(),
  /** Accounts that it vouches for. */
  users: z.number().int(),
  lastSuccessAt: instant.nullable(),
  lastFailureAt: instant.nullable(),
  /** Of the last failure, if no success followed. */
  failure: providerFailure.nullable(),
  failureDetail: z.string().nullable(),
  version: z.number().int(),
});
export type ProviderRow = z.infer<typeof providerRow>;

/** What a sign-in with some claims would do. */
const preview = z.object({
  subject: z.string().nullable(),
  username: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Groups of the claims; `isMapped`: the mapping has them. */
  groups: z.array(z.object({ group: z.string(), isMapped: z.boolean() })),
  roles: z.array(z.object({ id, code: z.string(), name: z.string(), isWhole: z.boolean(), nodes: z.number().int() })),
});
export type ClaimsPreview = z.infer<typeof preview>;

const page = PAGE_PATH.identityProviders;
const change = { allow: { page, action: 'edit' }, endangers: 'rights', params: idParams } as const;

/** Identity providers. All routes need a role for the whole network. Secrets are written and never shown. */
export const identityProvider = {
  list: route({
    method: 'GET',
    path: '/manager/identity-provider',
    summary: 'Identity providers with their last failure',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(providerRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/identity-provider',
    summary: 'Add an identity provider',
    allow: { page, action: 'add' },
    endangers: 'rights',
    body: newProvider,
    response: providerRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'WHOLE_NETWORK_ONLY'],
  }),
  update: route({
    ...change,
    method: 'PUT',
    path: '/manager/identity-provider/{id}',
    summary: 'Change an identity provider; sessions of its users end, and without a secret the present one stays',
    body: providerChange,
    response: providerRow,
    errors: [
      'VALIDATION',
      'NOT_FOUND',
      'STALE',
      'DUPLICATE',
      'LAST_PROVIDER',
      'UNKNOWN_REFERENCE',
      'BEYOND_OWN_RIGHTS',
      'WHOLE_NETWORK_ONLY',
      'CHANGED_OUTSIDE',
    ],
  }),
  remove: route({
    ...change,
    allow: { page, action: 'delete' },
    method: 'DELETE',
    path: '/manager/identity-provider/{id}',
    summary: 'Delete an identity provider and the accounts that it vouches for',
    response: z.void(),
    status: 204,
    errors: ['NOT_FOUND', 'LAST_ADMIN', 'LAST_PROVIDER', 'LAST_STOP', 'SELF', 'BEYOND_OWN_RIGHTS', 'WHOLE_NETWORK_ONLY', 'CHANGED_OUTSIDE'],
  }),
  test: route({
    ...change,
    method: 'POST',
    path: '/manager/identity-provider/{id}/test',
    summary: 'Read the metadata and keys of the provider now, or bind to the directory',
    response: z.object({ isReached: z.boolean(), failure: providerFailure.nullable(), detail: z.string().nullable() }),
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
  preview: route({
    method: 'POST',
    path: '/manager/identity-provider/{id}/preview',
    summary: 'Roles and areas that these claims would give; nothing is changed',
    allow: { page, action: 'view' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ claims: z.record(z.string(), z.unknown()) }),
    response: preview,
    errors: ['VALIDATION', 'NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
};
