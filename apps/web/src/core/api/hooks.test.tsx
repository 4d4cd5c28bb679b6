import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useApiQuery } from './hooks.ts';
import { saveSession } from '#core/session/session.ts';

/** Pending responses by address; the test decides when each arrives. */
const waiting = new Map<string, (body: object) => void>();
const answer = (part: string, body: object): void => {
  const [url] = [...waiting.keys()].filter((known) => known.includes(part));
  expect(url, `unexpected call of ${part}`).toBeDefined();
  waiting.get(url ?? '')?.(body);
};

beforeEach(() => {
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
  waiting.clear();
  vi.stubGlobal(
    'fetch',
    (url: string) => new Promise<Response>((resolve) => waiting.set(url, (body) => resolve(new Response(JSON.stringify(body))))),
  );
});
afterEach(cleanup);

function wrapper({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
let client: QueryClient;
beforeEach(() => (client = new QueryClient({ defaultOptions: { queries: { retry: false } } })));

test('rows of the previous filter stay until those of the next have loaded', async () => {
  const list = renderHook(({ search }) => useApiQuery(meter.list, { query: { node: 'dcu:1', search }, keep: ['node'] }), {
    initialProps: { search: 'one' },
    wrapper,
  });
  answer('search=one', { items: [], total: 11 });
  await waitFor(() => expect(list.result.current.data?.total).toBe(11));
  list.rerender({ search: 'two' });
  expect([list.result.current.data?.total, list.result.current.isPlaceholderData]).toEqual([11, true]);
  answer('search=two', { items: [], total: 2 });
  await waitFor(() => expect(list.result.current.data?.total).toBe(2));
});

test('rows of another node disappear as soon as a node is requested', async () => {
  const list = renderHook(({ node }) => useApiQuery(meter.list, { query: { node }, keep: ['node'] }), {
    initialProps: { node: 'dcu:1' as NodeKey },
    wrapper,
  });
  answer('dcu', { items: [], total: 11 });
  await waitFor(() => expect(list.result.current.data?.total).toBe(11));
  list.rerender({ node: 'dcu:2' });
  expect(list.result.current.data).toBeUndefined();
});

test('the picture of one DCU is never that of another, and stays while its own past is fetched', async () => {
  const picture = renderHook(({ dcuId, at }) => useApiQuery(topology.get, { params: { dcuId }, query: { at }, keep: true }), {
    initialProps: { dcuId: '1', at: undefined as string | undefined },
    wrapper,
  });
  answer('/1', { sn: 'DCU1' });
  await waitFor(() => expect(picture.result.current.data?.sn).toBe('DCU1'));
  picture.rerender({ dcuId: '1', at: '2026-01-01T00:00:00.000Z' });
  expect(picture.result.current.data?.sn).toBe('DCU1');
  picture.rerender({ dcuId: '2', at: undefined });
  expect(picture.result.current.data).toBeUndefined();
});

test('a list is polled as long as its last response expects more', async () => {
  vi.useFakeTimers();
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const list = renderHook(() => useApiQuery(meter.list, { refetchMs: (page) => (page?.total === 2 ? false : 1000) }), { wrapper });
  answer('/asset/meter', { items: [], total: 1 });
  await pass(0);
  waiting.clear();
  await pass(1000);
  answer('/asset/meter', { items: [], total: 2 });
  await pass(0);
  waiting.clear();
  await pass(10_000);
  expect([list.result.current.data?.total, waiting.size]).toEqual([2, 0]);
  vi.useRealTimers();
});
