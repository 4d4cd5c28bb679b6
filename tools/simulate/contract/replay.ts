import type { Pool, PoolClient, QueryResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { finished } from 'node:stream/promises';
import type { Executed } from '../database/pool.ts';
import { comparisonOf } from '../database/statements.ts';
import { differenceOfAnswers, differencesOfTable } from './compare.ts';
import { entryOf, type Entry, type Tables } from './recording.ts';
import { SEARCH_PATH, type ScratchDatabase } from './scratch-databases.ts';

export interface Replayed {
  statements: number;
  /** Patterns of statements whose results were compared. */
  patterns: Set<string>;
  differences: string[];
  /** A crash lost commits: only the part before it was compared. */
  isCut: boolean;
}

/** Limit of reported differences: later ones are consequences of the first. */
const ENOUGH = 5;
const ENDED_WITHIN_MS = 10_000;
const BEGIN = /^(begin|start transaction)$/;
const END = /^(commit|rollback)$/;
const SHOWN_OCTETS = 300;

/** Columns that PostgreSQL requires of types and devices, but no statement of the simulation uses. */
const FILLED_IN: Record<string, Record<string, unknown>> = {
  dcu_type: {},
  meter_type: { phase: '1p2w' },
  dcu: {},
  meter: { communication_mode: 'plc' },
};

async function insertRows(owner: Pool, table: string, rows: Tables[string], filledIn: Record<string, unknown>): Promise<void> {
  for (const row of rows) {
    const name = row['code'] ?? row['sn'];
    const columns = { ...filledIn, ...(table === 'meter' ? {} : { name }), ...row };
    const names = Object.keys(columns);
    await owner.query(
      `insert into ${table} (${names.join(', ')}) overriding system value values (${names.map((_, k) => `$${k + 1}`).join(', ')})`,
      Object.values(columns),
    );
  }
  await owner.query(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [table, rows.length]);
}

/** A profile without object locations: the model has none, and the product then uses its defaults. */
const EMPTY_PROFILE =
  "insert into southbound_profile (key, name, device_kind, body) values ('contract', 'contract', 'meter', '{}') returning id as profile_id";

/** Fills the scratch database with the initial archive of the model, under the same ids. */
async function fillDatabase(owner: Pool, tables: Tables): Promise<void> {
  const supplier = await owner.query<Record<string, unknown>>('select supplier_id from meter_type limit 1');
  const profile = await owner.query<Record<string, unknown>>(EMPTY_PROFILE);
  await owner.query('delete from meter_type');
  await owner.query('delete from dcu_type');
  await owner.query('delete from obis_code where key <> all($1)', [(tables['obis_code'] ?? []).map(({ key }) => key)]);
  const ofTypes = { ...supplier.rows[0], ...profile.rows[0] };
  for (const [table, filledIn] of Object.entries(FILLED_IN))
    await insertRows(owner, table, tables[table] ?? [], { ...filledIn, ...(table.endsWith('_type') ? ofTypes : {}) });
}

interface Connection {
  client: PoolClient;
  pid: number;
  isInTransaction: boolean;
}

/** Executes the statements of a recording in PostgreSQL, each on the connection of its recorded client. */
class Replay {
  readonly #database: ScratchDatabase;
  readonly #connections = new Map<number, Connection>();
  readonly replayed: Replayed = { statements: 0, patterns: new Set(), differences: [], isCut: false };

  constructor(database: ScratchDatabase) {
    this.#database = database;
  }

  async #connectionOf(number: number): Promise<Connection> {
    const known = this.#connections.get(number);
    if (known !== undefined) return known;
    const client = await this.#database.pool.connect();
    await client.query(SEARCH_PATH);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const connection = { client, pid: rows[0]?.pid ?? 0, isInTransaction: false };
    this.#connections.set(number, connection);
    return connection;
  }

  /** Ends a connection and waits until its locks are released. */
  async close(number: number): Promise<void> {
    const connection = this.#connections.get(number);
    if (connection === undefined) return;
    this.#connections.delete(number);
    await this.#database.owner.query('select pg_terminate_backend($1, $2)', [connection.pid, ENDED_WITHIN_MS]);
    connection.client.release(true);
  }

  async closeAll(): Promise<void> {
    for (const number of this.#connections.keys()) await this.close(number);
  }

  async statement(executed: Executed): Promise<void> {
    const { text, nowMs } = executed;
    const connection = await this.#connectionOf(executed.client);
    // Within a transaction the clock is constant, and the setting would be rolled back with it.
    if (!connection.isInTransaction) await connection.client.query(`set simulated.now = '${nowMs}'`);
    if (BEGIN.test(text)) connection.isInTransaction = true;
    if (END.test(text)) connection.isInTransaction = false;
    this.replayed.statements++;
    const difference = this.#judge(executed, await outcomeOf(connection.client, executed));
    if (difference !== undefined) this.replayed.differences.push(`${text.replaceAll(/\s+/g, ' ').slice(0, SHOWN_OCTETS)}\n${difference}`);
  }

  #judge({ text, answer, failure }: Executed, actual: QueryResult | { code: string; message: string }): string | undefined {
    const { pattern, notCompared } = comparisonOf(text);
    if (pattern !== undefined && notCompared === undefined) this.replayed.patterns.add(pattern);
    if ('code' in actual)
      return actual.code === failure ? undefined : `model: ${failure ?? 'answers'}, PostgreSQL: ${actual.code} ${actual.message}`;
    if (failure !== undefined) return `model: ${failure}, PostgreSQL answers`;
    return answer === undefined || notCompared !== undefined ? undefined : differenceOfAnswers(text, answer, actual);
  }

  async tables(tables: Tables): Promise<void> {
    for (const [table, rows] of Object.entries(tables))
      this.replayed.differences.push(...(await differencesOfTable(this.#database.owner, table, rows)));
  }
}

async function outcomeOf(client: PoolClient, { text, values, copied }: Executed): Promise<QueryResult | { code: string; message: string }> {
  try {
    if (copied === undefined) return await client.query(text, [...values]);
    const stream = client.query(copyFrom(text));
    stream.end(copied);
    await finished(stream);
    return { rows: [], rowCount: stream.rowCount, command: 'COPY', oid: 0, fields: [] };
  } catch (error) {
    return { code: String((error as { code?: unknown }).code), message: String(error) }; // as: of the driver
  }
}

/** Replays a recording statement by statement and compares results and, at the end, tables. */
export async function replay(lines: Iterable<string>, database: ScratchDatabase): Promise<Replayed> {
  const run = new Replay(database);
  const { replayed } = run;
  try {
    for (const line of lines) {
      const entry: Entry = entryOf(line);
      if (entry.t === 'archive') await fillDatabase(database.owner, entry.tables);
      else if (entry.t === 'closed') await run.close(entry.client);
      else if (entry.t === 'statement') await run.statement(entry);
      else if (entry.t === 'end') await run.tables(entry.tables);
      else replayed.isCut = true;
      if (replayed.isCut || replayed.differences.length >= ENOUGH) break;
    }
  } finally {
    await run.closeAll();
  }
  return replayed;
}
