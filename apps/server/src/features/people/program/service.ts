import { MAX_LIVE_TOKENS, type ProgramDetail } from '@hes/contract/manager/program.ts';
import { commitChanges, noticeOf } from '#db/changes.ts';
import { changedFields } from '#db/audit.ts';
import { sealAsFound } from '#db/right-seals.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { insertUser, replaceRoles, updateAccount } from '#features/people/user/admin-queries.ts';
import { auditUser, changeAccount, checkRoles, takeUser, USERNAME } from '#features/people/user/account-change.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { hashTokenSecret, newTokenSecret, writeProgramToken } from '#platform/program-token.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { endTokenAt, findProgram, insertToken, setRevoked } from './queries.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TOKEN_NAME = { en: 'Token name', zh: '令牌名称' };
/** No password matches this, because it is not the hash of one. */
const NO_PASSWORD = 'none';

export async function getProgram(ctx: Context, caller: User, id: string): Promise<ProgramDetail> {
  const found = await findProgram(ctx.db, caller, id, new Date(ctx.clock.now()));
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return found;
}

/** Reads and locks a program. Throws if it has rights that the caller does not have. */
async function takeProgram(ctx: Context, tx: Tx, caller: User, id: string): Promise<ProgramDetail> {
  await takeUser(ctx, tx, caller, id);
  const found = await findProgram(tx, caller, id, new Date(ctx.clock.now()));
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return found;
}

export interface ProgramFields {
  name: string;
  roleIds: string[];
  mayOrder: string[];
}

export async function createProgram(ctx: Context, who: Who, fields: ProgramFields & { username: string }): Promise<ProgramDetail> {
  const { roleIds, ...account } = fields;
  const now = ctx.clock.now();
  const id = await ctx.db.transaction().execute(async (tx) => {
    const roles = await checkRoles(tx, who.user, roleIds);
    const row = { ...account, kind: 'program' as const, phone: null, email: null, passwordHash: NO_PASSWORD, mustChangePassword: false };
    const created = await refuseDuplicate(
      { field: 'username', label: USERNAME, value: account.username },
      insertUser(tx, row, new Date(now)),
    );
    await replaceRoles(tx, created, roles, { grantedBy: who.user.id, grantedAt: new Date(now) });
    await sealAsFound(tx, [{ kind: 'user', id: created }]);
    await auditUser(tx, who, { action: 'program_created', entityId: created, detail: { after: { ...account, roleIds: roles } } }, now);
    return created;
  });
  return getProgram(ctx, who.user, id);
}

/** Changes a program. A new permission to order makes all its rights rest for a day, as a new right would. */
export async function changeProgram(
  ctx: Context,
  who: Who,
  { id, version, name, roleIds, mayOrder }: ProgramFields & { id: string; version: number },
): Promise<ProgramDetail> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const before = await takeProgram(ctx, tx, who.user, id);
    if (before.version !== version) throw stale(before);
    const kept = before.roles.map((role) => role.id);
    const roles = await checkRoles(tx, who.user, roleIds, kept);
    const isWider = mayOrder.some((danger) => !before.mayOrder.some((one) => one === danger));
    const reset = isWider ? { credentialsResetAt: new Date(now), credentialsResetBy: who.user.id } : {};
    await changeAccount(tx, id, async () => {
      await updateAccount(tx, id, { name, mayOrder, ...reset }, new Date(now));
      await replaceRoles(tx, id, roles, { grantedBy: who.user.id, grantedAt: new Date(now) });
    });
    const detail = changedFields(
      { name: before.name, mayOrder: before.mayOrder, roleIds: kept.toSorted() },
      { name, mayOrder, roleIds: roles.toSorted() },
    );
    await auditUser(tx, who, { action: 'program_changed', entityId: id, detail: { username: before.username, ...detail } }, now);
  });
  return getProgram(ctx, who.user, id);
}

export interface TokenOrder {
  id: string;
  name: string;
  validDays: number;
  addressRanges: string[];
  replacesId: string | null;
  overlapHours: number;
}

/** Creates a token. With `replacesId` the replaced token stays valid for the overlap, so that the program can change over. */
export async function createToken(ctx: Context, who: Who, order: TokenOrder): Promise<{ token: string; account: ProgramDetail }> {
  const { id, name, addressRanges, replacesId, overlapHours, validDays } = order;
  const now = ctx.clock.now();
  const secret = newTokenSecret();
  const token = await ctx.db.transaction().execute(async (tx) => {
    const { username, tokens } = await takeProgram(ctx, tx, who.user, id);
    const live = tokens.filter(({ state }) => state === 'live');
    if (live.length >= MAX_LIVE_TOKENS) throw new ApiError('TOO_MANY_TOKENS', { max: MAX_LIVE_TOKENS });
    if (replacesId !== null && !live.some((one) => one.id === replacesId)) throw new ApiError('UNKNOWN_REFERENCE', {}, 'replacesId');
    const expiresAt = new Date(now + validDays * DAY_MS);
    const row = {
      userId: id,
      name,
      hash: hashTokenSecret(secret),
      addressRanges,
      createdAt: new Date(now),
      createdBy: who.user.id,
      expiresAt,
    };
    let created = '';
    await changeAccount(tx, id, async () => {
      created = await refuseDuplicate({ field: 'name', label: TOKEN_NAME, value: name }, insertToken(tx, row));
      if (replacesId !== null) await endTokenAt(tx, replacesId, new Date(now + overlapHours * HOUR_MS));
    });
    const replaced = live.find((one) => one.id === replacesId)?.name;
    const named = replaced === undefined ? {} : { replaces: replaced, overlapHours };
    const detail = { username, name, expiresAt: expiresAt.toISOString(), addressRanges, ...named };
    await auditUser(tx, who, { action: 'program_token_created', entityId: id, detail }, now);
    return writeProgramToken(created, secret);
  });
  return { token, account: await getProgram(ctx, who.user, id) };
}

export async function revokeToken(ctx: Context, who: Who, { id, tokenId }: { id: string; tokenId: string }): Promise<ProgramDetail> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { username, tokens } = await takeProgram(ctx, tx, who.user, id);
      const token = tokens.find((one) => one.id === tokenId);
      if (token === undefined) throw new ApiError('NOT_FOUND');
      if (token.state === 'revoked') throw new ApiError('NOTHING_TO_DO');
      await changeAccount(tx, id, () => setRevoked(tx, tokenId, new Date(now)));
      await auditUser(tx, who, { action: 'program_token_revoked', entityId: id, detail: { username, name: token.name } }, now);
    },
    () => [noticeOf('permissions', [id])],
  );
  return getProgram(ctx, who.user, id);
}
