import type { Pool, QueryResult } from 'pg';
import { fromKysely, PgBoss, type Db as BossDb, type Job as BossJob } from 'pg-boss';
import { ApiError } from '#platform/api-error.ts';
import type { Jobs, Tx } from '#db/context.ts';
import type { Log } from '#platform/log.ts';
import { holdJob, type HeldJob } from './queries.ts';

const SCHEMA = 'pgboss';
/** Dead-letter queue of jobs whose processes died too often. */
const ABANDONED = 'abandoned';
/** Maximum number of processes that may die during one job. A graceful stop counts as well. */
const MAX_RETRIES = 20;
/** Maximum number of attempts at a job that throws an error. */
const MAX_TRIES_AFTER_ERRORS = 3;
const EXPIRE_SECONDS = 12 * 3600;
const KEPT_SECONDS = 24 * 3600;
const STOP_MS = 10_000;

/** One attempt at a job. */
export interface Job {
  /** Id of the export or of the task. */
  subject: string;
  /** An earlier attempt may have written data. */
  isRepeated: boolean;
  /** Aborted when the server stops or the lease is lost. */
  signal: AbortSignal;
  /**
   * Must be the last statement of every writing transaction. Fails when another attempt has taken over, and prevents a takeover until the
   * commit.
   */
  hold(tx: Tx): Promise<void>;
}

export interface JobKind {
  name: string;
  /** Maximum number of concurrent jobs of this kind per process. */
  workers: number;
  run(job: Job): Promise<void>;
  /** Records the final failure of a job. */
  giveUp(subject: string, error: unknown): Promise<void>;
}

export interface JobQueueOptions {
  /** Lease: another process can take over the job of a dead process after this time. */
  leaseSeconds?: number;
  /** Interval of the check for expired leases. */
  superviseSeconds?: number;
  /** Interval of polling for jobs of other processes; jobs of this process are fetched immediately. */
  pollSeconds?: number;
}

interface Data {
  subject: string;
  kind: string;
}

/**
 * Runs scripts for pg-boss and returns the rows of all their statements. A failed script can leave its connection in a transaction, so that
 * connection is closed.
 */
const databaseOf = (pool: Pool): BossDb => ({
  async executeSql(text, values) {
    const client = await pool.connect();
    try {
      const result: QueryResult | QueryResult[] = await client.query(text, values);
      client.release();
      return { rows: [result].flat().flatMap(({ rows }) => rows) };
    } catch (error) {
      client.release(/^\s*begin\b/i.test(text));
      throw error;
    }
  },
});

/**
 * Job queue on pg-boss. A job is inserted in the transaction of the record it concerns, runs in one process at a time, and is continued
 * after a crash.
 */
export class JobQueue implements Jobs {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #options: Required<JobQueueOptions>;
  readonly #kinds = new Map<string, JobKind>();
  readonly #workers = new Map<string, string[]>();
  readonly #stopping = new AbortController();
  #starting: Promise<PgBoss> | undefined;
  #isPaused = false;
  /** The last change between pause and work, which the next one waits for. */
  #changing = Promise.resolve();

  constructor({ pool, log }: { pool: Pool; log: Log }, options: JobQueueOptions = {}) {
    this.#pool = pool;
    this.#log = log;
    this.#options = { leaseSeconds: 20, superviseSeconds: 15, pollSeconds: 10, ...options };
  }

  /** Registers the kinds of job. Separate from the constructor, because the kinds need a context that contains this queue. */
  serve(kinds: readonly JobKind[]): void {
    for (const kind of kinds) this.#kinds.set(kind.name, kind);
  }

  /** Starts the workers, which also take over jobs of former processes. The first order starts them as well. */
  async start(): Promise<void> {
    await this.#boss();
  }

  #boss(): Promise<PgBoss> {
    return (this.#starting ??= this.#begin().catch((error: unknown) => {
      // The database may be unavailable for a moment: the next order starts the queue again.
      this.#starting = undefined;
      throw error;
    }));
  }

  async #begin(): Promise<PgBoss> {
    const { superviseSeconds } = this.#options;
    const boss = new PgBoss({
      db: databaseOf(this.#pool),
      schema: SCHEMA,
      // Our migrations create the tables of pg-boss, because the role of the server cannot.
      migrate: false,
      createSchema: false,
      schedule: false,
      reindex: false,
      monitorVacuum: false,
      registerInstance: false,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
    });
    boss.on('error', (error) => this.#log.warn('The job queue reports an error', { error }));
    boss.on('warning', (warning) => this.#log.warn('The job queue reports a warning', { warning: warning.message }));
    await boss.start();
    const options = { retryLimit: MAX_RETRIES, retryDelay: 2, deleteAfterSeconds: KEPT_SECONDS };
    await boss.createQueue(ABANDONED, { policy: 'standard', ...options });
    await this.#work(boss, ABANDONED, 1, ({ data }) =>
      this.#giveUp(data, new Error(`Processes died ${MAX_RETRIES} times while they worked on this job`)),
    );
    for (const kind of this.#kinds.values()) await this.#open(boss, kind);
    return boss;
  }

  async #open(boss: PgBoss, kind: JobKind): Promise<void> {
    const options = {
      heartbeatSeconds: this.#options.leaseSeconds,
      expireInSeconds: EXPIRE_SECONDS,
      retryLimit: MAX_RETRIES,
      retryDelay: 1,
      deleteAfterSeconds: KEPT_SECONDS,
      deadLetter: ABANDONED,
    };
    await boss.createQueue(kind.name, { policy: 'exclusive', ...options });
    await boss.updateQueue(kind.name, options);
    if (!this.#isPaused) await this.#workOn(boss, kind);
  }

  #workOn(boss: PgBoss, kind: JobKind): Promise<void> {
    return this.#work(boss, kind.name, kind.workers, (job) => this.#run(kind, job));
  }

  /** Takes no more jobs, or takes them again. Jobs that run go on. */
  pause(isPaused: boolean): Promise<void> {
    this.#isPaused = isPaused;
    return (this.#changing = this.#changing.catch(() => undefined).then(() => this.#adjust()));
  }

  async #adjust(): Promise<void> {
    const boss = await this.#starting;
    if (boss === undefined) return;
    for (const kind of this.#kinds.values()) {
      const ids = this.#workers.get(kind.name) ?? [];
      if (this.#isPaused) {
        this.#workers.delete(kind.name);
        for (const id of ids) await boss.offWork(kind.name, { id, wait: false });
      } else if (ids.length === 0) await this.#workOn(boss, kind);
    }
  }

  /** Registers workers separately, because each has an id by which it is woken. */
  async #work(boss: PgBoss, queue: string, count: number, run: (job: BossJob<Data>) => Promise<void>): Promise<void> {
    const options = { pollingIntervalSeconds: this.#options.pollSeconds };
    const ids: string[] = [];
    for (let at = 0; at < count; at++)
      ids.push(
        await boss.work<Data>(queue, options, async ([job]) => {
          if (job !== undefined) await run(job);
        }),
      );
    this.#workers.set(queue, ids);
  }

  async #run(kind: JobKind, { id, name, data, retryCount, signal: lease }: BossJob<Data>): Promise<void> {
    const signal = AbortSignal.any([lease, this.#stopping.signal]);
    const held: HeldJob = { id, name, retryCount };
    try {
      await kind.run({ subject: data.subject, isRepeated: retryCount > 0, signal, hold: (tx) => holdJob(tx, held) });
    } catch (error) {
      const isFinal = error instanceof ApiError || retryCount + 1 >= MAX_TRIES_AFTER_ERRORS;
      if (signal.aborted || !isFinal) throw error;
      await this.#giveUp(data, error);
    }
  }

  async #giveUp({ kind, subject }: Data, error: unknown): Promise<void> {
    const known = this.#kinds.get(kind);
    // A process of a newer version ordered the job and records its end.
    if (known === undefined) throw new Error(`This version does not know jobs of the kind ${kind}`);
    await known.giveUp(subject, error);
  }

  /** Inserts a job in the transaction of the record it concerns. At most one job per subject exists at a time. */
  async order(tx: Tx, kind: string, subject: string): Promise<void> {
    const boss = await this.#boss();
    await boss.send(kind, { kind, subject } satisfies Data, { db: fromKysely(tx), singletonKey: subject });
  }

  /** Call after the commit of an order: a worker of this process fetches the job immediately. */
  wake(kind: string): void {
    void this.#boss().then(
      (boss) => this.#workers.get(kind)?.forEach((id) => boss.notifyWorker(id)),
      () => undefined,
    );
  }

  /** Aborts running jobs; another process, or the next start, continues them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server stops'));
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: true, timeout: STOP_MS, close: false });
  }
}
