import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { everyJob } from '../src/composition/every-job.ts';
import { connectionOf, urlOf } from '../src/db/pool.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { JobQueue, type Job, type JobKind } from '../src/jobs/job-queue.ts';
import { ApiError } from '../src/platform/api-error.ts';
import type { BusMessage } from '../src/platform/bus.ts';
import { QUICK } from './job-times.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const WORKER = fileURLToPath(new URL('./job-worker.ts', import.meta.url));
/** A lease, and the time of a slow machine. */
const A_LEASE = { timeout: 60_000, interval: 100 };
vi.setConfig({ testTimeout: 300_000 });

let app: TestApp;
let admin: TestUser;
const queues: JobQueue[] = [];
const processes: ChildProcess[] = [];

beforeAll(async () => {
  app = await testApp({ hasWorkers: false });
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.stop()));
  for (const child of processes.splice(0)) await kill(child);
});
afterAll(() => app.close());

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Another process that works on the jobs of the same database. */
async function startProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER, urlOf(connectionOf(app.ctx.pool))], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

async function startQueue(kinds: readonly JobKind[]): Promise<JobQueue> {
  const queue = new JobQueue(app.ctx, QUICK);
  queues.push(queue);
  queue.serve(kinds);
  await queue.start();
  return queue;
}

const orderAll = async (queue: JobQueue, kind: string, subjects: readonly string[]) => {
  for (const subject of subjects) await app.ctx.db.transaction().execute((tx) => queue.order(tx, kind, subject));
  queue.wake(kind);
};

const attemptsAt = async (kind: string, subject: string) =>
  (
    await app.ctx.pool.query<{ state: string; retry_count: number }>(
      "select state, retry_count from pgboss.job where name = $1 and data->>'subject' = $2",
      [kind, subject],
    )
  ).rows[0];

/** As if the process that has the job had sent no heartbeat for an hour. */
const expireLease = (kind: string) =>
  app.ctx.pool.query("update pgboss.job set heartbeat_on = now() - interval '1 hour' where name = $1 and state = 'active'", [kind]);

const exported = async (id: string) => app.ctx.db.selectFrom('exportJob').where('id', '=', id).selectAll().executeTakeFirstOrThrow();

const orderExport = (user: TestUser, filter: object = {}) =>
  app.call(user, { method: 'POST', url: '/api/export/user', payload: { format: 'csv', filter, columns: ['username'] } });

/** The newest export, as soon as it is ordered. */
async function newestExport(): Promise<string> {
  const row = await app.ctx.db.selectFrom('exportJob').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? '';
}

/** Orders `work` while no file and no bill can be written, and kills the process when it waits to write both. */
async function killInside<T>(process: ChildProcess, work: () => Promise<T>): Promise<T> {
  const holder = await app.owner.connect();
  try {
    await holder.query('begin; lock table export_piece, bill_line in share row exclusive mode');
    const result = await work();
    const waiting = "select left(query, 60) as query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect
      .poll(async () => (await app.owner.query<{ query: string }>(waiting)).rows.map(({ query }) => query).toSorted(), A_LEASE)
      .toEqual([expect.stringContaining('export_piece'), expect.stringContaining('bill_line')]);
    await kill(process);
    return result;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

test('an export and a computation whose process is killed are finished by the next one', async () => {
  const first = await startProcess();
  const before = await newestExport();
  const payload = { kind: 'custom', from: '2026-10-04', to: '2026-10-10' };
  let answer: Promise<unknown> = Promise.resolve();
  const taskId = await killInside(first, async () => {
    answer = orderExport(admin);
    return (await app.call(admin, { method: 'POST', url: '/api/analysis/bill/calculate', payload })).json<{ taskId: string }>().taskId;
  });
  const id = await newestExport();
  expect(id).not.toBe(before);
  expect((await exported(id)).state).toBe('running');
  const stateOf = async () =>
    (await app.ctx.db.selectFrom('task').where('id', '=', taskId).select('state').executeTakeFirstOrThrow()).state;
  expect(await stateOf()).toBe('running');

  await startProcess();
  await vi.waitUntil(async () => (await exported(id)).state === 'ready' && (await stateOf()) === 'finished', A_LEASE);
  expect(await attemptsAt('export', id)).toEqual({ state: 'completed', retry_count: 1 });
  expect(await attemptsAt('bill', taskId)).toEqual({ state: 'completed', retry_count: 1 });
  await answer;
  const file = (await app.call(admin, { url: `/api/export/${id}/file` })).body;
  const { count } = await app.ctx.db
    .selectFrom('appUser')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  expect(file.trimEnd().split('\r\n')).toHaveLength(Number(count) + 1);
  const lines = await app.ctx.db.selectFrom('billLine').select('meterId').execute();
  const meters = await app.ctx.db.selectFrom('meter').select('id').execute();
  expect(lines).toHaveLength(meters.length);
  expect(await app.ctx.db.selectFrom('task').where('id', '=', taskId).select(['done', 'total', 'ok']).executeTakeFirst()).toEqual({
    done: meters.length,
    total: meters.length,
    ok: meters.length,
  });
});

test('an export that is ordered while no process works is written by the next one, with the rights that its user has then', async () => {
  const messages: BusMessage[] = [];
  const unsubscribe = app.ctx.bus.subscribe(({ message }) => void messages.push(message));
  const [keeps, loses] = [await app.addUser({ roles: ['ADMIN'] }), await app.addUser({ roles: ['ADMIN'] })];
  const answers = [orderExport(keeps), orderExport(loses)];
  const idOf = (user: TestUser) =>
    vi.waitUntil(
      async () => (await app.ctx.db.selectFrom('exportJob').where('userId', '=', user.id).select('id').executeTakeFirst())?.id,
      A_LEASE,
    );
  const [kept, lost] = [await idOf(keeps), await idOf(loses)];
  await app.ctx.db.deleteFrom('userRole').where('userId', '=', loses.id).execute();
  await startQueue(everyJob(app.ctx, app.ctx));
  await vi.waitUntil(async () => (await exported(kept)).state === 'ready' && (await exported(lost)).state === 'failed', A_LEASE);
  expect((await exported(lost)).failure).toEqual({ code: 'FORBIDDEN', params: {} });
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  unsubscribe();
  expect(messages.filter(({ type }) => type === 'export.ready')).toEqual([]);
});

test('a computation that is stopped writes nothing any more', async () => {
  const payload = { kind: 'custom', from: '2026-11-01', to: '2026-11-02' };
  const { taskId } = (await app.call(admin, { method: 'POST', url: '/api/analysis/bill/calculate', payload })).json<{ taskId: string }>();
  await app.ctx.db.updateTable('task').set({ total: 4 }).where('id', '=', taskId).execute();
  const stopped = await app.call(admin, { method: 'POST', url: `/api/task/${taskId}/cancel` });
  expect(stopped.json()).toMatchObject({ state: 'cancelled' });
  await startQueue(everyJob(app.ctx, app.ctx));
  await vi.waitUntil(async () => (await attemptsAt('bill', taskId))?.state === 'completed', A_LEASE);
  const period = await app.ctx.db.selectFrom('billPeriod').where('taskId', '=', taskId).select(['id', 'state']).executeTakeFirstOrThrow();
  expect(period.state).toBe('open');
  expect(await app.ctx.db.selectFrom('billLine').where('periodId', '=', period.id).select('meterId').execute()).toEqual([]);
  expect(await app.ctx.db.selectFrom('task').where('id', '=', taskId).select('state').executeTakeFirst()).toEqual({ state: 'cancelled' });
});

describe('two processes', () => {
  test('share the jobs, and do none of them twice', async () => {
    const runs: { by: string; subject: string }[] = [];
    let onBoth: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (onBoth = resolve));
    const kindOf = (by: string): JobKind => ({
      name: 'shared',
      workers: 1,
      async run({ subject }) {
        runs.push({ by, subject });
        if (new Set(runs.map((run) => run.by)).size === 2) onBoth();
        await both;
      },
      giveUp: () => Promise.resolve(),
    });
    const one = await startQueue([kindOf('one')]);
    await startQueue([kindOf('two')]);
    const subjects = Array.from({ length: 12 }, (_, at) => String(at));
    await orderAll(one, 'shared', subjects);
    // A second order of a subject that waits or runs is the same job.
    await orderAll(one, 'shared', subjects.slice(6));
    await vi.waitUntil(async () => {
      const { rows } = await app.ctx.pool.query("select from pgboss.job where name = 'shared' and state = 'completed'");
      return rows.length === subjects.length;
    }, A_LEASE);
    expect(runs.map(({ subject }) => Number(subject)).toSorted((a, b) => a - b)).toEqual(subjects.map(Number));
    expect(new Set(runs.map(({ by }) => by))).toEqual(new Set(['one', 'two']));
  });

  test('never both write: the one that lost its lease is refused', async () => {
    const jobs: Job[] = [];
    let onRelease: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (onRelease = resolve));
    const refusals: unknown[] = [];
    const kindOf = (by: string, wait: Promise<void>): JobKind => ({
      name: 'leased',
      workers: 1,
      async run(job) {
        jobs.push(job);
        await wait;
        await app.ctx.db
          .transaction()
          .execute(async (tx) => {
            await tx
              .insertInto('userPreference')
              .values({ userId: admin.id, key: `written by ${by}`, value: '1' })
              .execute();
            await job.hold(tx);
          })
          .catch((error: unknown) => refusals.push(error));
      },
      giveUp: () => Promise.resolve(),
    });
    const one = await startQueue([kindOf('one', released)]);
    await orderAll(one, 'leased', ['7']);
    await vi.waitUntil(() => jobs.length === 1, A_LEASE);
    await expireLease('leased');
    await startQueue([kindOf('two', Promise.resolve())]);
    await vi.waitUntil(async () => (await attemptsAt('leased', '7'))?.state === 'completed', A_LEASE);
    onRelease();
    await vi.waitUntil(() => refusals.length === 1, A_LEASE);
    expect(String(refusals[0])).toContain('Another attempt has taken over');
    const written = await app.ctx.db.selectFrom('userPreference').where('userId', '=', admin.id).select('key').execute();
    expect(written.map(({ key }) => key)).toEqual(['written by two']);
    expect(jobs.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
  });

  test('hand over at a stop, without waiting for a lease', async () => {
    const begun: string[] = [];
    const kindOf = (by: string): JobKind => ({
      name: 'handed-over',
      workers: 1,
      async run({ signal }) {
        begun.push(by);
        if (by === 'one') await once(signal, 'abort').then(() => signal.throwIfAborted());
      },
      giveUp: () => Promise.resolve(),
    });
    const one = await startQueue([kindOf('one')]);
    await orderAll(one, 'handed-over', ['1']);
    await vi.waitUntil(() => begun.length === 1, A_LEASE);
    await one.stop();
    expect(await attemptsAt('handed-over', '1')).toMatchObject({ state: 'retry' });
    await startQueue([kindOf('two')]);
    await vi.waitUntil(async () => (await attemptsAt('handed-over', '1'))?.state === 'completed', A_LEASE);
    expect(begun).toEqual(['one', 'two']);
  });
});

describe('a job that fails', () => {
  const givenUp: [string, string][] = [];
  let runs = 0;
  const kind: JobKind = {
    name: 'failing',
    workers: 2,
    run({ subject }) {
      runs++;
      return Promise.reject(subject === 'refused' ? new ApiError('FORBIDDEN') : new Error('broken'));
    },
    giveUp: (subject, error) => Promise.resolve(void givenUp.push([subject, error instanceof Error ? error.message : ''])),
  };

  test('by its own error is tried three times, by a refusal once', async () => {
    const queue = await startQueue([kind]);
    await orderAll(queue, 'failing', ['refused']);
    await vi.waitUntil(() => givenUp.length === 1, A_LEASE);
    expect(runs).toBe(1);
    await orderAll(queue, 'failing', ['broken']);
    await vi.waitUntil(() => givenUp.length === 2, A_LEASE);
    expect(runs).toBe(4);
    expect(givenUp).toEqual([
      ['refused', 'FORBIDDEN'],
      ['broken', 'broken'],
    ]);
  });

  test('with twenty processes is given up', async () => {
    let begun = 0;
    const deadly: JobKind = {
      ...kind,
      name: 'deadly',
      async run({ signal }) {
        begun++;
        await once(signal, 'abort');
        throw new Error('too late');
      },
    };
    const queue = await startQueue([deadly]);
    await orderAll(queue, 'deadly', ['9']);
    await vi.waitUntil(() => begun === 1, A_LEASE);
    await app.ctx.pool.query("update pgboss.job set retry_count = 20 where name = 'deadly'");
    await expireLease('deadly');
    await vi.waitUntil(() => givenUp.some(([subject]) => subject === '9'), A_LEASE);
    expect(givenUp.at(-1)?.[1]).toContain('Processes died 20 times');
  });
});

test('the tables of the migration are those of the library, and its care of them needs no more rights than the server has', async () => {
  const errors: unknown[] = [];
  const boss = new PgBoss({
    connectionString: urlOf(connectionOf(app.ctx.pool)),
    schema: 'pgboss',
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: false,
    reindex: false,
    monitorVacuum: false,
    registerInstance: false,
  });
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  try {
    const drift = await boss.detectSchemaDrift();
    expect(drift).toMatchObject({ ok: true });
    await boss.supervise();
    expect(errors).toEqual([]);
  } finally {
    await boss.stop({ graceful: false });
  }
  await expect(app.ctx.pool.query('create table pgboss.mine (id int)')).rejects.toThrow(/permission denied/);
  await expect(app.ctx.pool.query('drop table pgboss.job')).rejects.toThrow(/must be owner/);
});
