import type { Database, Executed } from '../database/pool.ts';
import type { Row, Store } from '../database/store.ts';

/** One line of a recording, in the order of execution in the model. */
export type Entry =
  /** The tables before the first statement. */
  | { t: 'archive'; seed: number; tables: Tables }
  | ({ t: 'statement' } & Executed)
  /** The connection has ended, with its transaction and its locks. */
  | { t: 'closed'; client: number }
  /** A crash lost commits: PostgreSQL cannot reproduce the rest. */
  | { t: 'lost'; commits: number }
  | { t: 'end'; tables: Tables };

export type Tables = Record<string, Row[]>;

const DATE = '$date';
const OCTETS = '$octets';
const UNDEFINED = '$undefined';

/** A value in JSON that preserves the types of moments and octets. */
function encode(value: unknown): unknown {
  if (value === undefined) return { [UNDEFINED]: true };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return { [DATE]: value.getTime() };
  if (value instanceof Uint8Array) return { [OCTETS]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(encode);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, encode(one)]));
}

function revive(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { [DATE]: stamp, [OCTETS]: octets } = value as Record<string, unknown>; // as: an object of JSON
  if (typeof stamp === 'number') return new Date(stamp);
  if (typeof octets === 'string') return Buffer.from(octets, 'base64');
  return UNDEFINED in value ? undefined : value;
}

const lineOf = (entry: Entry): string => JSON.stringify(encode(entry));
export const entryOf = (line: string): Entry => JSON.parse(line, revive) as Entry; // as: written by lineOf

const tablesOf = (store: Store): Tables => Object.fromEntries([...store.tables].map(([name, rows]) => [name, [...rows.values()]]));

/** Records the operations of the model for a replay in PostgreSQL. */
export class Recorder {
  readonly #database: Database;
  readonly #write: (line: string) => void;

  constructor(seed: number, database: Database, write: (line: string) => void) {
    this.#database = database;
    this.#write = write;
    this.#add({ t: 'archive', seed, tables: tablesOf(database.store) });
    database.onClosed = (client) => this.#add({ t: 'closed', client });
    database.onLost = (commits) => this.#add({ t: 'lost', commits });
  }

  executed(executed: Executed): void {
    this.#add({ t: 'statement', ...executed });
  }

  end(): void {
    this.#add({ t: 'end', tables: tablesOf(this.#database.store) });
  }

  #add(entry: Entry): void {
    this.#write(lineOf(entry));
  }
}
