import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { DcuRow } from '@hes/contract/asset/dcu.ts';
import { App } from 'antd';
import { StrictMode, type ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveSession } from '#shared/api/session.ts';
import { useDcuDialog } from './use-dcu-dialog.ts';

/** Each call to the server, as method and path. */
let calls: string[] = [];
let respond: (response: Response) => void;
beforeEach(() => {
  calls = [];
  saveSession({ id: '1', username: 'lin', name: 'Lin' }, { access_token: 'a', token_type: 'Bearer', expiresAt: Date.now() + 1e9 });
  vi.stubGlobal('fetch', (url: string, { method }: RequestInit) => {
    calls.push(`${method} ${url}`);
    return new Promise<Response>((resolve) => (respond = resolve));
  });
});
afterEach(cleanup);

const wrapper = ({ children }: { children: ReactNode }) => (
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <App>{children}</App>
    </QueryClientProvider>
  </StrictMode>
);
const dcu = { id: '7', sn: 'DCU26000007' } as DcuRow; // as: the fields in use

test('a link test is sent once per click, and its dialog opens with the task', async () => {
  const { result } = renderHook(useDcuDialog, { wrapper });
  act(() => result.current.open({ kind: 'test', dcu }));
  await waitFor(() => expect(calls).toEqual(['POST /api/asset/dcu/7/test']));
  expect(result.current.dialog).toBeUndefined();
  act(() => result.current.open({ kind: 'test', dcu }));
  await act(async () => respond(Response.json({ taskId: '12' })));
  await waitFor(() => expect(result.current.dialog).toEqual({ kind: 'run', taskId: '12', title: 'Link test DCU26000007' }));
  expect(calls).toHaveLength(1);
});

test('a refused order opens no dialog', async () => {
  const { result } = renderHook(useDcuDialog, { wrapper });
  act(() => result.current.open({ kind: 'info', dcus: [dcu] }));
  await waitFor(() => expect(calls).toHaveLength(1));
  await act(async () => respond(Response.json({ code: 'NOT_FOUND', message: 'gone' }, { status: 404 })));
  expect(result.current.dialog).toBeUndefined();
});
