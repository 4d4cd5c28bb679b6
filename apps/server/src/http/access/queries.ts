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

interface UserRow {
  id: string;
  username: string;
  name: string;
  mustChangePassword: boolean;
  roles: RoleRow[];
  hasSecondFactor: boolean;
  facts: SealFacts;
  /** End of the session; null without a session. */
  sessionEndsAt: Date | null;
  issuedAt: Date | null;
  provedAt: Date | null;
  sessionSeal: Buffer | null;
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

/** An unlocked user, independent of a session. */
export const findUserById = (ctx: Installed, id: string, now: Date): Promise<User | undefined> =>
  findUser(ctx, sql`u.id = ${id}::bigint`, { sessionId: null, now });

/** Whether the seals of user and session are valid. */
function areSealsValid(db: Db, row: UserRow, sessionId: string | null): boolean {
  const { id, facts, issuedAt, provedAt, sessionEndsAt: expiresAt, sessionSeal: seal } = row;
  if (!isIntact(db, { kind: 'user', id }, facts)) return false;
  if (sessionId === null) return true;
  return issuedAt !== null && expiresAt !== null && isSessionIntact(db, { id: sessionId, userId: id, issuedAt, expiresAt, provedAt, seal });
}

async function findUser(
  { db, settings: { rules } }: Installed,
  condition: RawBuilder<unknown>,
  { sessionId, now }: { sessionId: string | null; now: Date },
): Promise<User | undefined> {
  const restedSince = new Date(now.getTime() - REST_HOURS * HOUR_MS);
  const { rows } = await sql<UserRow>`
    select u.id, u.username, u.name, u.must_change_password, s.expires_at as session_ends_at,
      s.issued_at, s.proved_at, s.seal as session_seal, ${sealFacts('user', sql`u.id`)} as facts,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'id', r.id::text, 'facts', ${sealFacts('role', sql`r.id`)}, 'isWhole', r.sees_whole_network,
          'levelIds', array(select rs.level_id::text from role_scope rs where rs.role_id = r.id and rs.level_id is not null),
          'transformerIds', array(select rs.transformer_id::text from role_scope rs where rs.role_id = r.id and rs.transformer_id is not null),
          'restedRights', (select coalesce(jsonb_object_agg(g.path, g.actions), '{}') from (
            select m.path, jsonb_agg(distinct ra.action) as actions
            from role_action ra join module m on m.id = ra.module_id and m.type = 'page'
            where ra.role_id = r.id and greatest(ur.granted_at, ra.granted_at, r.area_widened_at, u.credentials_reset_at) <= ${restedSince}
            group by m.path) as g),
          'rights', (select coalesce(jsonb_object_agg(g.path, g.actions), '{}') from (
            select m.path, jsonb_agg(distinct ra.action) as actions
            from role_module rm
            join module m on m.id = rm.module_id and m.type = 'page'
            join role_action ra on ra.role_id = rm.role_id and ra.module_id = m.id
            where rm.role_id = r.id group by m.path) as g)) order by r.id), '[]')
        from user_role ur join role r on r.id = ur.role_id where ur.user_id = u.id) as roles,
      exists (select from second_factor f where f.user_id = u.id and f.confirmed_at is not null) as has_second_factor,
      (select value from setting where key = 'secondFactor') as policy
    from app_user u left join user_session s
      on s.id = ${sessionId}::uuid and s.user_id = u.id and s.revoked_at is null and s.expires_at > ${now}
    where ${condition} and not u.lock and u.deleted_at is null`.execute(db);
  const row = rows[0];
  if (row === undefined || !areSealsValid(db, row, sessionId)) return undefined;
  // A role that was changed outside the product grants no rights.
  const roles = row.roles.filter(({ id: roleId, facts }) => isIntact(db, { kind: 'role', id: roleId }, facts));
  const actions = onExistingPages(rightsOf(roles), rules);
  const factor = requiredFor(row.policy, rules);
  return {
    id: row.id,
    username: row.username,
    name: row.name,
    sessionId: sessionId ?? '',
    sessionEndsAt: (row.sessionEndsAt ?? now).getTime(),
    mustChangePassword: row.mustChangePassword,
    mustEnrol: !row.hasSecondFactor && isFactorAsked(factor, actions),
    mustEnrolToOrder: !row.hasSecondFactor && factor === 'orders',
    actions,
    rested: onExistingPages(rightsOf(roles, 'restedRights'), rules),
    scope: unionOf(roles),
  };
}
