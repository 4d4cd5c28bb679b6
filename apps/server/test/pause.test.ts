import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { BusMessage } from '../src/platform/bus.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { sql } from 'kysely';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { adopted } from './adopted.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { Dispatcher } from '../src/tasks/dispatcher.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { Operation } from '../src/tasks/operation.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { HURRY } from './field/hurry.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';
import { sampleParams } from './sample-params.ts';

const RUNS = 12;
const WAIT = { timeout: 10_000, interval: 10 };

let app: TestApp;
let operator: TestUser;
let dcuId = '';
let meterId = '';
/** Meters of the DCU, that one first. */
let meterIds: string[] = [];
const wire = new Map<string, (outcome: Outcome<ItemResult>) => void>();
/** Items in the order in which they went out. */
const sent: string[] = [];
let dispatcher: Dispatcher | undefined;
let isOnline = true;

/** A device that answers when the test says so. */
const held: Operation = async ({ id }) => {
  sent.push(id);
  const outcome = await new Promise<Outcome<ItemResult>>((resolve) => wire.set(id, resolve));
  return { outcome, traceId: undefined };
};
const atOnce: Operation = async ({ id }) => {
  sent.push(id);
  return { outcome: ok({}), traceId: undefined };
};

async function startDispatcher(parallel = 1): Promise<void> {
  const epoch = await adopted(app.ctx.pool, dcuId);
  const reach = {
    prepare: async () => undefined,
    connect: async () => true,
    isOnline: () => isOnline,
    epochOf: () => epoch,
    parallelMeters: () => parallel,
    onDatabaseBack: () => undefined,
    onReachable: () => () => undefined,
  };
  dispatcher = new Dispatcher(
    app.ctx,
    { operations: { registers: held, relay_disconnect: held, clock_read: atOnce }, reach },
    // A busy machine may take longer than the usual time after which a slot is freed.
    { ...HURRY, retryWait: 0, fairMs: 60_000 },
  );
  await dispatcher.start();
}

async function stopDispatcher(): Promise<void> {
  // A device that never responds does not prevent a stop; here it would only cost time.
  for (const answer of wire.values()) answer(failed('METER_TIMEOUT'));
  wire.clear();
  await dispatcher?.stop();
  dispatcher = undefined;
}

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  await sql`update collect_plan set enabled = false`.execute(app.ctx.db);
  operator = await app.addUser({ roles: ['OPERATOR'] });
  dcuId = (await app.ctx.db.selectFrom('dcu').select('id').where('sn', '=', 'DCUN0001').executeTakeFirstOrThrow()).id;
  meterId = (await app.ctx.db.selectFrom('meter').select('id').where('sn', '=', 'MN0001').executeTakeFirstOrThrow()).id;
  const meters = await app.ctx.db.selectFrom('meter').select('id').where('dcuId', '=', dcuId).where('id', '<>', meterId).execute();
  meterIds = [meterId, ...meters.map(({ id }) => id)];
});
beforeEach(() => {
  sent.length = 0;
  wire.clear();
  isOnline = true;
});
afterEach(async () => {
  await stopDispatcher();
  // The next test starts without items of this one, even if this one has failed.
  const open = await app.ctx.db.selectFrom('task').select('id').where('finishedAt', 'is', null).execute();
  for (const { id } of open) await steer(operator, id, 'cancel');
});
afterAll(() => app.close());

const order = async (
  items: number,
  { kind = 'registers' as TaskKind, createdBy = operator.id as string | null, priority = 3, meters = [meterId] } = {},
) =>
  (
    await createTask(app.ctx.db, {
      kind,
      source: 'user',
      title: kind,
      params: sampleParams(kind),
      priority,
      createdBy,
      items: Array.from({ length: items }, (_, index) => ({
        deviceKind: 'meter' as const,
        dcuId,
        meterId: meters[index % meters.length] ?? meterId,
      })),
    })
  ).id;

const steer = async (user: TestUser, id: string, verb: 'pause' | 'resume' | 'cancel' | 'retry') =>
  app.call(user, { method: 'POST', url: `/api/task/${id}/${verb}` });
const stateOf = async (id: string): Promise<TaskRow> => (await app.call(operator, { method: 'GET', url: `/api/task/${id}` })).json();
const itemsOf = async (id: string): Promise<TaskItemRow[]> =>
  (await app.call(operator, { method: 'GET', url: `/api/task/${id}/items` })).json().items;
const statesOf = async (id: string): Promise<string[]> => (await itemsOf(id)).map((item) => item.state);

/** In-flight items are stored, and claimed items that did not start are back in the queue. */
const settled = (id: string) => vi.waitFor(async () => expect(await statesOf(id)).not.toContain('reading'), WAIT);

/** The queue runs and has seen the pause: other work for the same DCU completes, in either lane. */
async function probe(lane: 'operator' | 'bulk' = 'operator'): Promise<void> {
  const id = await order(1, { kind: 'clock_read', createdBy: null, priority: lane === 'bulk' ? 9 : 3 });
  await vi.waitFor(async () => expect((await statesOf(id))[0]).toBe('read_success'), WAIT);
}

/** Responds to the requests in flight, all of them or the oldest. */
function answer(outcome: Outcome<ItemResult>, count = wire.size): void {
  for (const [id, resolve] of [...wire].slice(0, count)) {
    wire.delete(id);
    resolve(outcome);
  }
}

async function answerAllUntilEnd(id: string): Promise<void> {
  await vi.waitFor(async () => {
    answer(ok({}));
    expect((await stateOf(id)).finishedAt).not.toBeNull();
  }, WAIT);
}

describe('a paused task', () => {
  test('starts nothing more, stores in-flight results, stays paused over a restart, and continues where it was', async () => {
    await startDispatcher();
    const id = await order(6);
    await vi.waitFor(() => expect(wire.size).toBe(1), WAIT);
    expect((await steer(operator, id, 'pause')).json()).toMatchObject({ state: 'paused', total: 6, done: 0 });
    await probe('bulk');
    answer(ok({ rows: 7 }));
    await settled(id);
    await probe();
    expect((await itemsOf(id)).map(({ state, result, attempts }) => ({ state, result, attempts }))).toEqual([
      { state: 'read_success', result: { rows: 7 }, attempts: 1 },
      ...Array.from({ length: 5 }, () => ({ state: 'waiting', result: null, attempts: 0 })),
    ]);

    await stopDispatcher();
    await startDispatcher();
    await probe();
    expect(await stateOf(id)).toMatchObject({ state: 'paused', done: 1, ok: 1 });

    expect((await steer(operator, id, 'resume')).json()).toMatchObject({ state: 'running' });
    await answerAllUntilEnd(id);
    expect(await stateOf(id)).toMatchObject({ state: 'finished', total: 6, done: 6, ok: 6, failed: 0 });
    const ids = (await itemsOf(id)).map((item) => item.id);
    expect(ids.map((one) => sent.filter((other) => other === one).length)).toEqual(ids.map(() => 1));
  });

  test('at any time of the pause, for any number of parallel meters and any responses: nothing is lost or done twice', async () => {
    const course = fc.record({
      items: fc.integer({ min: 1, max: 9 }),
      parallel: fc.integer({ min: 1, max: 3 }),
      answeredBefore: fc.integer({ min: 0, max: 4 }),
      /** A silent meter goes back to the queue while its task is paused. */
      isSilent: fc.boolean(),
      restarts: fc.boolean(),
    });
    await fc.assert(
      fc
        .asyncProperty(course, async ({ items, parallel, answeredBefore, isSilent, restarts }) => {
          sent.length = 0;
          await startDispatcher(parallel);
          const id = await order(items);
          for (let i = 0; i < Math.min(answeredBefore, items - 1); i++) {
            await vi.waitFor(() => expect(wire.size).toBeGreaterThan(0), WAIT);
            answer(ok({}), 1);
          }
          const paused = await steer(operator, id, 'pause');
          if (paused.statusCode === 200) {
            await probe('bulk');
            const before = sent.length;
            answer(isSilent ? failed('METER_TIMEOUT') : ok({}));
            await settled(id);
            if (restarts) {
              await stopDispatcher();
              await startDispatcher(parallel);
            }
            await probe();
            expect(sent.length - before).toBe(1);
            const { state, done } = await stateOf(id);
            expect(state).toBe(done === items ? 'finished' : 'paused');
            if (state === 'paused') expect((await steer(operator, id, 'resume')).statusCode).toBe(200);
          }
          await answerAllUntilEnd(id);
          expect(await stateOf(id)).toMatchObject({ state: 'finished', total: items, done: items, ok: items, failed: 0 });
        })
        .afterEach(stopDispatcher),
      { numRuns: RUNS },
    );
  }, 60_000);

  test('lets each switch of a spread order wait as long as it still had to, however long the pause was', async () => {
    const id = await order(3, { kind: 'clock_read' });
    await sql`update task_item set not_before = now() + make_interval(secs => n * 600) from (select id, row_number() over (order by id) as n from task_item where task_id = ${id}) k
      where task_item.id = k.id`.execute(app.ctx.db);
    const waits = async () =>
      (
        await sql<{
          s: number;
        }>`select round(extract(epoch from not_before - now()) / 60)::int as s from task_item where task_id = ${id} order by id`.execute(
          app.ctx.db,
        )
      ).rows.map(({ s }) => s);
    expect(await waits()).toEqual([10, 20, 30]);
    expect((await steer(operator, id, 'pause')).statusCode).toBe(200);
    expect(Math.min(...(await waits()))).toBeGreaterThan(1e8);
    expect((await steer(operator, id, 'resume')).statusCode).toBe(200);
    expect(await waits()).toEqual([10, 20, 30]);
    await steer(operator, id, 'cancel');
  });

  test('can be stopped, and then nothing of it waits', async () => {
    const id = await order(3);
    await steer(operator, id, 'pause');
    expect((await steer(operator, id, 'cancel')).json()).toMatchObject({ state: 'cancelled', done: 3 });
    expect(await statesOf(id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('ends with its time: a pause does not keep an order alive', async () => {
    const id = await order(2);
    await steer(operator, id, 'pause');
    await sql`update task set expires_at = now() - interval '1 second' where id = ${id}`.execute(app.ctx.db);
    await startDispatcher();
    await vi.waitFor(async () => expect(await statesOf(id)).toEqual(['expired', 'expired']), WAIT);
    expect(sent).toEqual([]);
    expect((await steer(operator, id, 'resume')).json().code).toBe('NOTHING_TO_DO');
  });
});

describe('a stopped task', () => {
  test('sends nothing more, neither claimed nor failed items, and has ended as cancelled', async () => {
    await startDispatcher();
    const id = await order(6, { priority: 9 });
    await vi.waitFor(() => expect(wire.size).toBe(1), WAIT);
    expect(await statesOf(id)).toEqual(Array.from({ length: 6 }, () => 'reading'));
    expect((await steer(operator, id, 'cancel')).json()).toMatchObject({ state: 'running', total: 6, done: 0 });
    await probe();
    answer(failed('METER_TIMEOUT'));
    await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: 'cancelled', done: 6, ok: 0, failed: 0 }), WAIT);
    await probe('bulk');
    expect(sent.filter((one) => one !== sent[0])).toHaveLength(2);
    expect(await statesOf(id)).toEqual(Array.from({ length: 6 }, () => 'cancelled'));
    expect((await steer(operator, id, 'cancel')).json().code).toBe('NOTHING_TO_DO');
  });

  test('stores the responses to items in flight', async () => {
    await startDispatcher();
    const id = await order(3, { priority: 9 });
    await vi.waitFor(() => expect(wire.size).toBe(1), WAIT);
    await steer(operator, id, 'cancel');
    await probe();
    answer(ok({ rows: 7 }));
    await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: 'cancelled', done: 3, ok: 1 }), WAIT);
    expect(await statesOf(id)).toEqual(['read_success', 'cancelled', 'cancelled']);
  });

  test('proves a switch that was begun: it may be done already', async () => {
    await startDispatcher();
    const id = await order(2, { kind: 'relay_disconnect', createdBy: operator.id });
    await vi.waitFor(() => expect(wire.size).toBe(1), WAIT);
    await steer(operator, id, 'cancel');
    await probe('bulk');
    answer(failed('RELAY_UNKNOWN'));
    await vi.waitFor(() => expect(wire.size).toBe(1), WAIT);
    answer(ok({}));
    await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: 'cancelled', done: 2, ok: 1 }), WAIT);
    expect(await statesOf(id)).toEqual(['read_success', 'cancelled']);
  });
});

/** One claim of collection, and the claim ahead once half of it is left. */
const [CLAIMED, AHEAD] = [64, 32] as const;

describe('items claimed while the DCU worked on the previous claim', () => {
  const undone = { state: 'waiting', attempts: 0 };
  const notSentOf = async (id: string) =>
    (await itemsOf(id)).filter((item) => !sent.includes(item.id)).map(({ state, attempts }) => ({ state, attempts }));

  /** A task with all items claimed, one item in flight and half of the first claim not started. */
  async function takenAhead(): Promise<string> {
    const id = await order(CLAIMED + AHEAD, { priority: 9 });
    for (let begun = 1; begun < CLAIMED - AHEAD; begun++) {
      await vi.waitFor(() => expect(sent).toHaveLength(begun), WAIT);
      expect((await statesOf(id)).filter((state) => state === 'waiting')).toHaveLength(AHEAD);
      answer(ok({}));
    }
    await vi.waitFor(() => expect(sent).toHaveLength(CLAIMED - AHEAD), WAIT);
    answer(ok({}));
    await vi.waitFor(async () => {
      expect(wire.size).toBe(1);
      expect(await statesOf(id)).not.toContain('waiting');
    }, WAIT);
    return id;
  }

  test('is done, each once', async () => {
    await startDispatcher();
    const id = await takenAhead();
    await answerAllUntilEnd(id);
    expect(await stateOf(id)).toMatchObject({ state: 'finished', ok: CLAIMED + AHEAD });
    expect(new Set(sent).size).toBe(sent.length);
  });

  test.each(['pause', 'cancel'] as const)('is released when its task gets %s', async (verb) => {
    await startDispatcher();
    const id = await takenAhead();
    const begun = sent.length;
    await steer(operator, id, verb);
    await probe();
    answer(ok({}));
    await settled(id);
    expect(sent).toHaveLength(begun + 1); // and the probe
    const ended = verb === 'pause' ? undone : { state: 'cancelled', attempts: 0 };
    await vi.waitFor(async () => expect(await notSentOf(id)).toEqual(Array.from({ length: CLAIMED + AHEAD - begun }, () => ended)), WAIT);
    await steer(operator, id, 'cancel');
  });

  test.each([
    {
      what: 'the DCU goes away',
      happens: async () => {
        isOnline = false;
        answer(ok({}));
      },
    },
    { what: 'the server stops', happens: stopDispatcher },
  ])('goes back when $what, and counts as no attempt', async ({ happens }) => {
    await startDispatcher();
    const id = await takenAhead();
    const begun = sent.length;
    await happens();
    await settled(id);
    expect(sent).toHaveLength(begun);
    expect(await notSentOf(id)).toEqual(Array.from({ length: CLAIMED + AHEAD - begun }, () => undone));
    await steer(operator, id, 'cancel');
  });
});

describe('steering a task', () => {
  test('sends exactly the failed again', async () => {
    const count = meterIds.length;
    await startDispatcher(count);
    const id = await order(count, { meters: meterIds });
    await vi.waitFor(() => expect(wire.size).toBe(count), WAIT);
    const [bad = '', ...good] = (await itemsOf(id)).map((item) => item.id);
    wire.get(bad)?.(failed('ACCESS_DENIED'));
    for (const one of good) wire.get(one)?.(ok({}));
    wire.clear();
    await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: 'partly_failed', failed: 1 }), WAIT);
    sent.length = 0;
    expect((await steer(operator, id, 'retry')).json()).toMatchObject({ state: 'running', done: count - 1 });
    await answerAllUntilEnd(id);
    expect(sent).toEqual([bad]);
    expect(await stateOf(id)).toMatchObject({ state: 'finished', ok: count });
  });

  test('is sent to every subscriber, and audited once each', async () => {
    const id = await order(2);
    const told: BusMessage[] = [];
    const unsubscribe = app.ctx.bus.subscribe(({ topic, message }) => {
      if (topic === `task:${id}`) told.push(message);
    });
    for (const verb of ['pause', 'resume', 'cancel'] as const) expect((await steer(operator, id, verb)).statusCode).toBe(200);
    unsubscribe();
    expect(told.map((message) => (message.type === 'task.progress' ? message.data.state : ''))).toEqual(['paused', 'waiting', 'cancelled']);
    const lines = await app.ctx.db
      .selectFrom('auditLog')
      .select(['action', 'userId', 'detail'])
      .where('entity', '=', 'task')
      .where('entityId', '=', id)
      .orderBy('id')
      .execute();
    expect(lines).toMatchObject(
      (['task_paused', 'task_resumed', 'task_stopped'] as const).map((action) => ({
        action,
        userId: operator.id,
        detail: { kind: 'registers', title: 'registers', items: 2, total: 2, done: 0 },
      })),
    );
  });

  test('requires the right to order such a task; its user may pause or cancel it without, but not send it again', async () => {
    const auditor = await app.addUser({ roles: ['AUDITOR'] });
    const id = await order(2);
    for (const verb of ['pause', 'resume', 'cancel', 'retry'] as const)
      expect((await steer(auditor, id, verb)).json().code).toBe('FORBIDDEN');
    const own = await order(2, { createdBy: auditor.id, kind: 'relay_read' });
    expect((await steer(auditor, own, 'pause')).statusCode).toBe(200);
    expect((await steer(auditor, own, 'resume')).json().code).toBe('FORBIDDEN');
    expect((await steer(operator, own, 'resume')).statusCode).toBe(200);
    expect((await steer(auditor, own, 'cancel')).statusCode).toBe(200);
    expect((await steer(auditor, own, 'retry')).json().code).toBe('FORBIDDEN');
    await steer(operator, id, 'cancel');
  });

  test('pauses nothing that has an own pause or an own end, waits for a second person, or is over', async () => {
    const admin = await app.addUser({ roles: ['ADMIN', 'FW_ENGINEER'] });
    for (const kind of ['upgrade', 'discovery'] as const) {
      const id = await order(1, { kind });
      expect((await steer(admin, id, 'pause')).json().code).toBe('NOTHING_TO_DO');
      await steer(admin, id, 'cancel');
      expect((await steer(admin, id, 'pause')).json().code).toBe('NOTHING_TO_DO');
    }
    const id = await order(1);
    await sql`update task set state = 'waiting_approval' where id = ${id}`.execute(app.ctx.db);
    expect((await steer(admin, id, 'pause')).json().code).toBe('NOTHING_TO_DO');
    expect((await steer(admin, id, 'resume')).json().code).toBe('NOTHING_TO_DO');
  });
});
