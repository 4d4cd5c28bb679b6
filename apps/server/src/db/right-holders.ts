import type { Action } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Tx } from './context.ts';
import { areHoldersIntact } from './right-seals.ts';

export interface Right {
  page: string;
  action: Action;
}

const roleGives = ({ page, action }: Right) => sql`ra.role_id = ur.role_id and ra.action = ${action}
  and ra.module_id in (select id from module where path = ${page})`;

/** Whether any unlocked person holds a right; `but`: id of a user to exclude. */
export async function hasHolder(db: Db, right: Right, but?: string): Promise<boolean> {
  const { rows } = await sql`
    select from app_user u join user_role ur on ur.user_id = u.id join role_action ra on ${roleGives(right)}
    where u.id is distinct from ${but ?? null}::bigint and not u.lock and u.deleted_at is null and u.kind = 'person' limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Whether a user holds a right independently of `giver`, who granted neither the role nor the right in it, did not widen its area and did
 * not reset the user's credentials.
 */
async function holdsWithout(db: Db, userId: string, right: Right, giver: string): Promise<boolean> {
  const { rows } = await sql`
    select from app_user u join user_role ur on ur.user_id = u.id join role r on r.id = ur.role_id join role_action ra on ${roleGives(right)}
    where u.id = ${userId} and u.credentials_reset_by is distinct from ${giver}::bigint and ur.granted_by is distinct from ${giver}::bigint
      and ra.granted_by is distinct from ${giver}::bigint and r.area_widened_by is distinct from ${giver}::bigint limit 1`.execute(db);
  return rows.length > 0;
}

export interface Party {
  userId: string;
  /** The right that entitles the user to this part of the decision. */
  right: Right;
}

/** Refuses a decision unless requester and approver are different users, and neither granted the other the right to take part. */
export async function requireIndependentApprover(db: Db, requester: Party, approver: Party): Promise<void> {
  if (requester.userId === approver.userId) throw new ApiError('SAME_USER');
  // The grants are read from these rows, so they must be authentic.
  if (!(await areHoldersIntact(db, [requester.userId, approver.userId]))) throw new ApiError('CHANGED_OUTSIDE');
  const [isApproverFree, isRequesterFree] = await Promise.all([
    holdsWithout(db, approver.userId, approver.right, requester.userId),
    holdsWithout(db, requester.userId, requester.right, approver.userId),
  ]);
  if (!isApproverFree || !isRequesterFree) throw new ApiError('RIGHT_GIVER');
}

/** Changes users or roles, and refuses the change if no user could press the emergency stop afterwards. */
export async function changeWithStopHolder<T>(tx: Tx, stop: Right, change: () => Promise<T>): Promise<T> {
  const had = await hasHolder(tx, stop);
  const done = await change();
  if (had && !(await hasHolder(tx, stop))) throw new ApiError('LAST_STOP');
  return done;
}
