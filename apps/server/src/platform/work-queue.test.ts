import { expect, test } from 'vitest';
import { WorkQueue, type Lane } from './work-queue.ts';

/** Adds work that ends when the test calls `finish`. */
function controlled(queue: WorkQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (lane: Lane, name: string) =>
    queue.run(
      lane,
      () =>
        new Promise<void>((end) => {
          begun.push(name);
          ends.set(name, end);
        }),
    );
  const finish = async (name: string) => {
    ends.get(name)?.();
    await new Promise<void>((done) => setImmediate(done));
  };
  return { begun, add, finish };
}

test('a full queue refuses work, and work of signed-in callers overtakes that of unknown ones', async () => {
  const { begun, add, finish } = controlled(new WorkQueue({ atOnce: 2, unknownAtOnce: 1, waiting: 2 }));
  const waiting = [add('unknown', 'a'), add('unknown', 'b'), add('unknown', 'c')];
  expect(add('unknown', 'refused')).toBe(undefined);
  waiting.push(add('signed-in', 'x'), add('signed-in', 'y'));
  expect(begun).toEqual(['a', 'x']);
  await finish('a');
  expect(begun).toEqual(['a', 'x', 'y']);
  for (const name of ['x', 'y', 'b', 'c']) await finish(name);
  await Promise.all(waiting);
  expect(begun).toEqual(['a', 'x', 'y', 'b', 'c']);
});

test('failed work frees its slot for the next', async () => {
  const queue = new WorkQueue({ atOnce: 1, unknownAtOnce: 1, waiting: 5 });
  const failing = queue.run('unknown', () => Promise.reject(new Error('no')));
  const next = queue.run('unknown', () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
