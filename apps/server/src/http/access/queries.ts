import { isFactorAsked } from '@hes/contract/auth/second-factor-policy.ts';
import type { Action } from '@hes/contract/core/route.ts';
import { SETTINGS } from '@hes/contract/states/settings.ts';
import { sql } from 'kysely';
import type { Db, User } from '#platform/context.ts';

interface UserRow {
  id: string;
  username: string;
  name: string;
  mustChangePassword: boolean;
  actions: Record<string, Action[]> | null;
  levelIds: string[] | null;
  transformerIds: string[] | null;
  seesWholeNetwork: boolean;
  hasSecondFactor: boolean;
  /** As it is stored; null: nobody has set it. */
  policy: unknown;
}

function requiredFor(policy: unknown) {
  const { schema, value } = SETTINGS.secondFactor;
  const stored = schema.safeParse(policy);
  return (stored.success ? stored.data : value).requiredFor;
}

/** The user of a session that stands, with the union of the rights and areas of the roles. Without an area the user sees nothing of the network. */
export async function findUserOfSession(db: Db, sessionId: string, now: Date): Promise<User | undefined> {
  const { rows } = await sql<UserRow>`
    select u.id, u.username, u.name, u.must_change_password,
      (select jsonb_object_agg(g.path, g.actions) from (
        select m.path, jsonb_agg(distinct ra.action) as actions
        from user_role ur
        join role_module rm on rm.role_id = ur.role_id
        join module m on m.id = rm.module_id and m.type = 'page'
        join role_action ra on ra.role_id = ur.role_id and ra.module_id = m.id
        where ur.user_id = u.id group by m.path) as g) as actions,
      (select array_agg(distinct rs.level_id) from user_role ur join role_scope rs on rs.role_id = ur.role_id
        where ur.user_id = u.id and rs.level_id is not null) as level_ids,
      (select array_agg(distinct rs.transformer_id) from user_role ur join role_scope rs on rs.role_id = ur.role_id
        where ur.user_id = u.id and rs.transformer_id is not null) as transformer_ids,
      exists (select from user_role ur join role r on r.id = ur.role_id where ur.user_id = u.id and r.sees_whole_network) as sees_whole_network,
      exists (select from second_factor f where f.user_id = u.id and f.confirmed_at is not null) as has_second_factor,
      (select value from setting where key = 'secondFactor') as policy
    from user_session s join app_user u on u.id = s.user_id
    where s.id = ${sessionId} and s.revoked_at is null and s.expires_at > ${now} and not u.lock and u.deleted_at is null`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const actions = new Map(Object.entries(row.actions ?? {}).map(([path, held]) => [path, new Set(held)]));
  return {
    id: row.id,
    username: row.username,
    name: row.name,
    sessionId,
    mustChangePassword: row.mustChangePassword,
    mustEnrol: !row.hasSecondFactor && isFactorAsked(requiredFor(row.policy), actions),
    actions,
    scope: row.seesWholeNetwork
      ? { kind: 'whole' }
      : { kind: 'nodes', levelIds: row.levelIds ?? [], transformerIds: row.transformerIds ?? [] },
  };
}
