import type { RelayLimits } from '@hes/contract/action/relay.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#platform/context.ts';
import { isSealed, limitParts, sealOrder } from '#platform/order-seal.ts';
import type { Secrets } from '#platform/secrets.ts';

/** In force until somebody changes it, and wherever no line can be believed. */
export const BUILT_IN_LIMITS: RelayLimits = { maxMetersPerHour: 50, maxKwPerHour: 1000, aloneUpTo: 10, spreadS: 0 };

interface Line extends RelayLimits {
  id: string;
  effectiveAt: Date;
  isInForce: boolean;
  seal: Buffer | null;
}

export interface FoundLimits {
  inForce: RelayLimits;
  /** The newest line, where it is not in force yet. */
  coming: (RelayLimits & { effectiveAt: Date }) | undefined;
  /** Lines that this server did not write. They count for nothing. */
  forged: Line[];
}

export const limitsOf = ({ maxMetersPerHour, maxKwPerHour, aloneUpTo, spreadS }: RelayLimits): RelayLimits => ({
  maxMetersPerHour,
  maxKwPerHour,
  aloneUpTo,
  spreadS,
});

/** The newest sealed line that is in force counts, whatever else stands in the table. */
export async function findLimits(db: Db, secrets: Secrets): Promise<FoundLimits> {
  const lines: Line[] = await db
    .selectFrom('relayLimit')
    .select(['id', 'maxMetersPerHour', 'maxKwPerHour', 'aloneUpTo', 'spreadS', 'effectiveAt', 'seal'])
    .select(sql<boolean>`effective_at <= now()`.as('isInForce'))
    .orderBy('id', 'desc')
    .execute();
  const isOurs = (line: Line): boolean => line.seal !== null && isSealed(secrets, 'relay limit', limitParts(line), line.seal);
  const ours = lines.filter(isOurs);
  const newest = ours[0];
  return {
    inForce: limitsOf(ours.find((line) => line.isInForce) ?? BUILT_IN_LIMITS),
    coming: newest === undefined || newest.isInForce ? undefined : newest,
    forged: lines.filter((line) => !ours.includes(line)),
  };
}

/** Limits that come into force in so many hours. */
export async function insertLimits(
  tx: Tx | Db,
  secrets: Secrets,
  limits: RelayLimits,
  { inHours = 0, changedBy }: { inHours?: number; changedBy: string | null },
): Promise<void> {
  // The seal covers number and moment, so that an old line is worth nothing as a new one. A clock here counts milliseconds.
  const found = await sql<{ id: string; effectiveAt: Date }>`
    select nextval(pg_get_serial_sequence('relay_limit', 'id')) as id,
      date_trunc('milliseconds', now() + make_interval(hours => ${inHours}::int)) as effective_at`.execute(tx);
  const line = found.rows[0];
  if (line === undefined) throw new Error('A line of limits got no number');
  const sealed = { ...limitsOf(limits), ...line };
  const seal = sealOrder(secrets, 'relay limit', limitParts(sealed));
  await sql`
    insert into relay_limit (id, max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s, effective_at, changed_by, seal) overriding system value
    values (${line.id}, ${limits.maxMetersPerHour}, ${limits.maxKwPerHour}, ${limits.aloneUpTo}, ${limits.spreadS}, ${line.effectiveAt}, ${changedBy}, ${seal})`.execute(
    tx,
  );
}
