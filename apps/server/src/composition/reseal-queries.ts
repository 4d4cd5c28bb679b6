import { sql, type RawBuilder } from 'kysely';
import type { Db } from '#db/context.ts';

const ROWS_A_BATCH = 200;

/** A column that stores sealed secrets, the key of its rows, and the purpose that each secret is bound to. */
export interface SealedColumn {
  table: string;
  key: string;
  column: string;
  purpose: RawBuilder<string>;
}

const deviceColumns = (table: 'dcu' | 'meter'): SealedColumn[] =>
  (['ek', 'ak', 'password', 'master'] as const).map((name) => ({
    table,
    key: 'id',
    column: `${name === 'master' ? 'master_key' : name}_secret`,
    purpose: sql<string>`${sql.lit(`${table}/`)} || sn || ${sql.lit(`/${name}`)}`,
  }));

/** Every sealed column outside of the traces. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'second_factor', key: 'user_id', column: 'secret', purpose: sql<string>`'user/' || user_id || '/totp'` },
  ...deviceColumns('dcu'),
  ...deviceColumns('meter'),
  { table: 'meter_key_transfer', key: 'meter_id', column: 'ek_secret', purpose: sql<string>`'meter/' || sn || '/ek'` },
  { table: 'meter_key_transfer', key: 'meter_id', column: 'ak_secret', purpose: sql<string>`'meter/' || sn || '/ak'` },
  { table: 'certificate', key: 'id', column: 'private_key_secret', purpose: sql<string>`'head-end/' || encode(public_key, 'hex')` },
  { table: 'held_call', key: 'id', column: 'content', purpose: sql<string>`'held-call/' || route || '/' || requested_by` },
  { table: 'sender', key: 'id', column: 'secret', purpose: sql<string>`'sender/' || ref` },
  { table: 'alarm_channel', key: 'id', column: 'secret', purpose: sql<string>`'alarm-channel/' || ref` },
  { table: 'identity_provider', key: 'id', column: 'secret', purpose: sql<string>`'identity-provider/' || ref` },
  { table: 'import_job', key: 'id', column: 'content', purpose: sql<string>`'import/' || entity || '/' || user_id` },
];

/** Tables whose frames start with the sealed keys of their devices. */
export const SEALED_TRACES = ['trace', 'command_trace'] as const;
type TraceTable = (typeof SEALED_TRACES)[number];

interface StoredSecret {
  rowId: string;
  sealed: Buffer;
  purpose: string;
}

/** The next batch of rows after the key `after` whose secret does not start with `mark`, the mark of the current key. */
export async function findFormerSecrets(
  db: Db,
  { table, key, column, purpose }: SealedColumn,
  { after, mark }: { after: string; mark: Uint8Array },
): Promise<StoredSecret[]> {
  const [id, secret] = [sql.ref(key), sql.ref(column)];
  const { rows } = await sql<StoredSecret>`
    select ${id}::text as row_id, ${secret} as sealed, ${purpose} as purpose from ${sql.table(table)}
    where ${id} > ${after}::bigint and substring(${secret} from 1 for ${mark.length}) <> ${mark}
    order by ${id} limit ${ROWS_A_BATCH}`.execute(db);
  return rows;
}

export interface RenewedSecret {
  id: string;
  sealed: Buffer;
  renewed: Buffer;
}

/** Replaces secrets. A row whose secret changed since it was read stays unchanged. */
export const replaceSecrets = (tx: Db, { table, key, column }: SealedColumn, changes: readonly RenewedSecret[]) =>
  sql`
    update ${sql.table(table)} t set ${sql.ref(column)} = g.renewed
    from unnest(${changes.map((row) => row.id)}::bigint[], ${changes.map((row) => row.sealed)}::bytea[], ${changes.map((row) => row.renewed)}::bytea[])
      as g (id, sealed, renewed)
    where t.${sql.ref(key)} = g.id and t.${sql.ref(column)} = g.sealed`.execute(tx);

/** The next batch of traces after the id `after`, each with the first `headBytes` bytes of its frames. */
export async function findTraceHeads(db: Db, table: TraceTable, { after, headBytes }: { after: string; headBytes: number }) {
  const { rows } = await sql<{ id: string; head: Buffer }>`
    select id, substring(frames from 1 for ${headBytes}) as head from ${sql.table(table)}
    where id > ${after}::uuid order by id limit ${ROWS_A_BATCH}`.execute(db);
  return rows;
}

export interface RenewedTrace {
  id: string;
  head: Buffer;
  prefix: Buffer;
  /** Bytes of the stored frames that `prefix` replaces. */
  replaced: number;
}

/** Replaces the sealed keys at the start of traces. A trace that changed since it was read stays unchanged. */
export const replaceTraceKeys = (tx: Db, table: TraceTable, changes: readonly RenewedTrace[]) =>
  sql`
    update ${sql.table(table)} t set frames = g.prefix || substring(t.frames from g.replaced + 1)
    from unnest(${changes.map((row) => row.id)}::uuid[], ${changes.map((row) => row.head)}::bytea[], ${changes.map((row) => row.prefix)}::bytea[],
      ${changes.map((row) => row.replaced)}::int[]) as g (id, head, prefix, replaced)
    where t.id = g.id and substring(t.frames from 1 for g.replaced) = g.head`.execute(tx);

/** Whether relay commands that the former key sealed may still be executed. */
export async function hasFormerOrders(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from relay_command c join task t on t.id = c.task_id
    where c.valid_until > now() and t.created_at < (select began_at from master_key where state = 'current') limit 1`.execute(db);
  return rows.length > 0;
}
