import type { CommunicationMode, Freshness, InventoryState } from '@hes/contract/states/device.ts';
import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { sql, type RawBuilder } from 'kysely';
import { cachedQuery, SMALL_FLEET } from './cached-query.ts';
import type { Db, User } from './context.ts';
import { freshnessClass, seesWholeNetwork, visible } from './scope.ts';

/** Number of meters of one transformer that share state, communication mode and freshness. */
export interface FleetRow {
  transformerId: string | null;
  inventoryState: InventoryState;
  communicationMode: CommunicationMode;
  freshness: Freshness;
  meters: number;
}

const isLarge = (rows: readonly { meters: number }[]) => rows.reduce((sum, row) => sum + row.meters, 0) > SMALL_FLEET;

/**
 * Counts the whole fleet in one scan, which takes a second for a million meters. Trees, badges and dashboards share one cached result per
 * minute when the fleet is large.
 */
export const countFleet = cachedQuery<FleetRow[]>(
  (db) =>
    db
      .selectFrom('meter')
      .select([
        'transformerId',
        'inventoryState',
        'communicationMode',
        freshnessClass('meter.lastCommAt').as('freshness'),
        sql<number>`count(*)::int`.as('meters'),
      ])
      .groupBy(['transformerId', 'inventoryState', 'communicationMode', sql`4`])
      .execute(),
  isLarge,
);

interface TypeRow {
  transformerId: string | null;
  meterTypeId: string;
  supplierId: string;
  meters: number;
}

/** The same scan by type, for the lists of types and suppliers. */
export const countFleetByType = cachedQuery<TypeRow[]>(
  (db) =>
    db
      .selectFrom('meter')
      .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
      .select(['transformerId', 'meterTypeId', 'supplierId', sql<number>`count(*)::int`.as('meters')])
      .groupBy(['transformerId', 'meterTypeId', 'supplierId'])
      .execute(),
  isLarge,
);

/** Number of visible meters by type or supplier. */
export async function countTypesWithin(db: Db, user: User, key: 'meterTypeId' | 'supplierId'): Promise<Map<string, number>> {
  const rows = await countFleetByType(db);
  const within = seesWholeNetwork(user) ? undefined : await transformersWithin(db, user, undefined);
  const counts = new Map<string, number>();
  for (const row of rows)
    if (within === undefined || (row.transformerId !== null && within.has(row.transformerId)))
      counts.set(row[key], (counts.get(row[key]) ?? 0) + row.meters);
  return counts;
}

async function transformersWithin(
  db: Db,
  user: User,
  node: { kind: 'level' | 'transformer'; id: string } | undefined,
): Promise<ReadonlySet<string>> {
  const { kind, id = '' } = node ?? {};
  const found = await db
    .selectFrom('transformer')
    .innerJoin('networkLevel', 'networkLevel.id', 'transformer.levelId')
    .where(visible('transformer.id', user))
    .$if(kind === 'transformer', (query) => query.where('transformer.id', '=', id))
    .$if(kind === 'level', (query) => query.where(sql<boolean>`network_level.path @> array[${id}]::bigint[]`))
    .select('transformer.id')
    .execute();
  return new Set(found.map((row) => row.id));
}

/** Counts of the visible meters, optionally at or below a level or a transformer; undefined for a DCU or a meter. */
export async function countFleetWithin(db: Db, user: User, node: NodeKey | undefined): Promise<FleetRow[] | undefined> {
  const { kind, id } = node === undefined ? { kind: undefined, id: '' } : nodeOf(node);
  if (kind === 'dcu' || kind === 'meter') return undefined;
  const rows = await countFleet(db);
  if (kind === undefined && seesWholeNetwork(user)) return rows;
  const within = await transformersWithin(db, user, kind === undefined ? undefined : { kind, id });
  return rows.filter((row) => row.transformerId !== null && within.has(row.transformerId));
}

/** Meters by transformer, as a table to join: `transformer_id`, `meters`. */
export async function metersByTransformer(db: Db): Promise<RawBuilder<unknown>> {
  const meters = new Map<string, number>();
  for (const row of await countFleet(db))
    if (row.transformerId !== null) meters.set(row.transformerId, (meters.get(row.transformerId) ?? 0) + row.meters);
  return sql`unnest(${[...meters.keys()]}::bigint[], ${[...meters.values()]}::int[])`;
}
