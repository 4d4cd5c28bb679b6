import { task, type TaskRow } from '@hes/contract/task/task.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryKeyOf } from '#core/api/hooks.ts';
import { saveSession } from '#core/session/session.ts';
import { applyLiveMessage } from '#domain/live/apply.ts';
import { useComputation } from './use-computation.ts';

const answers: ((row: TaskRow) => void)[] = [];
const row = (state: TaskRow['state']): TaskRow => ({ id: '7', kind: 'bill', state, finishedAt: null }) as unknown as TaskRow; // as: only these fields are used

beforeEach(() => {
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
  answers.length = 0;
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => answers.push((told) => resolve(new Response(JSON.stringify(told))))));
});
afterEach(cleanup);

test('a response that was in flight at the end does not show the computation as running again', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  const computation = renderHook(() => useComputation(undefined, '/analysis/'), { wrapper });
  act(() => computation.result.current.follow('7'));
  await waitFor(() => expect(answers).toHaveLength(1));
  act(() => applyLiveMessage(client, { type: 'task.progress', ts: '2026-01-01T00:00:00.000Z', id: '7', data: row('finished') }));
  await waitFor(() => expect(computation.result.current.ended?.state).toBe('finished'));
  await act(async () => answers[0]?.(row('running')));
  await waitFor(() => expect(client.getQueryData<TaskRow>(queryKeyOf(task.get, { id: '7' }))?.state).toBeDefined());
  expect(computation.result.current.running).toBeUndefined();
  expect(computation.result.current.ended?.state).toBe('finished');
});
