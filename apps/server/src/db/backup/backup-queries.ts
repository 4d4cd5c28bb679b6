import type { Client, Pool } from 'pg';

/** How archiving of the WAL proceeds. */
export interface ArchiveState {
  isOn: boolean;
  failedSince: Date | null;
}

/** Begins a base copy; the connection must stay open until `stopCopy`. Returns the segment that recovery begins with. */
export async function startCopy(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ segment: string }>('select pg_walfile_name(pg_backup_start($1, true)) as segment', [name]);
  return rows[0]?.segment ?? '';
}

export interface CopyEnd {
  lastWal: string;
  label: string;
}

/** Ends a base copy and waits until its WAL is archived. Throws after `withinMs`. */
export async function stopCopy(client: Client, withinMs: number): Promise<CopyEnd> {
  await client.query(`select set_config('statement_timeout', $1, false)`, [String(withinMs)]);
  const { rows } = await client.query<{ lastWal: string; label: string }>(
    'select pg_walfile_name(lsn) as "lastWal", labelfile as label from pg_backup_stop(true)',
  );
  const [end] = rows;
  if (end === undefined) throw new Error('PostgreSQL returned no end of the copy');
  return end;
}

export async function findArchiveState(client: Pick<Client | Pool, 'query'>): Promise<ArchiveState> {
  const { rows } = await client.query<ArchiveState>(
    `select current_setting('archive_mode') = 'on' as "isOn",
       case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_time end as "failedSince" from pg_stat_archiver`,
  );
  return rows[0] ?? { isOn: false, failedSince: null };
}

/** Newest migration and identity of the master key of a database. */
export async function findContent(client: Client): Promise<{ schema: string; masterKeyId: string }> {
  const { rows } = await client.query<{ schema: string | null }>('select max(name) as schema from schema_migration');
  return { schema: rows[0]?.schema ?? '', masterKeyId: await findMasterKeyId(client) };
}

/** Identity of the master key that seals the secrets of a database; empty: none does yet. */
export async function findMasterKeyId(client: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ keyId: string | null }>(`select key_id as "keyId" from master_key where state = 'current'`);
  return rows[0]?.keyId ?? '';
}

/** Reads each table of a restored database, with its indexes: damage ends in an error. Returns the number of tables. */
export async function readEveryTable(client: Client): Promise<number> {
  await client.query('create extension if not exists amcheck');
  const { rows: tables } = await client.query<{ name: string; damage: string | null }>(
    `select c.oid::regclass::text as name,
       (select min(v.msg) from verify_heapam(c.oid::regclass, on_error_stop => true) v) as damage
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const damaged = tables.find(({ damage }) => damage !== null);
  if (damaged !== undefined) throw new Error(`the table ${damaged.name} is damaged: ${damaged.damage ?? ''}`);
  await client.query(
    `select bt_index_check(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
     where a.amname = 'btree' and c.relpersistence = 'p' and i.indisvalid and c.relkind = 'i'`,
  );
  return tables.length;
}

/** No user has this id: a restore presses the stop, and not a user. */
const NOBODY = 0;

/** Presses the emergency stop, unless it is pressed: orders that were queued in the backup may have been executed since. */
export async function pressStop(client: Client, reason: string): Promise<void> {
  await client.query('insert into relay_stop (reason, stopped_by) values ($1, $2) on conflict do nothing', [reason, NOBODY]);
}

/** Invalidates all cursors of the feeds, because the ids of outbox rows after the restored moment will be assigned again. */
export async function endFeeds(client: Client): Promise<void> {
  await client.query('update outbox_kind set epoch = epoch + 1, began_at = now()');
}

/** Sets the password that the key of the data folder derives for the owner of the tables. */
export async function setOwnerPassword(client: Client, role: string, password: string): Promise<void> {
  await client.query(`alter role ${client.escapeIdentifier(role)} password ${client.escapeLiteral(password)}`);
}
