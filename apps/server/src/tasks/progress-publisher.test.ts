import type { Pool } from 'pg';
import type { BusMessage } from '#platform/bus.ts';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createBus, type Bus } from '#platform/bus.ts';
import { createLog } from '#platform/log.ts';
import { systemClock } from '#platform/clock.ts';
import { errorIn, recordedLog } from '../../test/recorded-log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { ProgressPublisher, publishItems } from './progress-publisher.ts';

const NOW = Date.UTC(2026, 0, 1);
const ITEMS = 501;

let database: TestDatabase;
/** Items by task. */
let tasks: { id: string; items: string[] }[];
let bus: Bus;
let published: { topic: string; message: BusMessage }[];
beforeAll(async () => {
  database = await cloneDatabase();
  const { dcuTypeId } = await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ id: string; items: string[] }>(`
    with d as (insert into dcu (sn, name, dcu_type_id) values ('PUBLISHDCU', 'D', ${dcuTypeId}) returning id),
      t as (insert into task (kind, source, title, total) values ('lpa', 'user', 'many', ${ITEMS}), ('lpa', 'user', 'one', 1) returning id, total),
      i as (insert into task_item (task_id, kind, priority, device_kind, dcu_id) select t.id, 'lpa', 3, 'meter', d.id from d, t, generate_series(1, t.total) returning id, task_id)
    select t.id, array_agg(i.id::text order by i.id) as items from t join i on i.task_id = t.id group by t.id, t.total order by t.total desc`);
  tasks = rows;
});
afterAll(() => database.drop());

beforeEach(() => {
  bus = createBus();
  published = [];
  bus.subscribe((event) => published.push(event));
});

const task = (index: number) => tasks[index] ?? { id: '', items: [] };
/** Ids in the messages about items of a task, by message. */
const itemsOf = (id: string) =>
  published.flatMap(({ topic, message }) =>
    topic === `task:${id}` && message.type === 'task.item' ? [message.data.items.map((item) => item.id)] : [],
  );
const progressOf = (id: string) =>
  published.flatMap(({ topic, message }) => (topic === `task:${id}` && message.type === 'task.progress' ? [message] : []));

test('each item is published once under its task, at most 500 in one message, and then the progress of the tasks', async () => {
  const [many, one] = [task(0), task(1)];
  const ctx = { pool: database.pool, bus, clock: { ...systemClock, now: () => NOW } };
  await publishItems(ctx, [...many.items, ...one.items], [one.id]);
  expect(itemsOf(many.id).map((ids) => ids.length)).toEqual([500, 1]);
  expect(itemsOf(many.id).flat()).toEqual(many.items);
  expect(itemsOf(one.id)).toEqual([one.items]);
  expect(progressOf(many.id)).toEqual([]);
  expect(progressOf(one.id)).toMatchObject([{ id: one.id, ts: '2026-01-01T00:00:00.000Z', data: { id: one.id, total: 1 } }]);
  expect(published.every(({ message }) => message.ts === '2026-01-01T00:00:00.000Z')).toBe(true);
});

test('only tasks that a console follows are published, with one message for several changes', async () => {
  const [many, one] = [task(0), task(1)];
  const publisher = new ProgressPublisher({ pool: database.pool, bus, clock: systemClock, log: createLog('silent') });
  bus.follow(`task:${many.id}`);
  const changed = (id: string) => ({ id, taskId: many.id });
  publisher.changed(many.items.slice(0, 2).map(changed));
  publisher.changed([changed(many.items[1] ?? ''), { id: one.items[0] ?? '', taskId: one.id }]);
  expect(published).toEqual([]);
  await publisher.stop();
  expect(itemsOf(many.id)).toEqual([many.items.slice(0, 2)]);
  expect(progressOf(many.id)).toHaveLength(1);
  expect([itemsOf(one.id), progressOf(one.id)]).toEqual([[], []]);
  // Published changes are not published again.
  await publisher.stop();
  expect(progressOf(many.id)).toHaveLength(1);
});

test('changes are published by themselves within some hundred milliseconds, and none without a change', async () => {
  const one = task(1);
  const publisher = new ProgressPublisher({ pool: database.pool, bus, clock: systemClock, log: createLog('silent') });
  bus.follow(`task:${one.id}`);
  publisher.changed([]);
  publisher.changed([{ id: one.items[0] ?? '', taskId: one.id }]);
  await expect.poll(() => progressOf(one.id), { timeout: 10_000 }).toHaveLength(1);
  await publisher.stop();
});

test('nothing is scheduled without a change, and the database is not asked for changes that no console follows', async () => {
  vi.useFakeTimers();
  try {
    const pool = { query: vi.fn() };
    const publisher = new ProgressPublisher({ pool: pool as unknown as Pool, bus, clock: systemClock, log: createLog('silent') }); // as: only queries are asked for
    publisher.changed([]);
    expect(vi.getTimerCount()).toBe(0);
    publisher.changed([{ id: '1', taskId: '1' }]);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(250);
    expect([vi.getTimerCount(), pool.query.mock.calls]).toEqual([0, []]);
  } finally {
    vi.useRealTimers();
  }
});

test('a failure to publish is in the log, and the next change is published', async () => {
  const { log, lines } = recordedLog();
  const one = task(1);
  const query = vi.fn().mockRejectedValueOnce(new Error('gone'));
  query.mockImplementation((text: string, values: unknown[]) => database.pool.query(text, values));
  const publisher = new ProgressPublisher({ pool: { query } as unknown as Pool, bus, clock: systemClock, log }); // as: only queries are asked for
  bus.follow(`task:${one.id}`);
  const changed = [{ id: one.items[0] ?? '', taskId: one.id }];
  publisher.changed(changed);
  await publisher.stop();
  expect(lines).toEqual([{ level: 'warn', message: 'Progress could not be published', error: errorIn('gone') }]);
  expect(progressOf(one.id)).toEqual([]);
  publisher.changed(changed);
  await publisher.stop();
  expect(progressOf(one.id)).toHaveLength(1);
});
