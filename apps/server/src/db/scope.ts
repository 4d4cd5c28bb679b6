import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { sql, type RawBuilder } from 'kysely';
import type { User } from '#platform/context.ts';

type Condition = RawBuilder<boolean>;
type Reference = 'transformer.id' | 'dcu.transformerId' | 'meter.transformerId';

const EVERYTHING: Condition = sql<boolean>`true`;

/** Under one of these network levels, at any depth. */
const underLevels = (transformer: Reference, levelIds: readonly string[]): Condition =>
  sql<boolean>`exists (
    select from transformer as scope_transformer
    join network_level as scope_level on scope_level.id = scope_transformer.level_id
    where scope_transformer.id = ${sql.ref(transformer)} and scope_level.path && ${[...levelIds]}::bigint[])`;

/** What the user may see. A device that hangs nowhere belongs to those who see everything. */
export const visible = (transformer: Reference, user: User): Condition =>
  user.scope.length === 0 ? EVERYTHING : underLevels(transformer, user.scope);

/** A node's key taken apart: `dcu:7` is the DCU with id 7. */
export function nodeOf(key: NodeKey): { kind: 'level' | 'transformer' | 'dcu' | 'meter'; id: string } {
  const [kind, id] = key.split(':');
  // as: the contract's pattern admits nothing else.
  return { kind: kind as 'level' | 'transformer' | 'dcu' | 'meter', id: id as string };
}

/** DCUs at or under a node; of a meter, the DCU that serves it. */
export function dcuUnder(key: NodeKey | undefined): Condition {
  if (key === undefined) return EVERYTHING;
  const { kind, id } = nodeOf(key);
  if (kind === 'level') return underLevels('dcu.transformerId', [id]);
  if (kind === 'transformer') return sql<boolean>`dcu.transformer_id = ${id}`;
  return kind === 'dcu' ? sql<boolean>`dcu.id = ${id}` : sql<boolean>`dcu.id = (select dcu_id from meter where meter.id = ${id})`;
}

/** Meters at or under a node. */
export function meterUnder(key: NodeKey | undefined): Condition {
  if (key === undefined) return EVERYTHING;
  const { kind, id } = nodeOf(key);
  if (kind === 'level') return underLevels('meter.transformerId', [id]);
  if (kind === 'transformer') return sql<boolean>`meter.transformer_id = ${id}`;
  return kind === 'dcu' ? sql<boolean>`meter.dcu_id = ${id}` : sql<boolean>`meter.id = ${id}`;
}

/** Bounds of the five freshness classes, oldest last. @spec seed §4 */
export const freshnessIn = (column: 'dcu.lastCommAt' | 'meter.lastCommAt', classes: readonly string[]): Condition =>
  sql<boolean>`${freshnessClass(column)} = any(${[...classes]}::text[])`;

/** A bound of the setting, asked once per statement: a changed setting holds from the next question on. */
const freshnessBound = (index: number, hours: number): RawBuilder<Date> =>
  sql`(select now() - make_interval(hours => coalesce((select (value -> 'hours' ->> ${sql.lit(index)}::int)::int from setting where key = 'freshness'), ${sql.lit(hours)})))`;

/** The freshness class of a row, as the contract names it. */
export const freshnessClass = (
  column: 'dcu.lastCommAt' | 'meter.lastCommAt',
): RawBuilder<'h24' | 'h24_48' | 'h48_72' | 'over72' | 'none'> =>
  sql`case
    when ${sql.ref(column)} is null then 'none'
    when ${sql.ref(column)} > ${freshnessBound(0, 24)} then 'h24'
    when ${sql.ref(column)} > ${freshnessBound(1, 48)} then 'h24_48'
    when ${sql.ref(column)} > ${freshnessBound(2, 72)} then 'h48_72'
    else 'over72' end`;
