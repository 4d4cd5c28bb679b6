import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { Memories } from './memories.ts';
import { Memory, NO_MEMORY, oncePerMemory } from './memory.ts';
import { keepMemories } from './queries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const LAYOUT = { columns: [{ classId: 8 }], periodSeconds: 900 };

test('meters that told the same share one memory, in whatever order they told it, and it cannot be changed', () => {
  const memories = new Memories(database.pool);
  const one = memories.learn(memories.learn(NO_MEMORY, 'depth:lpa', 1), 'profile:x', LAYOUT);
  const other = memories.learn(memories.learn(NO_MEMORY, 'profile:x', LAYOUT), 'depth:lpa', 1);
  expect(other).toBe(one);
  expect(one.get('profile:x')).toEqual(LAYOUT);
  expect(() => Object.assign(one.get('profile:x') as object, { periodSeconds: 1 })).toThrow(TypeError);
});

test('one that tells something anew has a memory of its own; what it had, others keep; and the same again changes nothing', () => {
  const memories = new Memories(database.pool);
  const before = memories.learn(NO_MEMORY, 'depth:lpa', 1);
  const after = memories.learn(before, 'depth:lpa', 2);
  expect([before.get('depth:lpa'), after.get('depth:lpa')]).toEqual([1, 2]);
  expect(memories.learn(after, 'depth:lpa', 2)).toBe(after);
  expect(NO_MEMORY.has('depth:lpa')).toBe(false);
});

test('what was written is loaded once, as it was, and is the one that others learn to', async () => {
  const written = new Memory(NO_MEMORY.textWith('absent:real-time', ['I0', '"\\']));
  await keepMemories(database.pool, new Set([written]));
  const id = written.id ?? '';
  const memories = new Memories(database.pool);
  const loaded = (await memories.load(new Set([id]))).get(id);
  expect(loaded).toMatchObject({ id, text: written.text });
  expect(loaded?.get('absent:real-time')).toEqual(['I0', '"\\']);
  expect((await memories.load(new Set([id]))).get(id)).toBe(loaded);
  expect(memories.learn(NO_MEMORY, 'absent:real-time', ['I0', '"\\'])).toBe(loaded);
});

test('what follows from a memory is worked out once, and anew for another', () => {
  let times = 0;
  const derived = oncePerMemory((memory, part: object) => ({ times: ++times, memory, part }));
  const [memory, other, part] = [new Memory('{}'), new Memory('{}'), {}];
  expect(derived(memory, part)).toBe(derived(memory, part));
  expect(derived(other, part)).toMatchObject({ times: 2, memory: other });
  expect(derived(memory, {})).toMatchObject({ times: 3 });
});
