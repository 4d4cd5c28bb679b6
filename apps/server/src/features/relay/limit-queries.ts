import type { RelayLimits } from '@hes/contract/action/relay.ts';
import { LOOSENING_HOURS } from '@hes/contract/action/relay-rules.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { isSealed, limitParts, limitApprovalParts, sealOrder, type StoredLimits } from '#platform/order-seal.ts';
import type { Secrets } from '#platform/secrets.ts';

/** In force until they are changed, and whenever no stored row has a valid seal. */
export const BUILT_IN_LIMITS: RelayLimits = {
  maxMetersPerHour: 50,
  maxKwPerHour: 1000,
  maxMetersPerDay: 500,
  soloLimitPerHour: 10,
  soloFromHour: 0,
  soloToHour: 24,
  spreadS: 0,
};

interface Line extends StoredLimits {
  createdAt: Date;
  isDue: boolean;
  seal: Buffer | null;
  givenBy: string | null;
  word: Buffer | null;
  /** Time of the approval. */
  givenAt: Date | null;
  isRecent: boolean;
}

interface PendingLimits extends RelayLimits {
  id: string;
  createdAt: Date;
  effectiveAt: Date;
  changedBy: string | null;
  isApproved: boolean;
}

export interface FoundLimits {
  inForce: RelayLimits;
  /** The newest row, if it is not in force yet. */
  pending: PendingLimits | undefined;
  /** Limits in force within the last `LOOSENING_HOURS`, the present ones first. */
  recent: RelayLimits[];
  /** Rows without a valid seal. They are ignored. */
  forged: (RelayLimits & { id: string })[];
}

/** Fields that an older version did not store take their built-in values. */
export const limitsOf = (line: StoredLimits | RelayLimits): RelayLimits => ({
  maxMetersPerHour: line.maxMetersPerHour,
  maxKwPerHour: line.maxKwPerHour,
  maxMetersPerDay: line.maxMetersPerDay ?? BUILT_IN_LIMITS.maxMetersPerDay,
  soloLimitPerHour: line.soloLimitPerHour,
  soloFromHour: line.soloFromHour ?? BUILT_IN_LIMITS.soloFromHour,
  soloToHour: line.soloToHour ?? BUILT_IN_LIMITS.soloToHour,
  spreadS: line.spreadS,
});

/** The newest sealed row in force applies, regardless of other rows in the table. */
export async function findLimits(db: Db, secrets: Secrets): Promise<FoundLimits> {
  const lines: Line[] = await db
    .selectFrom('relayLimit as l')
    .leftJoin('relayLimitWord as w', 'w.limitId', 'l.id')
    .select([
      'l.id',
      'l.maxMetersPerHour',
      'l.maxKwPerHour',
      'l.maxMetersPerDay',
      'l.aloneUpTo as soloLimitPerHour',
      'l.aloneFromHour as soloFromHour',
      'l.aloneToHour as soloToHour',
    ])
    .select([
      'l.spreadS',
      'l.effectiveAt',
      'l.createdAt',
      'l.changedBy',
      'l.needsSecond',
      'l.seal',
      'w.givenBy',
      'w.givenAt',
      'w.seal as word',
    ])
    .select(sql<boolean>`l.effective_at <= now()`.as('isDue'))
    .select(sql<boolean>`greatest(l.effective_at, w.given_at) > now() - make_interval(hours => ${LOOSENING_HOURS}::int)`.as('isRecent'))
    .orderBy('l.id', 'desc')
    .execute();
  const isOurs = (line: Line): boolean => line.seal !== null && isSealed(secrets, 'relay limit', limitParts(line), line.seal);
  const isApproved = ({ id, needsSecond, changedBy, givenBy, word }: Line): boolean =>
    needsSecond !== true ||
    (givenBy !== null &&
      word !== null &&
      givenBy !== changedBy &&
      isSealed(secrets, 'relay limit word', limitApprovalParts({ id, changedBy, givenBy }), word));
  const isInForce = (line: Line): boolean => line.isDue && isApproved(line);
  const ours = lines.filter(isOurs);
  const [newest] = ours;
  return {
    inForce: limitsOf(ours.find(isInForce) ?? BUILT_IN_LIMITS),
    recent: recentOf(ours.filter(isInForce)),
    pending: newest === undefined || isInForce(newest) ? undefined : pendingOf(newest, isApproved(newest)),
    forged: lines.filter((line) => !ours.includes(line)).map((line) => ({ ...limitsOf(line), id: line.id })),
  };
}

/** Rows that were in force within the last hours, newest first: up to the first one that began before. */
function recentOf(lines: readonly Line[]): RelayLimits[] {
  const older = lines.findIndex((line) => !line.isRecent);
  return older === -1 ? [...lines.map(limitsOf), BUILT_IN_LIMITS] : lines.slice(0, older + 1).map(limitsOf);
}

function pendingOf(line: Line, isApproved: boolean): PendingLimits {
  const { id, createdAt, effectiveAt, changedBy } = line;
  return { ...limitsOf(line), id, createdAt, effectiveAt, changedBy, isApproved };
}

interface Manner {
  /** Hours until they come into force. */
  inHours?: number;
  /** Whether they require the approval of another user. */
  needsSecond?: boolean;
  changedBy: string | null;
}

export async function insertLimits(
  tx: Tx | Db,
  secrets: Secrets,
  limits: RelayLimits,
  { inHours = 0, needsSecond = false, changedBy }: Manner,
): Promise<void> {
  // The seal covers id and time, so that a copy of an old row is invalid. The time is rounded to milliseconds.
  const found = await sql<{ id: string; effectiveAt: Date }>`
    select nextval(pg_get_serial_sequence('relay_limit', 'id')) as id,
      date_trunc('milliseconds', now() + make_interval(hours => ${inHours}::int)) as effective_at`.execute(tx);
  const line = found.rows[0];
  if (line === undefined) throw new Error('A line of limits got no number');
  const stored = { ...limitsOf(limits), ...line, needsSecond, changedBy };
  const seal = sealOrder(secrets, 'relay limit', limitParts(stored));
  await sql`
    insert into relay_limit (id, max_meters_per_hour, max_kw_per_hour, max_meters_per_day, alone_up_to, alone_from_hour, alone_to_hour, spread_s,
      needs_second, effective_at, changed_by, seal) overriding system value
    values (${line.id}, ${stored.maxMetersPerHour}, ${stored.maxKwPerHour}, ${stored.maxMetersPerDay}, ${stored.soloLimitPerHour}, ${stored.soloFromHour},
      ${stored.soloToHour}, ${stored.spreadS}, ${needsSecond}, ${line.effectiveAt}, ${changedBy}, ${seal})`.execute(tx);
}

/** Stores the approval. Returns false if the limits are already approved. */
export async function insertApproval(
  tx: Tx,
  secrets: Secrets,
  { id, changedBy, givenBy }: { id: string; changedBy: string | null; givenBy: string },
): Promise<boolean> {
  const seal = sealOrder(secrets, 'relay limit word', limitApprovalParts({ id, changedBy, givenBy }));
  const given = await tx
    .insertInto('relayLimitWord')
    .values({ limitId: id, givenBy, seal })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(given.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Appends the limits in force again, sealed with the current key. Pending looser limits are dropped and must be requested again. */
export async function renewLimits(tx: Tx, secrets: Secrets): Promise<void> {
  const line = await tx.selectFrom('relayLimit').select('id').limit(1).executeTakeFirst();
  if (line !== undefined) await insertLimits(tx, secrets, (await findLimits(tx, secrets)).inForce, { changedBy: null });
}
