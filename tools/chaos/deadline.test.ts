import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Deadline } from './deadline.ts';

const busy: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of busy.splice(0)) child.kill('SIGKILL');
});

test('a time limit without processes ends by the clock', async () => {
  const limit = new Deadline(20, []);
  expect(limit.isOver).toBe(false);
  await wait(30);
  expect(limit.isOver).toBe(true);
});

test('a process that has ended counts no waiting', async () => {
  const limit = new Deadline(20, [2 ** 22 + 1]);
  await wait(30);
  expect(limit.isOver).toBe(true);
});

test.skipIf(!existsSync('/proc/self/schedstat'))('time in which a process waits for a processor does not count', async () => {
  for (let one = 0; one < 3 * availableParallelism(); one++) busy.push(spawn(process.execPath, ['-e', 'for (;;);']));
  const limit = new Deadline(60_000, [busy[0]?.pid ?? 0]);
  const began = performance.now();
  await wait(1_500);
  expect(limit.spentMs).toBeLessThan(0.9 * (performance.now() - began));
});
