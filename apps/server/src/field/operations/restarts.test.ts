import { ok } from '@hes/contract/core/outcome.ts';
import type { WorkItem } from '#tasks/operation.ts';
import { expect, test } from 'vitest';
import { afterRestarts, Restarts } from './restarts.ts';

const DONE = { outcome: ok({}), traceId: 'read' };
const itemOf = (meterId: string, priority: number) => ({ kind: 'registers', meterId, priority }) as WorkItem<'registers'>; // as: the function uses nothing else

test('collection of a restarting meter is postponed until it can be back; operators and other meters are served at once', async () => {
  const restarts = new Restarts();
  const registers = afterRestarts(restarts)('registers', async () => DONE);
  expect(restarts.recordRestart('job', 'first')).toBeUndefined();
  expect(await registers(itemOf('first', 5))).toMatchObject({ outcome: { ok: true }, traceId: undefined, againInMs: expect.any(Number) });
  expect(await registers(itemOf('first', 3))).toBe(DONE);
  expect(await registers(itemOf('second', 5))).toBe(DONE);
  restarts.recordReturn('job', 'first', 12_000);
  expect(await registers(itemOf('first', 5))).toBe(DONE);
});

test('the shortest restart of an upgrade is the expected duration for its next meters', () => {
  const restarts = new Restarts();
  restarts.recordReturn('job', 'first', 14_000);
  restarts.recordReturn('job', 'second', 12_000);
  restarts.recordReturn('job', 'third', 19_000);
  expect(restarts.recordRestart('job', 'fourth')).toBe(12_000);
  expect(restarts.recordRestart('another', 'fifth')).toBeUndefined();
});
