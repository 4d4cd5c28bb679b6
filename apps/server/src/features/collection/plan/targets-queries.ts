import type { PlanTarget } from '@hes/contract/states/plan.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing } from '#db/paging.ts';
import { levelWithin, seesWholeNetwork, visible } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, User } from '#db/context.ts';

const MOST_CHOICES = 50;

export interface Choice {
  id: string;
  name: string;
}

type Rows = RawBuilder<Choice>;

/** Possible targets of a kind in the caller's area; `name` is the column for display and search. */
function rowsOf(kind: PlanTarget, user: User): Rows {
  switch (kind) {
    case 'level':
      return sql`select l.id, l.name from network_level l where ${levelWithin(sql`l.path`, user)}`;
    case 'transformer':
      return sql`select transformer.id, transformer.name from transformer where ${visible('transformer.id', user)}`;
    case 'dcu':
      return sql`select dcu.id, dcu.sn as name from dcu where ${visible('dcu.transformerId', user)}`;
    case 'meter':
      return sql`select meter.id, meter.sn as name from meter where ${visible('meter.transformerId', user)}`;
    case 'meter_type':
      return sql`select meter_type.id, meter_type.name from meter_type where ${seesWholeNetwork(user)}`;
    case 'all':
      return sql`select 0::bigint as id, '' as name where false`;
  }
}

export async function listChoices(
  db: Db,
  user: User,
  query: { kind: PlanTarget; search?: string | undefined; ids?: readonly string[] | undefined },
): Promise<Choice[]> {
  const wanted =
    query.ids !== undefined
      ? sql<boolean>`c.id = any(${[...query.ids]}::bigint[])`
      : sql<boolean>`c.name ilike ${containing(query.search ?? '')}`;
  const limit = query.ids?.length ?? MOST_CHOICES;
  const { rows } =
    await sql<Choice>`select c.id::text as id, c.name from (${rowsOf(query.kind, user)}) c where ${wanted} order by c.name limit ${limit}`.execute(
      db,
    );
  return rows;
}

/** Ids of targets by their names in lower case. */
export async function findTargets(db: Db, user: User, kind: PlanTarget, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const wanted = names.map((name) => name.toLowerCase());
  const { rows } =
    await sql<Choice>`select c.id::text as id, c.name from (${rowsOf(kind, user)}) c where lower(c.name) = any(${wanted}::text[])`.execute(
      db,
    );
  return new Map(rows.map(({ id, name }) => [name.toLowerCase(), id]));
}

/** Whether all targets of a plan lie within the caller's area. */
export async function isOwnTarget(db: Db, user: User, kind: PlanTarget, ids: readonly string[]): Promise<boolean> {
  if (kind === 'all' || kind === 'meter_type') return seesWholeNetwork(user);
  return (await listChoices(db, user, { kind, ids: [...new Set(ids)] })).length === new Set(ids).size;
}

/** Rejects targets that do not exist or lie outside of the caller's area. */
export async function requireTargets(db: Db, user: User, kind: PlanTarget, ids: readonly string[]): Promise<void> {
  if (kind === 'all') {
    if (!seesWholeNetwork(user)) throw new ApiError('BEYOND_OWN_RIGHTS', {}, 'targetKind');
    return;
  }
  if (kind === 'meter_type' && !seesWholeNetwork(user)) throw new ApiError('BEYOND_OWN_RIGHTS', {}, 'targetKind');
  if (!(await isOwnTarget(db, user, kind, ids))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'targetIds');
}
