import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { Action } from '@hes/contract/core/route.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Scope, User } from './context.ts';

type Condition = RawBuilder<boolean>;
type Reference = 'transformer.id' | 'dcu.transformerId' | 'endpoint.transformerId' | 'meter.transformerId';

const EVERYTHING: Condition = sql<boolean>`true`;
const NOTHING: Condition = sql<boolean>`false`;

/** The user restricted to the area of one right; undefined when the user does not hold it. */
export function holderOf(user: User, page: string, action: Action): User | undefined {
  const scope = user.actions.get(page)?.get(action);
  return scope && { ...user, scope };
}

export const seesWholeNetwork = ({ scope }: User): boolean => scope.kind === 'whole';

/** Disjunction of conditions, never null; false for an empty list. */
const oneOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? NOTHING : sql<boolean>`(${sql.join(conditions, sql` or `)})`;

/** Whether a transformer is below one of these network levels, at any depth. */
const underLevels = (transformer: RawBuilder<unknown>, levelIds: readonly string[]): Condition =>
  sql<boolean>`exists (
    select from transformer as scope_transformer
    join network_level as scope_level on scope_level.id = scope_transformer.level_id
    where scope_transformer.id = ${transformer} and scope_level.path && ${[...levelIds]}::bigint[])`;

/** Whether a transformer, given by a nullable expression, is in the area. Null is in the whole network only. */
export function transformerWithin(transformer: RawBuilder<unknown>, scope: Scope): Condition {
  if (scope.kind === 'whole') return EVERYTHING;
  const { levelIds, transformerIds } = scope;
  return oneOf([
    ...(levelIds.length > 0 ? [underLevels(transformer, levelIds)] : []),
    ...(transformerIds.length > 0
      ? [sql<boolean>`(${transformer} is not null and ${transformer} = any(${[...transformerIds]}::bigint[]))`]
      : []),
  ]);
}

/** Whether a row is visible to the user. A device without a transformer is visible to users of the whole network only. */
export const visible = (transformer: Reference, user: User): Condition => transformerWithin(sql.ref(transformer), user.scope);

/**
 * Whether a row about a DCU or a meter (joined as `dcu`, left joined as `meter`) is visible. A meter's row belongs to the transformer of
 * the meter, which can differ from that of its DCU.
 */
export const visibleDevice = (user: User): Condition =>
  transformerWithin(sql`coalesce(meter.transformer_id, dcu.transformer_id)`, user.scope);

/** Whether a level is in the user's area with its whole subtree. `path` is the path of the level. */
export function levelWithin(path: RawBuilder<unknown>, { scope }: User): Condition {
  if (scope.kind === 'whole') return EVERYTHING;
  return scope.levelIds.length === 0 ? NOTHING : sql<boolean>`${path} && ${[...scope.levelIds]}::bigint[]`;
}

/** Whether a level leads to the user's area: it is above, at or below one of its nodes. */
export function levelWalkable(level: { id: RawBuilder<unknown>; path: RawBuilder<unknown> }, user: User): Condition {
  const { scope } = user;
  if (scope.kind === 'whole') return EVERYTHING;
  const { levelIds, transformerIds } = scope;
  return oneOf([
    levelWithin(level.path, user),
    sql<boolean>`${level.id} in (
      select unnest(own.path) from network_level as own where own.id = any(${[...levelIds]}::bigint[])
        or own.id in (select level_id from transformer where transformer.id = any(${[...transformerIds]}::bigint[])))`,
  ]);
}

/** DCUs at or below a node; for a meter, the DCU it is connected to. */
export function dcuUnder(key: NodeKey | undefined): Condition {
  if (key === undefined) return EVERYTHING;
  const { kind, id } = nodeOf(key);
  if (kind === 'level') return underLevels(sql.ref('dcu.transformerId'), [id]);
  if (kind === 'transformer') return sql<boolean>`dcu.transformer_id = ${id}`;
  return kind === 'dcu' ? sql<boolean>`dcu.id = ${id}` : sql<boolean>`dcu.id = (select dcu_id from meter where meter.id = ${id})`;
}

/** Meters at or below a node. */
export function meterUnder(key: NodeKey | undefined): Condition {
  if (key === undefined) return EVERYTHING;
  const { kind, id } = nodeOf(key);
  if (kind === 'level') return underLevels(sql.ref('meter.transformerId'), [id]);
  if (kind === 'transformer') return sql<boolean>`meter.transformer_id = ${id}`;
  return kind === 'dcu' ? sql<boolean>`meter.dcu_id = ${id}` : sql<boolean>`meter.id = ${id}`;
}

/** Whether the freshness class of a row is one of these. @spec seed §4 */
export const freshnessIn = (column: 'dcu.lastCommAt' | 'meter.lastCommAt', classes: readonly string[]): Condition =>
  sql<boolean>`${freshnessClass(column)} = any(${[...classes]}::text[])`;

/** A bound of the setting, evaluated once per statement; a changed setting applies to the next statement. */
const freshnessBound = (index: number, hours: number): RawBuilder<Date> =>
  sql`(select now() - make_interval(hours => coalesce((select (value -> 'hours' ->> ${sql.lit(index)}::int)::int from setting where key = 'freshness'), ${sql.lit(hours)})))`;

/** SQL expression for the freshness class of a row, with the values of the contract. */
export const freshnessClass = (
  column: 'dcu.lastCommAt' | 'meter.lastCommAt',
): RawBuilder<'h24' | 'h24_48' | 'h48_72' | 'over72' | 'none'> =>
  sql`case
    when ${sql.ref(column)} is null then 'none'
    when ${sql.ref(column)} > ${freshnessBound(0, 24)} then 'h24'
    when ${sql.ref(column)} > ${freshnessBound(1, 48)} then 'h24_48'
    when ${sql.ref(column)} > ${freshnessBound(2, 72)} then 'h48_72'
    else 'over72' end`;
