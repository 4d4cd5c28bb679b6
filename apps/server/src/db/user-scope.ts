import { sql, type RawBuilder } from 'kysely';
import type { User } from './context.ts';
import { levelWithin, seesWholeNetwork, transformerWithin } from './scope.ts';

/** Rows `rs` of role_scope whose node is in the user's area. */
export const scopeRowWithin = (user: User): RawBuilder<boolean> => sql<boolean>`(case when rs.level_id is null
    then ${transformerWithin(sql`rs.transformer_id`, user.scope)}
    else exists (select from network_level l where l.id = rs.level_id and ${levelWithin(sql`l.path`, user)}) end)`;

/**
 * Visible users: the caller, and users whose area is not empty and within the caller's. Users with the whole network or without an area are
 * visible to callers of the whole network only.
 */
export const userWithin = (column: 'appUser.id' | 'auditLog.userId', caller: User): RawBuilder<boolean> =>
  seesWholeNetwork(caller)
    ? sql<boolean>`true`
    : sql<boolean>`(${sql.ref(column)} = ${caller.id} or (
        exists (select from user_role ur join role_scope rs on rs.role_id = ur.role_id where ur.user_id = ${sql.ref(column)})
        and not exists (select from user_role ur join role r on r.id = ur.role_id where ur.user_id = ${sql.ref(column)} and r.sees_whole_network)
        and not exists (select from user_role ur join role_scope rs on rs.role_id = ur.role_id
          where ur.user_id = ${sql.ref(column)} and not ${scopeRowWithin(caller)})))`;
