import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Db, Tx } from './context.ts';

/**
 * Every advisory lock that head-ends of one database share. A number never changes and is never used again: head-ends of two versions exclude
 * each other by it. `archive` is also taken by the trigger of migration 0010.
 */
export const ADVISORY_LOCKS = {
  migration: { number: 4_059_001, purpose: 'One head-end at a time applies migrations.' },
  partition: { number: 4_059_002, purpose: 'A monthly partition is created once.' },
  seed: { number: 4_059_003, purpose: 'The rows of a fresh installation are written once.' },
  audit: { number: 4_059_004, purpose: 'The hash chain of the audit log has one writer at a time.' },
  archive: { number: 4_059_005, purpose: 'The archive records of one DCU change one at a time; keyed by the id of the DCU.' },
  levelTree: { number: 4_059_006, purpose: 'Two moves in the level tree cannot form a cycle together.' },
  event: { number: 4_059_008, purpose: 'An incident is opened once.' },
  commandLog: { number: 4_059_009, purpose: 'The hash chain of the command log has one writer at a time.' },
  relaySwitch: { number: 4_059_021, purpose: 'Two relay commands never use the same remainder of a limit.' },
  relayRequest: { number: 4_059_022, purpose: 'Relay requests are judged one at a time, because each counts against the limits.' },
  refill: { number: 4_059_023, purpose: 'One head-end at a time orders the reading of gaps.' },
  upgradeSupervision: { number: 4_059_024, purpose: 'One head-end at a time supervises upgrades.' },
  owner: { number: 4_059_025, purpose: 'Held as long as an owner of leases is alive; keyed by the hash of its name.' },
  topologySnapshot: {
    number: 4_059_026,
    purpose: 'Two topologies of one DCU are compared with different predecessors; keyed by the id of the DCU.',
  },
  topologySetting: { number: 4_059_027, purpose: 'The topology settings of one DCU change one at a time; keyed by the id of the DCU.' },
  topologySwitch: { number: 4_059_028, purpose: 'The network of one DCU is switched one order at a time; keyed by the id of the DCU.' },
  outbox: {
    number: 4_059_029,
    purpose:
      'A new reader of the outbox waits for the transactions that did not write for it; shared by these, keyed by the hash of the kind.',
  },
  backup: { number: 4_059_060, purpose: 'One backup of the built-in database is made at a time; held by its connection.' },
} as const satisfies Record<string, { number: number; purpose: string }>;

type AdvisoryLock = keyof typeof ADVISORY_LOCKS;
type KeyedByDcu = 'archive' | 'topologySnapshot' | 'topologySetting' | 'topologySwitch';
type Unkeyed = Exclude<AdvisoryLock, KeyedByDcu | 'owner' | 'outbox' | 'backup'>;

/** Waits for a lock, which ends with the transaction. */
export async function lockInTransaction(tx: Tx, lock: Unkeyed): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[lock].number})`.execute(tx);
}

/** The same on a connection of the driver, inside a transaction. */
export async function lockInTransactionOf(client: ClientBase, lock: Unkeyed): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS[lock].number]);
}

/** Waits for the lock of one DCU, which ends with the transaction. */
export async function lockDcuInTransaction(tx: Tx, lock: KeyedByDcu, dcuId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[lock].number}, ${dcuId}::int)`.execute(tx);
}

/** False: another transaction holds the lock. */
export async function tryLockInTransaction(tx: Db | Tx, lock: Unkeyed): Promise<boolean> {
  const { rows } = await sql<{ isTaken: boolean }>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock].number}) as is_taken`.execute(
    tx,
  );
  return rows[0]?.isTaken === true;
}

/** Waits for all transactions that announce rows of a kind, and holds new ones until the transaction ends. */
export async function lockOutboxInTransaction(tx: Tx, kind: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.outbox.number}, hashtext(${kind}))`.execute(tx);
}

/** Holds the lock of an owner until the connection ends, which must not lead through a pooler. */
export async function holdOwnerLock(client: ClientBase, owner: string): Promise<void> {
  await client.query('select pg_advisory_lock($1, hashtext($2))', [ADVISORY_LOCKS.owner.number, owner]);
}

/** Tries the lock of backups, which the connection holds until it ends. */
export async function tryBackupLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCKS.backup.number]);
  return rows[0]?.taken === true;
}
