import type { Pool, QueryResult } from 'pg';
import { fromKysely, PgBoss, type Db as BossDb, type Job as BossJob } from 'pg-boss';
import { ApiError } from '#platform/api-error.ts';
import type { Jobs, Tx } from '#db/context.ts';
import type { Log } from '#platform/log.ts';
import { holdJob, type HeldJob } from './queries.ts';

const SCHEMA = 'pgboss';
/** Jobs come here whose processes died too often. */
const ABANDONED = 'abandoned';
/** Processes that may die over one job. A graceful stop counts as well. */
const MAX_RETRIES = 20;
/** A job that fails by an error of its own is tried so often. */
const MAX_TRIES_AFTER_ERRORS = 3;
const EXPIRE_SECONDS = 12 * 3600;
const KEPT_SECONDS = 24 * 3600;
const STOP_MS = 10_000;

/** One attempt at a job. */
export interface Job {
  /** Id of the export or of the task. */
  subject: string;
  /** A process began it before, and may have written something. */
  isRepeated: boolean;
  /** Aborted when the server stops, and when the lease was lost. */
  signal: AbortSignal;
  /** Last statement of every transaction that writes: fails when another attempt has taken over; until the commit, none can. */
  hold(tx: Tx): Promise<void>;
}

export interface JobKind {
  name: string;
  /** Jobs of this kind that one process works on at the same time. */
  workers: number;
  run(job: Job): Promise<void>;
  /** Records that a job ended without success. It is not tried again. */
  giveUp(subject: string, error: unknown): Promise<void>;
}

export interface JobQueueOptions {
  /** A job whose process died is free after this long. */
  leaseSeconds?: number;
  /** How often expired leases are looked for. */
  superviseSeconds?: number;
  /** How often jobs of other processes are looked for; those of this process are taken at once. */
  pollSeconds?: number;
}

interface Data {
  subject: string;
  kind: string;
}

/** Rows of all statements of a script. A connection whose script failed is closed: it may be inside a transaction. */
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

/** Jobs that any process does once, by pg-boss: ordered in the transaction of what they are about, and continued after a crash. */
export class JobQueue implements Jobs {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #options: Required<JobQueueOptions>;
  readonly #kinds = new Map<string, JobKind>();
  readonly #workers = new Map<string, string[]>();
  readonly #stopping = new AbortController();
  #starting: Promise<PgBoss> | undefined;

  constructor({ pool, log }: { pool: Pool; log: Log }, options: JobQueueOptions = {}) {
    this.#pool = pool;
    this.#log = log;
    this.#options = { leaseSeconds: 20, superviseSeconds: 15, pollSeconds: 10, ...options };
  }

  /** What `start` works on; called before it, because the kinds need a context that holds this queue. */
  serve(kinds: readonly JobKind[]): void {
    for (const kind of kinds) this.#kinds.set(kind.name, kind);
  }

  /** Works on jobs from now on, those of former processes included. The first order starts it as well. */
  async start(): Promise<void> {
    await this.#boss();
  }

  #boss(): Promise<PgBoss> {
    return (this.#starting ??= this.#begin().catch((error: unknown) => {
      // The database may be away for a moment: the next order tries again.
      this.#starting = undefined;
      throw error;
    }));
  }

  async #begin(): Promise<PgBoss> {
    const { superviseSeconds } = this.#options;
    const boss = new PgBoss({
      db: databaseOf(this.#pool),
      schema: SCHEMA,
      // The migrations make and change its tables; the role of the server could not.
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
    await this.#work(boss, kind.name, kind.workers, (job) => this.#run(kind, job));
  }

  /** Workers one by one: each has an id by which it is woken. */
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
    // A process of a newer version ordered it; one of those records its end.
    if (known === undefined) throw new Error(`This version does not know jobs of the kind ${kind}`);
    await known.giveUp(subject, error);
  }

  /** Orders a job in the transaction of what it is about. Of one subject there is one job at a time. */
  async order(tx: Tx, kind: string, subject: string): Promise<void> {
    const boss = await this.#boss();
    await boss.send(kind, { kind, subject } satisfies Data, { db: fromKysely(tx), singletonKey: subject });
  }

  /** After the commit of an order: a worker of this process looks for it now. */
  wake(kind: string): void {
    void this.#boss().then(
      (boss) => this.#workers.get(kind)?.forEach((id) => boss.notifyWorker(id)),
      () => undefined,
    );
  }

  /** Ends what runs; the next process continues it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server stops'));
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: true, timeout: STOP_MS, close: false });
  }
}
