import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { to } from 'pg-copy-streams';
import { StartError } from '#platform/start-error.ts';
import { findMasterKeyId } from '../backup/backup-queries.ts';
import { inTransaction } from '../in-transaction.ts';
import {
  copyOut,
  countHeadEnds,
  findMigrationNumbers,
  findSequences,
  findTables,
  useOneMoment,
  usePlainText,
  type DumpedSequence,
  type DumpedTable,
} from './dump-queries.ts';

/** Contents of a table: SHA-256 over its rows as text, in their order. */
export interface TableContent extends DumpedTable {
  file: string;
  rows: number;
  sha256: string;
}

/** What a dump holds. It does not depend on a version of PostgreSQL. */
export interface Dump {
  format: 1;
  /** Numbers of the migrations whose schema the rows have. */
  migrations: number[];
  masterKeyId: string;
  tables: TableContent[];
  sequences: DumpedSequence[];
}

export const DUMP_FILE = 'dump.json';
const NEWLINE = 0x0a;

/** Reads a table as text into `target`. Newlines within values are escaped, so that each row is a line. */
export async function readTable(client: PoolClient, table: DumpedTable, target: Writable): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) rows++;
      done(null, chunk);
    },
  });
  await pipeline(client.query(to(copyOut(table))), count, target);
  return { rows, sha256: hash.digest('hex') };
}

const nameOf = (index: number): string => `${String(index + 1).padStart(4, '0')}.copy.gz`;

async function writeTables(client: PoolClient, folder: string): Promise<Dump> {
  await useOneMoment(client);
  await usePlainText(client);
  const migrations = await findMigrationNumbers(client);
  if (migrations.length === 0) throw new StartError('The database holds no head-end, so there is nothing to dump.');
  if ((await countHeadEnds(client)) > 0)
    throw new StartError('A head-end works on the database. Stop it first: what it writes later would be lost.');
  const tables: TableContent[] = [];
  for (const [index, table] of (await findTables(client)).entries()) {
    const file = nameOf(index);
    const gzip = createGzip({ level: 1 });
    const written = pipeline(gzip, createWriteStream(join(folder, file), { flags: 'wx', mode: 0o600, flush: true }));
    const [content] = await Promise.all([readTable(client, table, gzip), written]);
    tables.push({ ...table, file, ...content });
  }
  return { format: 1, migrations, masterKeyId: await findMasterKeyId(client), tables, sequences: await findSequences(client) };
}

/** Writes all rows of a database whose head-ends are stopped into an empty folder. Throws `StartError`; then the folder holds no complete dump. */
export async function writeDump(owner: Pool, folder: string): Promise<Dump> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0) throw new StartError(`The folder ${folder} is not empty. Name a new one.`);
  const dump = await inTransaction(owner, (client) => writeTables(client, folder));
  writeFileSync(join(folder, DUMP_FILE), `${JSON.stringify(dump, null, 1)}\n`, { mode: 0o600, flush: true });
  return dump;
}

export const isDump = (folder: string): boolean => existsSync(join(folder, DUMP_FILE));
