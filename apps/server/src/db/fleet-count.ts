import type { CommunicationMode, Freshness, InventoryState } from '@hes/contract/states/device.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, User } from '#platform/context.ts';
import { freshnessClass, nodeOf, visible } from './scope.ts';

/** Meters that hang at the same transformer and are alike. */
export interface FleetRow {
  transformerId: string | null;
  inventoryState: InventoryState;
  communicationMode: CommunicationMode;
  freshness: Freshness;
  meters: number;
}

/** Up to here counting takes milliseconds and is done whenever somebody asks. */
const SMALL_FLEET = 20_000;
const COUNTED_EVERY_MS = 60_000;

interface Counted {
  rows: Promise<FleetRow[]>;
  until: number;
}

const known = new WeakMap<Db, Counted>();

const count = (db: Db): Promise<FleetRow[]> =>
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
    .execute();

/**
 * The whole fleet counted in one pass. That pass takes a second for a million meters and is wanted by every tree, badge and
 * dashboard: of a large fleet it is made once a minute for all of them, and never by an answer of its own.
 */
export async function countFleet(db: Db): Promise<FleetRow[]> {
  const last = known.get(db);
  if (last !== undefined && last.until > performance.now()) return last.rows;
  // Whoever asks while it is being counted waits for the same count.
  const counted: Counted = { rows: count(db), until: Infinity };
  known.set(db, counted);
  try {
    const rows = await counted.rows;
    const isLarge = rows.reduce((sum, row) => sum + row.meters, 0) > SMALL_FLEET;
    counted.until = isLarge ? performance.now() + COUNTED_EVERY_MS : 0;
    return rows;
  } catch (error) {
    known.delete(db);
    throw error;
  }
}

/** Of the fleet what the user may see, at or under a level or a transformer; undefined for a node that has no part of its own. */
export async function countFleetWithin(db: Db, user: User, node: string | undefined): Promise<FleetRow[] | undefined> {
  const { kind, id } = node === undefined ? { kind: undefined, id: '' } : nodeOf(node);
  if (kind === 'dcu' || kind === 'meter') return undefined;
  const rows = await countFleet(db);
  if (kind === undefined && user.scope.length === 0) return rows;
  const found = await db
    .selectFrom('transformer')
    .innerJoin('networkLevel', 'networkLevel.id', 'transformer.levelId')
    .where(visible('transformer.id', user))
    .$if(kind === 'transformer', (query) => query.where('transformer.id', '=', id))
    .$if(kind === 'level', (query) => query.where(sql<boolean>`network_level.path @> array[${id}]::bigint[]`))
    .select('transformer.id')
    .execute();
  const within = new Set(found.map((row) => row.id));
  return rows.filter((row) => row.transformerId !== null && within.has(row.transformerId));
}

/** Meters by transformer, as a table to join: `transformer_id`, `meters`. */
export async function metersByTransformer(db: Db): Promise<RawBuilder<unknown>> {
  const meters = new Map<string, number>();
  for (const row of await countFleet(db))
    if (row.transformerId !== null) meters.set(row.transformerId, (meters.get(row.transformerId) ?? 0) + row.meters);
  return sql`unnest(${[...meters.keys()]}::bigint[], ${[...meters.values()]}::int[])`;
}
