import type { AuditRow } from '@hes/contract/manager/audit.ts';
import type { Chain } from '@hes/contract/audit/actions.ts';
import { sql } from 'kysely';
import { containing, countUpTo, type PageQuery } from '#db/paging.ts';
import { userWithin } from '#db/user-scope.ts';
import { lastOf, rowsBefore } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';

export interface AuditFilter {
  userId?: string | undefined;
  username?: string | undefined;
  action?: readonly string[] | undefined;
  entity?: readonly string[] | undefined;
  entityId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before?: string | undefined;
}

function entries(db: Db, user: User, filter: AuditFilter) {
  let rows = db.selectFrom('auditLog').leftJoin('appUser', 'appUser.id', 'auditLog.userId').where(userWithin('auditLog.userId', user));
  if (filter.userId) rows = rows.where('auditLog.userId', '=', filter.userId);
  if (filter.username) rows = rows.where('appUser.username', 'ilike', containing(filter.username));
  if (filter.action) rows = rows.where(sql<boolean>`audit_log.action = any(${[...filter.action]}::text[])`);
  if (filter.entity) rows = rows.where(sql<boolean>`audit_log.entity = any(${[...filter.entity]}::text[])`);
  if (filter.entityId) rows = rows.where('auditLog.entityId', '=', filter.entityId);
  if (filter.from) rows = rows.where('auditLog.at', '>=', new Date(filter.from));
  if (filter.to) rows = rows.where('auditLog.at', '<', new Date(filter.to));
  if (filter.before) rows = rows.where('auditLog.id', '<', filter.before);
  return rows;
}

/** The log has one order, newest first; a `sort` of the query is ignored. */
export async function listAudit(db: Db, user: User, query: PageQuery & AuditFilter) {
  const rows = entries(db, user, query);
  const last = lastOf<AuditRow>(query);
  const [items, counted] = await Promise.all([
    (last === undefined ? rows : rows.where('auditLog.id', '<', last.id))
      .select([
        'auditLog.id',
        'auditLog.at',
        'auditLog.userId',
        'appUser.username',
        'appUser.name as userName',
        'auditLog.action',
        'auditLog.entity',
        'auditLog.entityId',
        'auditLog.detail',
        'auditLog.ip',
        'auditLog.hash',
      ])
      .orderBy('auditLog.id', 'desc')
      .limit(query.size)
      .offset(rowsBefore(query))
      .execute(),
    countUpTo(db, rows.select('auditLog.id')),
  ]);
  const toRow = (row: (typeof items)[number]): AuditRow => ({
    ...row,
    at: row.at.toISOString(),
    // as: written by `writeAudit`, which takes objects only.
    detail: row.detail as Record<string, unknown>,
    hash: row.hash.toString('hex'),
  });
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function countRows(db: Db, chain: Chain): Promise<number> {
  const { total } = await db
    .selectFrom(chain === 'audit' ? 'auditLog' : 'commandLog')
    .select((expression) => expression.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}
