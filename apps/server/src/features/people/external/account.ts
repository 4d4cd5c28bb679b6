import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { areIntact, sealAsFound } from '#db/right-seals.ts';
import type { Context, Tx } from '#db/context.ts';
import { insertUser, lockAdministrators, replaceRoles, updateAccount } from '#features/people/user/admin-queries.ts';
import { changeAccount } from '#features/people/user/account-change.ts';
import { newSecret } from '#features/people/token/refresh-token.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import { hashPassword } from '#platform/passwords.ts';
import { rolesOfGroups, type ExternalPerson } from './claims.ts';
import {
  findIdentity,
  findMappedRoles,
  insertIdentity,
  isNameTaken,
  lockProvider,
  setIdentityEnded,
  takeAccount,
  type ExternalAccount,
} from './identity-queries.ts';
import type { ProviderContent } from './provider-queries.ts';
import type { Usable } from './provider-use.ts';

export interface Voucher {
  provider: { id: string; name: string };
  content: ProviderContent;
  person: ExternalPerson;
  ip: string;
}

type Audited = Pick<AuditEntry, 'action' | 'detail'>;
const audit = (tx: Tx, { ip }: Pick<Voucher, 'ip'>, userId: string, entry: Audited, now: number) =>
  writeAudit(tx, { userId, entity: 'user', entityId: userId, ip, ...entry }, now);

/** Roles are granted by the user who set the mapping, now: they have their cooling-off period. */
const grantOf = ({ content }: Pick<Voucher, 'content'>, now: number) => ({ grantedBy: content.changedBy, grantedAt: new Date(now) });

/** Creates the account of a person who signs in for the first time. Existing accounts are never taken over by their name or address. */
async function createAccount(tx: Tx, voucher: Voucher, roles: { ids: string[]; codes: string[] }, now: number): Promise<string> {
  const { provider, person } = voucher;
  const { subject, username, name, email } = person;
  if (await isNameTaken(tx, username)) throw new ApiError('NAME_TAKEN', { username });
  // The hash of a secret that is thrown away: the account has no password.
  const passwordHash = await hashPassword(newSecret());
  const id = await insertUser(tx, { username, name, email, phone: null, passwordHash, mustChangePassword: false }, new Date(now));
  await insertIdentity(tx, { userId: id, providerId: provider.id, subject }, new Date(now));
  await replaceRoles(tx, id, roles.ids, grantOf(voucher, now));
  await sealAsFound(tx, [{ kind: 'user', id }]);
  const detail = { username, provider: provider.name, roles: roles.codes };
  await audit(tx, voucher, id, { action: 'external_account_created', detail }, now);
  return id;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => [...one].sort().join() === [...other].sort().join();

/** Gives an account the roles, name and address of the claims. Other sessions of the user end if the roles differ. */
async function updateExternal(
  tx: Tx,
  voucher: Voucher,
  { account, roles }: { account: ExternalAccount; roles: { ids: string[]; codes: string[] } },
  now: number,
): Promise<string[]> {
  const { provider, person } = voucher;
  const { id } = account;
  const hasOtherRoles = !isSame(account.roleIds, roles.ids);
  const email = person.email ?? account.email;
  if (!hasOtherRoles && account.name === person.name && account.email === email) return [];
  await changeAccount(tx, id, async () => {
    await updateAccount(tx, id, { name: person.name, email }, new Date(now));
    await replaceRoles(tx, id, roles.ids, grantOf(voucher, now));
    await setIdentityEnded(tx, id, null);
  });
  const detail = { username: account.username, provider: provider.name, roles: roles.codes };
  await audit(tx, voucher, id, { action: 'external_account_changed', detail }, now);
  return hasOtherRoles ? revokeSessions(tx, id, new Date(now)) : [];
}

/** Takes the roles of a person whom the provider no longer knows, and ends the sessions. */
export const endPerson = (ctx: Context, { id, name, content }: Usable, { userId, ip }: { userId: string; ip: string }): Promise<void> =>
  endAccount(ctx, { provider: { id, name }, content, ip }, userId);

/** Takes the roles of a person whom the provider gives none, and ends the sessions. */
async function endAccount(ctx: Context, voucher: Omit<Voucher, 'person'>, userId: string): Promise<void> {
  const now = ctx.clock.now();
  const detail = { provider: voucher.provider.name };
  const end = (takesRoles: boolean) =>
    commitChanges(
      ctx,
      async (tx) => {
        if (takesRoles) {
          await lockAdministrators(tx);
          await changeAccount(tx, userId, async () => {
            await replaceRoles(tx, userId, [], grantOf(voucher, now));
            await setIdentityEnded(tx, userId, new Date(now));
          });
        }
        await audit(tx, voucher, userId, { action: 'external_account_ended', detail }, now);
        return revokeSessions(tx, userId, new Date(now));
      },
      (ended) => [sessionsEnded(ended, 'roles_changed')],
    );
  await end(true).catch((error: unknown) => {
    // The last administrator keeps the role, and still has no way in.
    if (!(error instanceof ApiError) || (error.code !== 'LAST_ADMIN' && error.code !== 'LAST_STOP')) throw error;
    return end(false);
  });
}

async function auditStranger(ctx: Context, { provider, person, ip }: Voucher): Promise<void> {
  const detail = { username: person.username, provider: provider.name };
  const entry = {
    userId: null,
    action: 'external_sign_in_refused',
    entity: 'identity_provider',
    entityId: provider.id,
    detail,
    ip,
  } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
}

/**
 * The account of a person, with the roles that their groups give now. Throws `NO_ROLE_OF_PROVIDER` if they give none, after it has ended
 * an existing account, and `LOCKED` if an administrator has locked it.
 */
export async function syncAccount(ctx: Context, voucher: Voucher): Promise<string> {
  const { provider, content, person } = voucher;
  const now = ctx.clock.now();
  const found = await findMappedRoles(ctx.db, rolesOfGroups(content.mapping, person.groups));
  const roles = { ids: found.map(({ id }) => id), codes: found.map(({ code }) => code) };
  const known = await findIdentity(ctx.db, provider.id, person.subject);
  if (roles.ids.length === 0) {
    if (known === undefined) await auditStranger(ctx, voucher);
    else await endAccount(ctx, voucher, known.userId);
    throw new ApiError('NO_ROLE_OF_PROVIDER', { name: provider.name });
  }
  const { id } = await commitChanges(
    ctx,
    async (tx) => {
      await lockProvider(tx, provider.id);
      await lockAdministrators(tx);
      const identity = await findIdentity(tx, provider.id, person.subject);
      if (identity === undefined) return { id: await createAccount(tx, voucher, roles, now), ended: [] };
      const account = await takeAccount(tx, identity.userId);
      if (account === undefined || !(await areIntact(tx, [{ kind: 'user', id: account.id }]))) throw new ApiError('CHANGED_OUTSIDE');
      if (account.lock) throw new ApiError('LOCKED', { reason: account.lockReason ?? { en: 'by an administrator', zh: '已被管理员锁定' } });
      return { id: account.id, ended: await updateExternal(tx, voucher, { account, roles }, now) };
    },
    ({ ended }) => [sessionsEnded(ended, 'roles_changed')],
  );
  return id;
}
