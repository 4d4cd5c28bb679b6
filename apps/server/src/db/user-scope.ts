import { sql, type RawBuilder } from 'kysely';
import type { User } from '#platform/context.ts';

/**
 * Users whose own area lies within the caller's, and the caller himself. A user with one role for the whole network,
 * or with no role at all, belongs to those who see everything.
 */
export const userWithin = (column: 'appUser.id' | 'auditLog.userId', caller: User): RawBuilder<boolean> =>
  caller.scope.length === 0
    ? sql<boolean>`true`
    : sql<boolean>`(${sql.ref(column)} = ${caller.id} or (
        exists (select from user_role ur where ur.user_id = ${sql.ref(column)})
        and not exists (
          select from user_role ur left join role_scope rs on rs.role_id = ur.role_id left join network_level l on l.id = rs.level_id
          where ur.user_id = ${sql.ref(column)} and (l.id is null or not l.path && ${[...caller.scope]}::bigint[]))))`;
