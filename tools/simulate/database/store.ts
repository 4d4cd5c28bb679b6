/** A stored row: columns by their names in the database; moments in epoch milliseconds. Immutable. */
export type Row = Readonly<Record<string, unknown>>;

const TABLES = [
  'task',
  'task_item',
  'task_claim',
  'dcu_type',
  'meter_type',
  'dcu',
  'meter',
  'obis_code',
  'meter_memory',
  'counter_mark',
  'dcu_session',
  'dcu_unregistered',
  'node',
  'reading_profile',
  'reading_correction',
  'arrival_day',
  'meter_latest',
  'relay_command',
  'relay_sent',
  'command_log',
  'undefined_answer',
] as const;
export type TableName = (typeof TABLES)[number];

interface Change {
  table: TableName;
  key: string;
  before: Row | undefined;
}

/** A committed transaction that is not yet flushed: a crash may undo it. */
interface Unflushed {
  at: number;
  changes: Change[];
}

/** Time until an asynchronous commit is flushed: three times PostgreSQL's `wal_writer_delay`. */
const FLUSHED_AFTER_MS = 600;

/**
 * The tables of queue, field engine and writer of readings, in memory. Statements run serially; a rollback restores the
 * previous rows. The content survives every process of the simulation.
 */
export class Store {
  readonly tables = new Map<TableName, Map<string, Row>>(TABLES.map((name) => [name, new Map<string, Row>()]));
  readonly #lastIds = new Map<TableName, number>();
  #changes: Change[] = [];
  #unflushed: Unflushed[] = [];

  rows(table: TableName): Row[] {
    return [...this.of(table).values()];
  }

  of(table: TableName): Map<string, Row> {
    const found = this.tables.get(table);
    if (found === undefined) throw new Error(`Unknown table ${table}`);
    return found;
  }

  get(table: TableName, key: string): Row | undefined {
    return this.of(table).get(key);
  }

  /** The existing rows among these ids. */
  found(table: TableName, ids: readonly (string | null)[]): Row[] {
    return ids.map((id) => this.get(table, id ?? '')).filter((row) => row !== undefined);
  }

  /** The next value of an identity column; a rollback does not return it. */
  nextId(table: TableName): string {
    const id = (this.#lastIds.get(table) ?? 0) + 1;
    this.#lastIds.set(table, id);
    return String(id);
  }

  put(table: TableName, key: string, row: Row): Row {
    const rows = this.of(table);
    this.#changes.push({ table, key, before: rows.get(key) });
    rows.set(key, row);
    return row;
  }

  insert(table: TableName, row: Row): Row {
    const id = this.nextId(table);
    return this.put(table, id, { id, ...row });
  }

  update(table: TableName, key: string, values: Row): Row {
    return this.put(table, key, { ...this.get(table, key), ...values });
  }

  delete(table: TableName, key: string): void {
    const rows = this.of(table);
    const before = rows.get(key);
    if (before === undefined) return;
    this.#changes.push({ table, key, before });
    rows.delete(key);
  }

  /** @param isAsyncCommit The commit is answered before it is on disk. */
  commit(nowMs: number, isAsyncCommit: boolean): void {
    const changes = this.#changes;
    this.#changes = [];
    // A commit that waits for the disk takes with it all that were made before.
    if (!isAsyncCommit) this.#unflushed = [];
    else if (changes.length > 0) this.#unflushed.push({ at: nowMs, changes });
    while ((this.#unflushed[0]?.at ?? Infinity) < nowMs - FLUSHED_AFTER_MS) this.#unflushed.shift();
  }

  rollback(): void {
    this.#undo(this.#changes);
    this.#changes = [];
  }

  /** Simulates a crash: of the unflushed transactions, a number of the first survives. Returns the number of lost ones. */
  crash(nowMs: number, survivors: (count: number) => number): number {
    this.rollback();
    const open = this.#unflushed.filter(({ at }) => at >= nowMs - FLUSHED_AFTER_MS);
    const lost = open.slice(survivors(open.length));
    for (const { changes } of lost.toReversed()) this.#undo(changes);
    this.#unflushed = [];
    return lost.length;
  }

  #undo(changes: readonly Change[]): void {
    for (const { table, key, before } of changes.toReversed()) {
      if (before === undefined) this.of(table).delete(key);
      else this.of(table).set(key, before);
    }
  }
}
