import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { Machine, Process } from '../machine.ts';
import { Store } from './store.ts';
import { statementOf, type Answer } from './statements.ts';

/** Ways in which a statement fails. */
export type StatementFault =
  /** The connection is lost before the execution. */
  | 'before'
  /** The statement is executed, and committed if it is a commit or outside of a transaction; the connection is lost before the response. */
  | 'after'
  /** A serialization conflict: this transaction is rolled back, the connection stays. */
  | 'conflict'
  /** The statement waits for a lock. */
  | 'slow';

/** Decisions of a seed's plan about each statement. */
export interface Trouble {
  of(statement: string): StatementFault | undefined;
}

/** An executed statement, for the comparison with PostgreSQL. */
export interface Executed {
  client: number;
  text: string;
  values: readonly unknown[];
  copied: Buffer | undefined;
  nowMs: number;
  answer: Answer | undefined;
  /** The SQLSTATE of a statement that the model refused. */
  failure?: string;
}

class DatabaseError extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

const LATENCY_MS = { from: 0.1, to: 4 };
const SLOW_MS = { from: 500, to: 12_000 };
const LOST = 'Connection terminated unexpectedly';

interface Query {
  text: string;
  values: readonly unknown[];
}

/** The database of a simulated world: it survives the processes that use it, and may be unavailable. */
export class Database {
  readonly machine: Machine;
  readonly process: Process;
  readonly store = new Store();
  trouble: Trouble = { of: () => undefined };
  onExecuted: ((executed: Executed) => void) | undefined;
  onStatement: (text: string, outcome: string) => void = () => undefined;
  onClosed: (client: number) => void = () => undefined;
  /** Called when a crash lost commits, with their number. */
  onLost: (commits: number) => void = () => undefined;
  /** Statements without a model: the simulation cannot judge a seed with one. */
  readonly unknown = new Set<string>();
  readonly clients = new Set<VirtualClient>();
  isDown = false;
  statements = 0;
  /** The client inside a transaction; others wait for its end, which makes execution serial. */
  #owner: VirtualClient | undefined;
  #waiting: (() => void)[] = [];
  #notices: { channel: string; from: VirtualClient }[] = [];
  #clientCount = 0;
  /** Moment of the beginning of a transaction. */
  #transactionMs = 0;

  constructor(machine: Machine, process: Process) {
    this.machine = machine;
    this.process = process;
  }

  /** The database's wall clock, in whole milliseconds. */
  get nowMs(): number {
    return this.#owner === undefined ? this.#clockMs() : this.#transactionMs;
  }

  #clockMs(): number {
    return this.machine.trueMs + this.process.wallAheadMs;
  }

  open(pool: VirtualPool): VirtualClient {
    const client = new VirtualClient(this, pool, this.#clientCount++);
    this.clients.add(client);
    return client;
  }

  /** Resolves when no other client is inside a transaction. */
  turn(client: VirtualClient): Promise<void> | undefined {
    if (this.#owner === undefined || this.#owner === client) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(): void {
    this.#owner = undefined;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Executes a statement; the caller must have had its turn. */
  execute(client: VirtualClient, { text, values }: Query, copied?: Buffer): Answer {
    if (text === 'begin' || text === 'start transaction') {
      this.#owner = client;
      client.isAsyncCommit = false;
      this.#transactionMs = this.#clockMs();
      return this.#executed(client, { text, values }, undefined);
    }
    if (text === 'rollback') {
      if (this.#owner === client) {
        this.store.rollback();
        this.#notices = [];
        this.#release();
      }
      return this.#executed(client, { text, values }, undefined);
    }
    if (text === 'commit') {
      const answer = this.#executed(client, { text, values }, undefined);
      this.#commit(client);
      if (this.#owner === client) this.#release();
      return answer;
    }
    const statement = statementOf(text);
    if (statement === undefined) {
      this.unknown.add(text.replaceAll(/\s+/g, ' ').slice(0, 160));
      throw new DatabaseError('This statement is not modelled', '0A000');
    }
    const isAlone = this.#owner !== client;
    if (isAlone) client.isAsyncCommit = false;
    if (statement.isAsyncCommit) client.isAsyncCommit = true;
    try {
      const answer = statement.execute({ store: this.store, now: this.nowMs, client, database: this, copied }, values);
      this.#executed(client, { text, values }, answer, copied);
      if (isAlone) this.#commit(client);
      return answer;
    } catch (error) {
      const { code } = error as { code?: string }; // as: thrown by a statement of the model
      if (code !== undefined) this.#executed(client, { text, values }, undefined, copied, code);
      if (isAlone) this.store.rollback();
      throw error;
    }
  }

  #executed(client: VirtualClient, { text, values }: Query, answer: Answer | undefined, copied?: Buffer, failure?: string): Answer {
    const executed: Executed = { client: client.number, text, values, copied, nowMs: this.nowMs, answer };
    this.onExecuted?.(failure === undefined ? executed : { ...executed, failure });
    return answer ?? { rows: [], rowCount: 0 };
  }

  #commit(client: VirtualClient): void {
    this.store.commit(this.machine.now, client.isAsyncCommit);
    for (const { channel } of this.#notices.splice(0)) for (const one of this.clients) if (one.channels.has(channel)) one.notify(channel);
  }

  notify(channel: string, from: VirtualClient): void {
    this.#notices.push({ channel, from });
  }

  /** Ends a connection, with its transaction and its locks. */
  closed(client: VirtualClient): void {
    if (!this.clients.delete(client)) return;
    this.onClosed(client.number);
    client.locks.clear();
    if (this.#owner !== client) return;
    this.store.rollback();
    this.#notices = [];
    this.#release();
  }

  /** Ends the connections of a dead process. After a power loss the database notices them late. */
  drop(process: Process, afterMs: number): void {
    for (const client of this.clients) {
      if (client.pool.process !== process) continue;
      client.isLost = true;
      if (this.#owner === client || afterMs === 0) this.closed(client);
      else this.machine.schedule(this.process, afterMs, () => this.closed(client));
    }
  }

  /** Ends all connections and discards commits that were not flushed; recovers after a while. Returns the number of lost commits. */
  crash(downMs: number): number {
    this.isDown = true;
    for (const client of this.clients) client.lose();
    const lost = this.store.crash(this.machine.now, (count) => this.machine.random.below(count + 1));
    if (lost > 0) this.onLost(lost);
    this.machine.schedule(this.process, downMs, () => (this.isDown = false));
    return lost;
  }
}

/** A connection with the interface of the driver. */
export class VirtualClient extends EventEmitter {
  readonly database: Database;
  readonly pool: VirtualPool;
  readonly number: number;
  readonly locks = new Set<string>();
  readonly channels = new Set<string>();
  isAsyncCommit = false;
  isLost = false;
  /** The transaction has failed: everything but its end is refused. */
  #isAborted = false;
  #isInTransaction = false;

  constructor(database: Database, pool: VirtualPool, number: number) {
    super();
    this.database = database;
    this.pool = pool;
    this.number = number;
    // The product's pool has a listener, too: a broken idle connection ends no process.
    this.on('error', () => undefined);
  }

  query(asked: string | { text: string; values?: unknown[] } | (Writable & { text?: string }), values: unknown[] = []): unknown {
    if (typeof asked === 'string') return this.#ask({ text: asked, values });
    if (asked instanceof Writable) return this.#copy(asked.text ?? '');
    return this.#ask({ text: asked.text, values: asked.values ?? values });
  }

  /** COPY: executed when all octets have arrived. */
  #copy(text: string): Writable {
    const pieces: Buffer[] = [];
    return new Writable({
      write: (piece: Buffer, _encoding, done) => {
        pieces.push(Buffer.from(piece));
        done();
      },
      final: (done) => {
        this.#ask({ text, values: [] }, Buffer.concat(pieces)).then(
          () => done(),
          (error: Error) => done(error),
        );
      },
    });
  }

  #ask(query: Query, copied?: Buffer): Promise<Answer> {
    const { database, pool } = this;
    const { machine } = database;
    const text = query.text.trim();
    const latency = () => machine.between(LATENCY_MS.from, LATENCY_MS.to);
    const fault = text === 'rollback' ? undefined : database.trouble.of(text);
    database.statements++;
    return new Promise((resolve, reject) => {
      const answerLater = (outcome: string, act: () => void) => {
        database.onStatement(text, outcome);
        machine.schedule(pool.process, latency(), act);
      };
      const lose = (outcome: string) => {
        this.lose();
        answerLater(outcome, () => reject(new DatabaseError(LOST)));
      };
      const execute = (): void => {
        if (this.isLost) return answerLater('lost', () => reject(new DatabaseError(LOST)));
        const turn = database.turn(this);
        // Resumed inside the event that ended the other transaction: a separate event keeps both apart.
        if (turn !== undefined) return void turn.then(() => machine.schedule(database.process, 0, execute));
        if (fault === 'before') return lose('lost before');
        if (fault === 'conflict') return this.#conflict(answerLater, reject);
        if (this.#isAborted && text !== 'rollback')
          return answerLater('aborted', () => reject(new DatabaseError('current transaction is aborted', '25P02')));
        try {
          const answer = database.execute(this, { text, values: query.values }, copied);
          if (text === 'begin' || text === 'start transaction') this.#isInTransaction = true;
          if (text === 'commit' || text === 'rollback') this.#isInTransaction = this.#isAborted = false;
          if (fault === 'after') return lose('lost after');
          answerLater('ok', () => resolve(answer));
        } catch (error) {
          if (this.#isInTransaction) this.#isAborted = true;
          answerLater(`failed ${error instanceof DatabaseError ? error.code : String(error)}`, () => reject(error as Error)); // as: handed on
        }
      };
      machine.schedule(database.process, latency() + (fault === 'slow' ? machine.between(SLOW_MS.from, SLOW_MS.to) : 0), execute);
    });
  }

  #conflict(answerLater: (outcome: string, act: () => void) => void, reject: (error: Error) => void): void {
    if (this.#isInTransaction) this.#isAborted = true;
    answerLater('conflict', () => reject(new DatabaseError('could not serialize access', '40001')));
  }

  /** Breaks the connection and rejects pending queries. */
  lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    const { database, pool } = this;
    database.closed(this);
    database.machine.schedule(pool.process, 0, () => this.emit('error', new DatabaseError(LOST)));
  }

  notify(channel: string): void {
    const { machine } = this.database;
    machine.schedule(this.pool.process, machine.between(LATENCY_MS.from, LATENCY_MS.to), () => {
      if (!this.isLost) this.emit('notification', { channel });
    });
  }

  release(broken?: Error | boolean): void {
    this.pool.takeBack(this, broken !== undefined && broken !== false);
  }
}

/** The pool of one process. */
export class VirtualPool {
  readonly database: Database;
  readonly process: Process;
  readonly options = {};
  readonly #idle: VirtualClient[] = [];

  constructor(database: Database, process: Process) {
    this.database = database;
    this.process = process;
  }

  on(): this {
    return this;
  }

  connect(): Promise<VirtualClient> {
    const { database, process } = this;
    return new Promise((resolve, reject) => {
      let idle = this.#idle.pop();
      while (idle?.isLost === true) idle = this.#idle.pop();
      if (idle !== undefined) return resolve(idle);
      database.machine.schedule(process, database.machine.between(LATENCY_MS.from, LATENCY_MS.to), () => {
        if (database.isDown) reject(new DatabaseError('connect ECONNREFUSED', 'ECONNREFUSED'));
        else resolve(database.open(this));
      });
    });
  }

  async query(asked: string | { text: string; values?: unknown[] }, values?: unknown[]): Promise<unknown> {
    const client = await this.connect();
    try {
      return await client.query(asked, values);
    } finally {
      client.release();
    }
  }

  takeBack(client: VirtualClient, isBroken: boolean): void {
    if (isBroken || client.isLost) {
      client.isLost = true;
      this.database.closed(client);
    } else this.#idle.push(client);
  }

  end(): Promise<void> {
    for (const client of this.#idle.splice(0)) this.takeBack(client, true);
    return Promise.resolve();
  }
}
