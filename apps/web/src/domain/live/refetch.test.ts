import type { LiveMessage } from '@hes/contract/core/live.ts';
import { task } from '@hes/contract/task/task.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryKeyOf } from '#core/api/hooks.ts';
import { applyLiveMessage } from './apply.ts';

const TS = '2026-01-01T00:00:00.000Z';

/** An active query; the test decides when each of its calls is answered. */
function watch(queryKey: readonly unknown[]) {
  const client = new QueryClient();
  const calls: ((answer: string) => void)[] = [];
  const observer = new QueryObserver<string>(client, { queryKey, queryFn: () => new Promise<string>((resolve) => calls.push(resolve)) });
  const stop = observer.subscribe(() => undefined);
  stops.push(stop);
  const answer = async (text: string) => {
    calls.at(-1)?.(text);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { client, calls, answer, shown: () => observer.getCurrentResult().data };
}
let stops: (() => void)[] = [];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
});

// as: only the type of the message matters here
const changed = { type: 'topology.changed', ts: TS, id: '1', data: { takenAt: TS, joined: 1, left: 0, moved: 0 } } as LiveMessage;

test('a change announced during the first request causes a refetch after its response', async () => {
  const picture = watch(queryKeyOf(topology.get, { dcuId: '1' }));
  applyLiveMessage(picture.client, changed);
  await picture.answer('as it was before');
  expect([picture.shown(), picture.calls.length]).toEqual(['as it was before', 2]);
  await picture.answer('as it is');
  expect(picture.shown()).toBe('as it is');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(picture.calls).toHaveLength(2);
});

test('a request is not cancelled, however many messages arrive meanwhile', async () => {
  const picture = watch(queryKeyOf(topology.get, { dcuId: '1' }));
  await picture.answer('first');
  void picture.client.refetchQueries();
  for (let second = 0; second < 30; second += 1) {
    applyLiveMessage(picture.client, changed);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(picture.calls).toHaveLength(2);
  await picture.answer('half a minute later');
  expect(picture.shown()).toBe('half a minute later');
});

test('a response older than a message does not override it', async () => {
  const run = watch(queryKeyOf(task.get, { id: '7' }));
  applyLiveMessage(run.client, { type: 'task.progress', ts: TS, id: '7', data: 'finished' as never }); // as: any row will do
  expect(run.shown()).toBe('finished');
  await run.answer('running');
  await run.answer('finished');
  expect([run.shown(), run.calls.length]).toEqual(['finished', 2]);
});

test('a message does not restart loading that the user stopped', async () => {
  const picture = watch(queryKeyOf(topology.get, { dcuId: '1' }));
  applyLiveMessage(picture.client, changed);
  await picture.client.cancelQueries();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(picture.calls).toHaveLength(1);
});
