import { isFactorAsked } from '@hes/contract/auth/second-factor-policy.ts';
import { REST_HOURS } from '@hes/contract/core/guard.ts';
import type { Action } from '@hes/contract/core/route.ts';
import { deliveredValue, SETTINGS } from '@hes/contract/setting/settings.ts';
import { sql, type RawBuilder } from 'kysely';
import { isIntact, isSessionIntact, sealFacts, type SealFacts } from '#db/right-seals.ts';
import { isPageInstalled } from './existing-pages.ts';
import type { Context, Db, InstallationRules, Scope, User } from '#db/context.ts';

const HOUR_MS = 3_600_000;

interface RoleRow {
  id: string;
  facts: SealFacts;
  isWhole: boolean;
  levelIds: string[];
  transformerIds: string[];
  /** Actions by path of the page. */
  rights: Record<string, Action[]>;
  /** Those of `rights` that the user has held for at least a day. */
  restedRights: Record<string, Action[]>;
}

interface ProgramToken {
  id: string;
  name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  addressRanges: string[];
  /** ISO 8601. */
  expiresAt: string;
}

interface UserRow {
  id: string;
  username: string;
  name: string;
  mustChangePassword: boolean;
  roles: RoleRow[];
  hasSecondFactor: boolean;
  /** An identity provider vouches for the user. */
  isExternal: boolean;
  facts: SealFacts;
  /** End of the session; null without a session. */
  sessionEndsAt: Date | null;
  issuedAt: Date | null;
  provedAt: Date | null;
  sessionSeal: Buffer | null;
  providerId: string | null;
  kind: 'person' | 'program';
  mayOrder: string[];
  /** Token of the call; null without one. */
  token: ProgramToken | null;
  /** Stored setting; null when it was never set. */
  policy: unknown;
}

function requiredFor(policy: unknown, rules: InstallationRules) {
  if (rules.isStrict === true) return 'everybody';
  const stored = SETTINGS.secondFactor.schema.safeParse(policy);
  return (stored.success ? stored.data : deliveredValue('secondFactor', rules)).requiredFor;
}

/** Drops rights on pages that do not exist in this installation. */
const onExistingPages = <T>(pages: Map<string, T>, rules: InstallationRules): Map<string, T> =>
  new Map([...pages].filter(([path]) => isPageInstalled(path, rules)));

/** Union of the areas of these roles. */
function unionOf(roles: readonly RoleRow[]): Scope {
  if (roles.some(({ isWhole }) => isWhole)) return { kind: 'whole' };
  const idsIn = (name: 'levelIds' | 'transformerIds') => [...new Set(roles.flatMap((role) => role[name]))];
  return { kind: 'nodes', levelIds: idsIn('levelIds'), transformerIds: idsIn('transformerIds') };
}

/** The area of each right: the union over the roles that grant it. Rights of the same roles share one object. */
function rightsOf(roles: readonly RoleRow[], kind: 'rights' | 'restedRights' = 'rights'): Map<string, Map<Action, Scope>> {
  const givers = new Map<string, Map<Action, RoleRow[]>>();
  for (const role of roles)
    for (const [path, actions] of Object.entries(role[kind])) {
      const ofPage = givers.get(path) ?? new Map<Action, RoleRow[]>();
      givers.set(path, ofPage);
      for (const action of actions) ofPage.set(action, [...(ofPage.get(action) ?? []), role]);
    }
  const scopes = new Map<string, Scope>();
  const scopeOf = (some: readonly RoleRow[]): Scope => {
    const key = some.map((role) => roles.indexOf(role)).join();
    const scope = scopes.get(key) ?? unionOf(some);
    scopes.set(key, scope);
    return scope;
  };
  return new Map([...givers].map(([path, ofPage]) => [path, new Map([...ofPage].map(([action, some]) => [action, scopeOf(some)]))]));
}

type Installed = Pick<Context, 'db' | 'settings'>;

/** The user of an active session, with rights and areas. */
export const findUserOfSession = (ctx: Installed, sessionId: string, now: Date): Promise<User | undefined> =>
  findUser(ctx, sql`s.id is not null`, { sessionId, now });

export interface FoundProgram {
  user: User;
  /** SHA-256 of the secret. */
  hash: Buffer;
  addressRanges: readonly string[];
}

/** The program of a valid token. */
export async function findProgramOfToken(ctx: Installed, tokenId: string, now: Date): Promise<FoundProgram | undefined> {
  const found = await findRow(ctx, sql`u.kind = 'program' and t.id is not null`, { sessionId: null, tokenId, now });
  if (found === undefined || found.row.token === null) return undefined;
  const { hash, addressRanges } = found.row.token;
  return { user: found.user, hash: Buffer.from(hash, 'hex'), addressRanges };
}

/** The last use of a token is accurate to this. */
const USE_NOTED_MS = 60_000;

export const noteTokenUse = (db: Db, { tokenId, ip, now }: { tokenId: string; ip: string; now: Date }) =>
  db
    .updateTable('programToken')
    .set({ lastUsedAt: now, lastUsedIp: ip })
    .where('id', '=', tokenId)
    .where((use) => use.or([use('lastUsedAt', 'is', null), use('lastUsedAt', '<', new Date(now.getTime() - USE_NOTED_MS))]))
    .execute();

/** An unlocked user, independent of a session. */
export const findUserById = (ctx: Installed, id: string, now: Date): Promise<User | undefined> =>
  findUser(ctx, sql`u.id = ${id}::bigint`, { sessionId: null, now });

/** Whether the seals of user and session are valid. */
function areSealsValid(db: Db, row: UserRow, sessionId: string | null): boolean {
  const { id, facts, issuedAt, provedAt, providerId, sessionEndsAt: expiresAt, sessionSeal: seal } = row;
  if (!isIntact(db, { kind: 'user', id }, facts)) return false;
  if (sessionId === null) return true;
  if (issuedAt === null || expiresAt === null) return false;
  return isSessionIntact(db, { id: sessionId, userId: id, issuedAt, expiresAt, provedAt, providerId, seal });
}

interface Credential {
  sessionId: string | null;
  tokenId?: string;
  now: Date;
}

async function findUser(ctx: Installed, condition: RawBuilder<unknown>, credential: Credential): Promise<User | undefined> {
  return (await findRow(ctx, condition, credential))?.user;
}

async function findRow(
  { db, settings: { rules } }: Installed,
  condition: RawBuilder<unknown>,
  { sessionId, tokenId = '', now }: Credential,
): Promise<{ row: UserRow; user: User } | undefined> {
  const restedSince = new Date(now.getTime() - REST_HOURS * HOUR_MS);
  const { rows } = await sql<UserRow>`
    select u.id, u.username, u.name, u.must_change_password, u.kind, u.may_order,
      case when t.id is not null then jsonb_build_object('id', t.id::text, 'name', t.name, 'hash', encode(t.hash, 'hex'),
        'addressRanges', t.address_ranges, 'expiresAt', t.expires_at) end as token, s.expires_at as session_ends_at,
      s.issued_at, s.proved_at, s.seal as session_seal, s.provider_id::text, ${sealFacts('user', sql`u.id`)} as facts,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'id', r.id::text, 'facts', ${sealFacts('role', sql`r.id`)}, 'isWhole', r.sees_whole_network,
          'levelIds', array(select rs.level_id::text from role_scope rs where rs.role_id = r.id and rs.level_id is not null),
          'transformerIds', array(select rs.transformer_id::text from role_scope rs where rs.role_id = r.id and rs.transformer_id is not null),
          'restedRights', (select coalesce(jsonb_object_agg(g.path, g.actions), '{}') from (
            select m.path, jsonb_agg(distinct ra.action) as actions
            from role_action ra join module m on m.id = ra.module_id and m.type = 'page'
            where ra.role_id = r.id and greatest(ur.granted_at, ra.granted_at, r.area_widened_at, u.credentials_reset_at, t.created_at) <= ${restedSince}
            group by m.path) as g),
          'rights', (select coalesce(jsonb_object_agg(g.path, g.actions), '{}') from (
            select m.path, jsonb_agg(distinct ra.action) as actions
            from role_module rm
            join module m on m.id = rm.module_id and m.type = 'page'
            join role_action ra on ra.role_id = rm.role_id and ra.module_id = m.id
            where rm.role_id = r.id group by m.path) as g)) order by r.id), '[]')
        from user_role ur join role r on r.id = ur.role_id where ur.user_id = u.id) as roles,
      exists (select from second_factor f where f.user_id = u.id and f.confirmed_at is not null)
        or exists (select from security_key k where k.user_id = u.id) as has_second_factor,
      exists (select from external_identity e join identity_provider p on p.id = e.provider_id
        where e.user_id = u.id and p.kind = 'oidc') as is_external,
      (select value from setting where key = 'secondFactor') as policy
    from app_user u left join user_session s
      on s.id = ${sessionId}::uuid and s.user_id = u.id and s.revoked_at is null and s.expires_at > ${now}
    left join program_token t
      on t.id = nullif(${tokenId}, '')::bigint and t.user_id = u.id and t.revoked_at is null and t.expires_at > ${now}
    where ${condition} and not u.lock and u.deleted_at is null`.execute(db);
  const row = rows[0];
  if (row === undefined || !areSealsValid(db, row, sessionId)) return undefined;
  // A role that was changed outside the product grants no rights.
  const roles = row.roles.filter(({ id: roleId, facts }) => isIntact(db, { kind: 'role', id: roleId }, facts));
  const actions = onExistingPages(rightsOf(roles), rules);
  return {
    row,
    user: {
      ...identityOf(row, { sessionId, now }),
      ...factorOf(row, actions, rules),
      actions,
      rested: onExistingPages(rightsOf(roles, 'restedRights'), rules),
      scope: unionOf(roles),
    },
  };
}

function identityOf(row: UserRow, { sessionId, now }: Credential) {
  const { id, username, name, kind, mayOrder, token } = row;
  const endsAt = token === null ? (row.sessionEndsAt ?? now).getTime() : Date.parse(token.expiresAt);
  return {
    id,
    username,
    name,
    sessionId: sessionId ?? '',
    sessionEndsAt: endsAt,
    mustChangePassword: row.mustChangePassword,
    ...(kind === 'program' ? { program: { mayOrder, ...(token === null ? {} : { token: { id: token.id, name: token.name } }) } } : {}),
  };
}

/** Programs have no second factor, and that of users of an OpenID provider is asked there (decision 247). */
function factorOf(row: UserRow, actions: User['actions'], rules: InstallationRules) {
  const isAsked = row.kind === 'person' && !row.hasSecondFactor && !row.isExternal;
  const factor = requiredFor(row.policy, rules);
  return { mustEnrol: isAsked && isFactorAsked(factor, actions), mustEnrolToOrder: isAsked && factor === 'orders' };
}
