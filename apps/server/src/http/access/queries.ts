import type { Action } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import type { Db, User } from '#platform/context.ts';

interface UserRow {
  id: string;
  username: string;
  name: string;
  mustChangePassword: boolean;
  actions: Record<string, Action[]> | null;
  scope: string[] | null;
  isUnlimited: boolean;
}

/** The user of a session that stands, with the union of the rights of his roles. One role without a scope sees everything. */
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
      (select array_agg(distinct rs.level_id) from user_role ur join role_scope rs on rs.role_id = ur.role_id where ur.user_id = u.id) as scope,
      exists (select from user_role ur where ur.user_id = u.id and not exists (select from role_scope rs where rs.role_id = ur.role_id)) as is_unlimited
    from user_session s join app_user u on u.id = s.user_id
    where s.id = ${sessionId} and s.revoked_at is null and s.expires_at > ${now} and not u.lock and u.deleted_at is null`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    id: row.id,
    username: row.username,
    name: row.name,
    sessionId,
    mustChangePassword: row.mustChangePassword,
    actions: new Map(Object.entries(row.actions ?? {}).map(([path, actions]) => [path, new Set(actions)])),
    scope: row.isUnlimited ? [] : (row.scope ?? []),
  };
}
