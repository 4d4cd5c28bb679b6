import { z } from 'zod';
import { addressRanges } from '../asset/fields.ts';
import { PROGRAM_DANGERS } from '../core/guard.ts';
import { id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nameOf, RULES, USERNAME } from '../core/rules.ts';
import type { Text } from '../core/text.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { roleRef } from './user.ts';

/** Two, so that a program can change over to a new token while the old one is still valid. */
export const MAX_LIVE_TOKENS = 2;
/** Longest validity of a token in days. */
export const MAX_TOKEN_DAYS = 366;
/** Longest time in hours for which a replaced token stays valid. */
export const MAX_OVERLAP_HOURS = 168;

export const TOKEN_STATES = ['live', 'expired', 'revoked'] as const;
export const tokenState = z.enum(TOKEN_STATES);
export type TokenState = z.infer<typeof tokenState>;
export const TOKEN_STATE_TEXT: Record<TokenState, Text> = {
  live: { en: 'Valid', zh: '有效' },
  expired: { en: 'Expired', zh: '已过期' },
  revoked: { en: 'Revoked', zh: '已吊销' },
};

export const programDanger = z.enum(PROGRAM_DANGERS);
export const PROGRAM_DANGER_TEXT: Record<z.infer<typeof programDanger>, Text> = {
  supply: { en: 'Connect and disconnect supplies', zh: '拉合闸' },
  reach: { en: 'Restart, configure and upgrade devices', zh: '重启、配置和升级设备' },
  keys: { en: 'Change keys of devices', zh: '更改设备密钥' },
  billing: { en: 'Change billing values in meters', zh: '更改电表计费数据' },
};

const programToken = z.object({
  id,
  /** Unique within the account; the audit log names the token by it. */
  name: z.string(),
  state: tokenState,
  createdAt: instant,
  createdByName: z.string().nullable(),
  expiresAt: instant,
  /** Accurate to a minute; null: never used. */
  lastUsedAt: instant.nullable(),
  lastUsedIp: z.string().nullable(),
  /** Addresses and networks from which the token may be used; empty: from all. */
  addressRanges: z.array(z.string()),
});
export type ProgramToken = z.infer<typeof programToken>;

export const programRow = z.object({
  id,
  /** Client id of OAuth 2.0. */
  username: z.string(),
  name: z.string(),
  roles: z.array(roleRef),
  mayOrder: z.array(programDanger),
  lock: z.boolean(),
  lockReason: z.string().nullable(),
  liveTokens: z.number().int(),
  /** Expiry of the valid token that lasts longest; null: there is none. */
  expiresAt: instant.nullable(),
  lastUsedAt: instant.nullable(),
  createdAt: instant,
  /** False: the account was changed outside the product, and its tokens are refused until an administrator confirms it. */
  isSealed: z.boolean(),
  version: z.number().int(),
});
export type ProgramRow = z.infer<typeof programRow>;

export const programDetail = programRow.extend({
  /** Newest first. */
  tokens: z.array(programToken),
});
export type ProgramDetail = z.infer<typeof programDetail>;

const programFields = z.object({
  name: nameOf(32),
  roleIds: z.array(id).min(1, RULES.roles.en).max(50),
  mayOrder: z.array(programDanger).max(PROGRAM_DANGERS.length).default([]),
});
export const newProgram = programFields.extend({ username: z.string().trim().regex(USERNAME, RULES.username.en) });
export const programChange = programFields.extend({ version: z.number().int() });

export const newProgramToken = z.object({
  name: nameOf(64),
  validDays: z.coerce.number().int().min(1).max(MAX_TOKEN_DAYS).default(90),
  addressRanges: addressRanges.default([]),
  /** Token that this one replaces; it expires after the overlap. */
  replacesId: id.nullable().default(null),
  overlapHours: z.coerce.number().int().min(0).max(MAX_OVERLAP_HOURS).default(48),
});

const page = PAGE_PATH.users;

/** Service accounts: programs with roles, areas and tokens. Lock, deletion and seal are those of users. */
export const program = {
  list: route({
    method: 'GET',
    path: '/manager/program',
    summary: 'Service accounts',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(programRow),
  }),
  get: route({
    method: 'GET',
    path: '/manager/program/{id}',
    summary: 'One service account with its tokens',
    allow: { page, action: 'view' },
    params: idParams,
    response: programDetail,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/program',
    summary: 'Add a service account without tokens',
    allow: { page, action: 'add' },
    endangers: 'rights',
    body: newProgram,
    response: programDetail,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS'],
  }),
  update: route({
    method: 'PUT',
    path: '/manager/program/{id}',
    summary: 'Change a service account; new permissions to order must rest for a day',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: programChange,
    response: programDetail,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'LAST_ADMIN', 'CHANGED_OUTSIDE'],
  }),
  createToken: route({
    method: 'POST',
    path: '/manager/program/{id}/token',
    summary: 'Create a token, which is returned only once; dangerous orders need a token that is a day old',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: newProgramToken,
    response: z.object({ token: z.string(), account: programDetail }),
    status: 201,
    errors: ['VALIDATION', 'NOT_FOUND', 'DUPLICATE', 'TOO_MANY_TOKENS', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  revokeToken: route({
    method: 'DELETE',
    path: '/manager/program/{id}/token/{tokenId}',
    summary: 'Revoke a token; it is refused within seconds, and so are access tokens issued for it',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: z.object({ id, tokenId: id }),
    response: programDetail,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
};
