import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { silentLog } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { inTransaction } from '../in-transaction.ts';
import { migrate } from '../migrate.ts';
import { listMigrations } from '../migration.ts';
import {
  analyse,
  copyIn,
  emptyTables,
  ensurePartition,
  findMigrationNumbers,
  setSequence,
  switchTriggersOff,
  usePlainText,
} from './dump-queries.ts';
import { DUMP_FILE, isDump, readTable, type Dump, type TableContent } from './write-dump.ts';

/** SQLSTATE of a parameter that only a superuser may set. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Reads the description of a dump. Throws `StartError` if the folder holds no complete one. */
export function readDump(folder: string): Dump {
  if (!isDump(folder)) throw new StartError(`${folder} holds no complete dump. Make one by "hes dump ${folder}".`);
  return JSON.parse(readFileSync(join(folder, DUMP_FILE), 'utf8')) as Dump; // as: written by this program
}

/** The migrations of a dump, all of which this program must know. */
function migrationsOf({ migrations }: Dump) {
  const wanted = new Set(migrations);
  const known = listMigrations().filter(({ number }) => wanted.has(number));
  if (known.length === wanted.size) return known;
  const missing = migrations.find((number) => !known.some((one) => one.number === number));
  throw new StartError(`The dump is of a newer version of the head-end, which has the migration ${missing}. Load it by that version.`);
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

async function loadTable(client: PoolClient, folder: string, table: TableContent): Promise<void> {
  await pipeline(createReadStream(join(folder, table.file)), createGunzip(), client.query(from(copyIn(table))));
  const { rows, sha256 } = await readTable(client, table, nowhere());
  if (rows !== table.rows || sha256 !== table.sha256)
    throw new StartError(
      `The table ${table.schema}.${table.name} has ${rows} rows that differ from the ${table.rows} of the dump. Make the dump again.`,
    );
}

async function loadTables(client: PoolClient, folder: string, { tables, sequences }: Dump): Promise<void> {
  await usePlainText(client);
  await switchTriggersOff(client);
  for (const table of tables) await ensurePartition(client, table);
  await emptyTables(client, tables);
  for (const table of tables) await loadTable(client, folder, table);
  for (const sequence of sequences) await setSequence(client, sequence);
}

function explainLoad(error: unknown, folder: string): StartError {
  if (error instanceof StartError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === INSUFFICIENT_PRIVILEGE)
    return new StartError(`Loading needs a superuser of the database (${text}). Name one in HES_DATABASE_OWNER_URL for this command.`, {
      cause: error,
    });
  return new StartError(`The dump ${folder} could not be loaded: ${text}.`, { cause: error });
}

/**
 * Loads a dump into an empty database of any supported version of PostgreSQL: schema of the dump, all rows, sequences. Each table is read back and
 * compared with the dump before the commit. Migrations that came later are applied by the next start. Throws `StartError`.
 */
export async function loadDump(owner: Pool, folder: string): Promise<Dump> {
  const dump = readDump(folder);
  const migrations = migrationsOf(dump);
  const found = await inTransaction(owner, findMigrationNumbers);
  if (found.length > 0) throw new StartError('The database is not empty. Load the dump into a new one.');
  try {
    await migrate(owner, silentLog, migrations);
    await inTransaction(owner, async (client) => loadTables(client, folder, dump));
    await inTransaction(owner, analyse);
    return dump;
  } catch (error) {
    throw explainLoad(error, folder);
  }
}
