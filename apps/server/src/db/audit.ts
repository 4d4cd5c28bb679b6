import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction, AuditEntity } from '@hes/contract/audit/actions.ts';
import { lockInTransaction } from './advisory-locks.ts';
import type { Db, Tx, User } from './context.ts';
import { findAuditNames } from './audit-names.ts';
import { canonical } from './canonical.ts';
import { GENESIS, hashOf, type HashedRow } from './hash-chain.ts';

/** Counts the audit rows that a request writes. */
const recording = new AsyncLocalStorage<{ records: number }>();

/** Runs a handler and counts the audit rows that it writes. */
export async function countAuditRows<T>(run: () => T | Promise<T>): Promise<{ answer: T; records: number }> {
  const counter = { records: 0 };
  const answer = await recording.run(counter, run);
  return { answer, records: counter.records };
}

/** Token of the program whose call is running. */
const callingToken = new AsyncLocalStorage<{ userId: string; name: string }>();

/** Runs the call of a user; audit rows of a program name its token. */
export function asToken<T>(user: User | undefined, run: () => T): T {
  const token = user?.program?.token;
  return user === undefined || token === undefined ? run() : callingToken.run({ userId: user.id, name: token.name }, run);
}

export interface AuditEntry {
  /** Null: the caller was not signed in. */
  userId: string | null;
  action: AuditAction;
  entity: AuditEntity;
  entityId: string | null;
  /** Never contains a secret. The names of entities that it refers to by id are added as `names`. */
  detail?: Record<string, unknown>;
  ip?: string | null;
}

/** The content that the hash of a row covers, in a form that survives a round trip through the database. */
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

/**
 * Writes an audit entry in the transaction of its effect. The entry stores the current names of the entities it refers to by id, because
 * they can be renamed or deleted later.
 */
export async function writeAudit(tx: Tx, entry: AuditEntry, now: number): Promise<void> {
  const { action, entity, entityId } = entry;
  const token = callingToken.getStore();
  const detail = { ...entry.detail, ...(token?.userId === entry.userId ? { token: token?.name } : {}) };
  const names = await findAuditNames(tx, entry.userId, { action, entity, entityId, detail });
  await lockInTransaction(tx, 'audit');
  const last = await tx.selectFrom('auditLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
  const prevHash = last?.hash ?? GENESIS;
  const row = {
    at: new Date(now),
    userId: entry.userId,
    action: entry.action,
    entity: entry.entity,
    entityId: entry.entityId,
    detail: canonical(Object.keys(names).length > 0 ? { ...detail, names } : detail),
    ip: entry.ip ?? null,
  };
  await tx
    .insertInto('auditLog')
    .values({ ...row, prevHash, hash: hashOf(tx, prevHash, contentOf(row)) })
    .execute();
  const counter = recording.getStore();
  if (counter !== undefined) counter.records += 1;
}

/** The fields that differ between two states of a record. */
export function changedFields(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(after).filter((key) => canonical(before[key]) !== canonical(after[key]));
  const only = (state: Record<string, unknown>) => Object.fromEntries(keys.map((key) => [key, state[key] ?? null]));
  return { before: only(before), after: only(after) };
}

/** Certificates are long, and their beginning tells a change as well. */
const MAX_AUDITED = 200;
export const startOfValue = (value: string | number | boolean): string => String(value).slice(0, MAX_AUDITED);

/** Names of the secrets that were replaced, for an audit entry. The entry never contains their values. */
export function newSecretsIn(entered: Readonly<Record<string, string>>): { newSecrets?: string[] } {
  const names = Object.keys(entered).filter((name) => entered[name] !== '');
  return names.length === 0 ? {} : { newSecrets: names.toSorted() };
}

/** Rows of the log after this id, each with the content that its hash covers. */
export async function auditRowsAfter(db: Db, id: string, limit: number): Promise<HashedRow[]> {
  const rows = await db.selectFrom('auditLog').where('id', '>', id).selectAll().orderBy('id').limit(limit).execute();
  return rows.map((row) => ({ ...row, content: contentOf({ ...row, detail: canonical(row.detail) }) }));
}
