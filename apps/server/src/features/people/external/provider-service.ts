import { randomUUID } from 'node:crypto';
import {
  NO_DIRECTORY,
  type ClaimsPreview,
  type GroupMapping,
  type ProviderConfig,
  type ProviderFields,
  type ProviderRow,
} from '@hes/contract/manager/identity-provider.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { changedFields, newSecretsIn, startOfValue, writeAudit, type AuditEntry } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { isoOrNull, pageOf } from '#db/paging.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { findLocalSignIn } from '#features/people/emergency/emergency-queries.ts';
import { requireReach } from '#features/people/role/reach.ts';
import { changeAccount } from '#features/people/user/account-change.ts';
import { lockAdministrators, replaceRoles, updateAccount } from '#features/people/user/admin-queries.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { describeClaims, rolesOfGroups } from './claims.ts';
import { deleteIdentity, findMappedRoles, findUsersOfProvider, takeAccount } from './identity-queries.ts';
import { testDirectory } from './directory.ts';
import { SignInRefused, testProvider } from './oidc.ts';
import { ProviderFailed } from './provider-failure.ts';
import {
  deleteProvider,
  findProvider,
  findProviders,
  insertProvider,
  noteUse,
  updateProvider,
  type Provider,
  type ProviderContent,
} from './provider-queries.ts';

const NAME = { en: 'Name', zh: '名称' };

/** A provider gives rights in every district. */
function requireWholeNetwork(user: User): void {
  if (!seesWholeNetwork(user)) throw new ApiError('WHOLE_NETWORK_ONLY');
}

/** Shown in place of settings that were changed outside the product. */
const UNKNOWN: ProviderConfig = {
  isEnabled: false,
  issuer: '',
  clientId: '',
  scopes: '',
  groupsClaim: '',
  usernameClaim: '',
  signInAcr: '',
  proofAcr: '',
  sessionHours: 12,
  ca: '',
  ...NO_DIRECTORY,
};

function rowOf({ content, id, name, kind, users, version, ...use }: Provider): ProviderRow {
  return {
    ...(content?.config ?? UNKNOWN),
    id,
    name,
    kind,
    users,
    version,
    state: content?.config.isEnabled === true ? 'running' : 'off',
    mapping: content?.mapping ?? [],
    hasSecret: (content?.secret ?? '') !== '',
    lastSuccessAt: isoOrNull(use.lastSuccessAt),
    lastFailureAt: isoOrNull(use.lastFailureAt),
    failure: content === undefined ? 'changed_outside' : use.failureCode,
    failureDetail: use.failureDetail,
  };
}

export async function listProviders(ctx: Context, user: User, query: { search?: string | undefined; page: number; size: number }) {
  requireWholeNetwork(user);
  return pageOf((await findProviders(ctx, query.search)).map(rowOf), query);
}

async function getProvider(ctx: Context, id: string): Promise<ProviderRow> {
  const found = await findProvider(ctx, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return rowOf(found);
}

const configOf = ({ name: _name, kind: _kind, secret: _secret, mapping: _mapping, ...config }: ProviderFields): ProviderConfig => config;

const auditProvider = (
  tx: Tx,
  ctx: Context,
  { user, ip }: Who,
  entry: { action: AuditEntry['action']; id: string; detail: Record<string, unknown> },
) =>
  writeAudit(
    tx,
    { userId: user.id, action: entry.action, entity: 'identity_provider', entityId: entry.id, detail: entry.detail, ip },
    ctx.clock.now(),
  );

/** Codes of roles by group, for the audit log. */
async function namesOf(tx: Tx, mapping: readonly GroupMapping[]): Promise<string[]> {
  const roles = new Map(
    (
      await findMappedRoles(
        tx,
        mapping.flatMap(({ roleIds }) => roleIds),
      )
    ).map(({ id, code }) => [id, code]),
  );
  return mapping.map(({ group, roleIds }) => `${group}: ${roleIds.map((id) => roles.get(id) ?? id).join(', ')}`);
}

const rolesIn = (mapping: readonly GroupMapping[]): string[] => [...new Set(mapping.flatMap(({ roleIds }) => roleIds))];

/**
 * Refuses roles that do not exist, and callers who lack a right of any role of the mapping: claim names and address decide who gets these
 * roles as much as the groups do.
 */
async function requireMapping(tx: Tx, { user }: Who, before: readonly GroupMapping[], after: readonly GroupMapping[]): Promise<void> {
  const known = new Set((await findMappedRoles(tx, rolesIn([...before, ...after]))).map(({ id }) => id));
  if (!rolesIn(after).every((id) => known.has(id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'mapping');
  await requireReach(tx, user, [...known]);
}

const auditOf = async (tx: Tx, name: string, { config, mapping }: Pick<ProviderContent, 'config' | 'mapping'>) => {
  return { name, ...config, ca: startOfValue(config.ca), groups: await namesOf(tx, mapping) };
};

export async function createProvider(ctx: Context, who: Who, fields: ProviderFields): Promise<ProviderRow> {
  requireWholeNetwork(who.user);
  const content = { version: 1, config: configOf(fields), mapping: fields.mapping, secret: fields.secret, changedBy: who.user.id };
  const id = await ctx.db.transaction().execute(async (tx) => {
    await requireMapping(tx, who, [], fields.mapping);
    const write = insertProvider(ctx, tx, { name: fields.name, kind: fields.kind, ref: randomUUID(), content });
    const created = await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, write);
    const detail = { after: await auditOf(tx, fields.name, content) };
    await auditProvider(tx, ctx, who, { action: 'identity_provider_created', id: created, detail });
    return created;
  });
  return getProvider(ctx, id);
}

/** Reads and locks an intact provider. */
async function takeProvider(ctx: Context, tx: Tx, { user }: Who, id: string): Promise<Provider & { content: ProviderContent }> {
  const found = await findProvider({ ...ctx, db: tx }, id, true);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  if (found.content === undefined) throw new ApiError('CHANGED_OUTSIDE');
  return { ...found, content: found.content };
}

/** Refuses to end the last provider that is offered while passwords are switched off, and names the account that would remain. */
async function requireOtherWayIn(ctx: Context, tx: Tx, id: string): Promise<void> {
  const { allowed, emergencyUser } = await findLocalSignIn(tx);
  if (allowed === 'everybody') return;
  const others = (await findProviders({ ...ctx, db: tx })).filter((other) => other.id !== id);
  if (others.some(({ content }) => content?.config.isEnabled === true)) return;
  throw new ApiError('LAST_PROVIDER', { username: emergencyUser });
}

/** Fields that decide who is believed. With others, the secret would leave for a server that its owner did not choose. */
const isTrustChanged = (before: ProviderConfig, after: ProviderConfig): boolean =>
  (['ca', 'clientId', 'servers', 'bindDn', 'baseDn', 'userFilter', 'idAttribute', 'groupSource', 'groupBaseDn'] as const).some(
    (key) => before[key] !== after[key],
  );

/**
 * Ends the sessions of all users of a provider, so that groups are read again. `resetBy`: its trust has changed, so their rights count as
 * new, as after a reset of their passwords.
 */
async function endSessions(tx: Tx, providerId: string, now: Date, { resetBy, except }: { resetBy: string | undefined; except: string }) {
  const ended: string[] = [];
  for (const userId of await findUsersOfProvider(tx, providerId)) {
    if ((await takeAccount(tx, userId)) === undefined) continue;
    if (resetBy !== undefined)
      await changeAccount(tx, userId, () => updateAccount(tx, userId, { credentialsResetAt: now, credentialsResetBy: resetBy }, now));
    ended.push(...(await revokeSessions(tx, userId, now, { except })));
  }
  return ended;
}

export async function changeProvider(
  ctx: Context,
  who: Who,
  { id, version, isLastConfirmed, ...fields }: ProviderFields & { id: string; version: number; isLastConfirmed: boolean },
): Promise<ProviderRow> {
  const now = new Date(ctx.clock.now());
  await commitChanges(
    ctx,
    async (tx) => {
      await lockAdministrators(tx);
      const stored = await takeProvider(ctx, tx, who, id);
      if (stored.version !== version) throw stale(rowOf(stored));
      const config = configOf(fields);
      const before = stored.content;
      if (fields.kind !== stored.kind) throw new ApiError('VALIDATION', {}, 'kind');
      if (config.issuer !== before.config.issuer) throw new ApiError('VALIDATION', {}, [{ field: 'issuer', message: RULES.issuerStays }]);
      const hasOtherTrust = isTrustChanged(before.config, config);
      if (hasOtherTrust && before.secret !== '' && fields.secret === '')
        throw new ApiError('VALIDATION', {}, [{ field: 'secret', message: RULES.secretAgain }]);
      if (before.config.isEnabled && !config.isEnabled && !isLastConfirmed) await requireOtherWayIn(ctx, tx, id);
      await requireMapping(tx, who, before.mapping, fields.mapping);
      const secret = fields.secret === '' ? before.secret : fields.secret;
      const content = { version: version + 1, config, mapping: fields.mapping, secret, changedBy: who.user.id };
      await refuseDuplicate(
        { field: 'name', label: NAME, value: fields.name },
        updateProvider(ctx, tx, stored, { name: fields.name, content }),
      );
      const changed = changedFields(await auditOf(tx, stored.name, before), await auditOf(tx, fields.name, content));
      const detail = { name: stored.name, ...changed, ...newSecretsIn({ secret: fields.secret }) };
      await auditProvider(tx, ctx, who, { action: 'identity_provider_changed', id, detail });
      return endSessions(tx, id, now, { resetBy: hasOtherTrust ? who.user.id : undefined, except: who.user.sessionId });
    },
    (ended) => [sessionsEnded(ended, 'roles_changed')],
  );
  return getProvider(ctx, id);
}

/** Deletes a provider with the accounts that it vouches for: no other way leads into them. */
export async function removeProvider(ctx: Context, who: Who, id: string): Promise<void> {
  const now = new Date(ctx.clock.now());
  await commitChanges(
    ctx,
    async (tx) => {
      await lockAdministrators(tx);
      const { name, content } = await takeProvider(ctx, tx, who, id);
      if (content.config.isEnabled) await requireOtherWayIn(ctx, tx, id);
      const ended: string[] = [];
      const users = await findUsersOfProvider(tx, id);
      if (users.includes(who.user.id)) throw new ApiError('SELF');
      for (const userId of users) {
        const account = await takeAccount(tx, userId);
        if (account === undefined) {
          await deleteIdentity(tx, userId);
          continue;
        }
        await requireReach(tx, who.user, account.roleIds);
        await changeAccount(tx, userId, async () => {
          await updateAccount(tx, userId, { deletedAt: now }, now);
          await replaceRoles(tx, userId, [], { grantedBy: who.user.id, grantedAt: now });
          await deleteIdentity(tx, userId);
        });
        ended.push(...(await revokeSessions(tx, userId, now)));
      }
      await deleteProvider(tx, id);
      await auditProvider(tx, ctx, who, { action: 'identity_provider_deleted', id, detail: { name, users: users.length } });
      return ended;
    },
    (ended) => [sessionsEnded(ended, 'deleted')],
  );
}

/** Reads the provider's metadata and keys now, also of one that is off. */
export async function tryProvider(ctx: Context, who: Who, { id, networks }: { id: string; networks: readonly string[] }) {
  const found = await findProvider(ctx, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(who.user);
  await ctx.db
    .transaction()
    .execute((tx) => auditProvider(tx, ctx, who, { action: 'identity_provider_tested', id, detail: { name: found.name } }));
  if (found.content === undefined) return { isReached: false, failure: 'changed_outside' as const, detail: null };
  const { config, secret } = found.content;
  try {
    await (found.kind === 'ldap' ? testDirectory : testProvider)({ config, secret, networks });
    await noteUse(ctx.db, id, new Date(ctx.clock.now()));
    return { isReached: true, failure: null, detail: null };
  } catch (error) {
    if (!(error instanceof ProviderFailed || error instanceof SignInRefused)) throw error;
    const failed = error instanceof ProviderFailed ? error : { failure: 'refused' as const, detail: error.why };
    await noteUse(ctx.db, id, new Date(ctx.clock.now()), failed);
    return { isReached: false, failure: failed.failure, detail: failed.detail };
  }
}

/** What a sign-in with these claims would do. */
export async function previewClaims(
  ctx: Context,
  user: User,
  { id, claims }: { id: string; claims: Record<string, unknown> },
): Promise<ClaimsPreview> {
  const found = await findProvider(ctx, id);
  if (found?.content === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  const { config, mapping } = found.content;
  const { subject = null, username = null, name = null, email = null, groups } = describeClaims(claims, config);
  const mapped = new Set(mapping.map(({ group }) => group));
  const roles = await findMappedRoles(ctx.db, rolesOfGroups(mapping, groups));
  return { subject, username, name, email, groups: groups.map((group) => ({ group, isMapped: mapped.has(group) })), roles };
}
