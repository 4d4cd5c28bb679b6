import { expect, test, vi } from 'vitest';
import type { Context } from '#db/context.ts';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { silentLog } from '#platform/log.ts';
import { scriptedQueue } from '../../test/scripted-queue.ts';
import type { Operations, Ownership, Reach } from './operation.ts';
import { startTasks } from './start-tasks.ts';

test('the queue starts before the jobs that place orders, and is stopped after them', async () => {
  const queue = scriptedQueue();
  const ctx = { pool: queue.pool, bus: createBus(), clock: systemClock, log: silentLog } as unknown as Context; // as: the jobs of this test read nothing else
  const reach = { onReachable: () => () => undefined, onDatabaseBack: () => undefined } as unknown as Reach; // as: no item is executed
  const node: Ownership = {
    owner: 'me',
    others: [],
    mayServe: () => true,
    onDeath: () => () => undefined,
    takeTurn: () => Promise.resolve(false),
  };
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const jobs = vi.fn(() => {
    order.push(`jobs after ${queue.countOf('listen')} listen`);
    return [{ runNow: () => Promise.resolve(), stop: () => promise }];
  });
  const tasks = await startTasks(ctx, { operations: {} as Operations, reach, node }, jobs); // as: no item is executed
  expect(jobs.mock.calls).toEqual([[ctx, node]]);
  expect(tasks.dispatcher.owner).toBe('me');
  const stopped = tasks.stop().then(() => order.push('stopped'));
  await new Promise(setImmediate);
  expect([order, queue.countOf('releaseAll')]).toEqual([['jobs after 1 listen'], 0]);
  resolve();
  await stopped;
  expect([order.length, queue.countOf('releaseAll')]).toEqual([2, 1]);
});
