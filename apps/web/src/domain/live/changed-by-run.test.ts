import { clock } from '@hes/contract/action/clock.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { task } from '@hes/contract/task/task.ts';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { queryKeyOf } from '#core/api/hooks.ts';
import { applyLiveMessage } from './apply.ts';

const TS = '2026-01-01T00:00:00.000Z';
// as: only the kind matters here
const progress = (kind: string) => ({ type: 'task.progress', ts: TS, id: '7', data: { kind, finishedAt: TS } }) as never;

test('lists from before a run are not shown after it: visible ones are refetched, hidden ones are removed', async () => {
  const client = new QueryClient();
  const [hidden, shown, other] = [queryKeyOf(relay.list, undefined, { page: 1 }), queryKeyOf(relay.summary), queryKeyOf(clock.list)];
  const run = queryKeyOf(task.get, { id: '7' });
  for (const key of [hidden, shown, other, run]) client.setQueryData(key, 'before');
  const ask = vi.fn(() => Promise.resolve('after'));
  const observer = new QueryObserver(client, { queryKey: shown, queryFn: ask, staleTime: Infinity });
  const stop = observer.subscribe(() => undefined);
  applyLiveMessage(client, progress('relay_read'));
  expect(client.getQueryData(hidden)).toBeUndefined();
  expect(client.getQueryData(other)).toBe('before');
  expect(client.getQueryData(run)).toMatchObject({ kind: 'relay_read' });
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('after'));
  expect(ask).toHaveBeenCalledTimes(1);
  stop();
});

test.each(['archive_dispatch', 'discovery_identify', 'upgrade'])(
  'a meter list from before a run of kind %s is not shown after it',
  (kind) => {
    const client = new QueryClient();
    const assets = queryKeyOf(meter.assets, undefined, { page: 1 });
    client.setQueryData(assets, 'before');
    applyLiveMessage(client, progress(kind));
    expect(client.getQueryData(assets)).toBeUndefined();
  },
);
