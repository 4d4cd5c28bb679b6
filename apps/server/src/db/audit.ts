import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '#platform/context.ts';

/** One chain: writers take turns, for the length of their transaction. */
const AUDIT_LOCK = 4_059_004;
const GENESIS = Buffer.alloc(32);

export interface AuditEntry {
  /** Null: nobody was signed in. */
  userId: string | null;
  /** `sign_in`, `sign_in_failed`, `password_changed`, `read_ordered`, … */
  action: string;
  entity: string;
  entityId: string | null;
  /** Never a secret. */
  detail?: Record<string, unknown>;
  ip?: string | null;
}

/** The content a row's hash covers, in a form that the database gives back unchanged. */
function contentOf(row: {
  at: Date;
  userId: string | null;
  action: string;
  entity: string;
  entityId: string | null;
  detail: string;
  ip: string | null;
}): string {
  return JSON.stringify([row.at.toISOString(), row.userId, row.action, row.entity, row.entityId, row.detail, row.ip]);
}

const hashOf = (previous: Buffer, content: string) => createHash('sha256').update(previous).update(content).digest();

/** jsonb keeps no order of keys: sorted, so that a row read back hashes to the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Writes what happened into the same transaction as its effect: both stand, or neither. */
export async function writeAudit(tx: Tx, entry: AuditEntry, now: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`.execute(tx);
  const last = await tx.selectFrom('auditLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
  const prevHash = last?.hash ?? GENESIS;
  const row = {
    at: new Date(now),
    userId: entry.userId,
    action: entry.action,
    entity: entry.entity,
    entityId: entry.entityId,
    detail: canonical(entry.detail ?? {}),
    ip: entry.ip ?? null,
  };
  await tx
    .insertInto('auditLog')
    .values({ ...row, prevHash, hash: hashOf(prevHash, contentOf(row)) })
    .execute();
}

/** The id of the first row that does not follow from the one before it; undefined when the chain is whole. */
export async function findBrokenAudit(tx: Tx): Promise<string | undefined> {
  let previous: Buffer = GENESIS;
  for (const row of await tx.selectFrom('auditLog').selectAll().orderBy('id').execute()) {
    const expected = hashOf(previous, contentOf({ ...row, detail: canonical(row.detail) }));
    if (!row.prevHash.equals(previous) || !row.hash.equals(expected)) return row.id;
    previous = row.hash;
  }
  return undefined;
}
