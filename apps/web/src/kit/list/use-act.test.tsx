import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, screen, waitFor } from '@testing-library/react';
import { dcu as dcus, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { App } from 'antd';
import { Activity } from 'lucide-react';
import { StrictMode, useState, type ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { call } from '#core/api/client.ts';
import { saveSession } from '#core/session/session.ts';
import { defineJointAction, type Action, type OpenDialog, type Task } from './action.ts';
import { useAct } from './use-act.tsx';

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
      <MemoryRouter>
        <App>{children}</App>
      </MemoryRouter>
    </QueryClientProvider>
  </StrictMode>
);
const row = { id: '7', sn: 'DCU26000007' } as DcuRow; // as: the fields in use
const task: Task<DcuRow> = {
  kind: 'task',
  start: ([first]) => call(dcus.test, { params: { id: first.id } }),
  Run: () => null,
};
const testLink: Action<DcuRow> = { key: 'test', label: { en: 'Test link', zh: '链路测试' }, icon: Activity, right: dcus.test, act: task };

function useActing() {
  const [dialog, open] = useState<OpenDialog<DcuRow>>();
  const tools = { say: ({ en }: { en: string }) => en, may: () => true, me: undefined, locale: 'en-US' as const, siblingsOf: () => [] };
  const acting = useAct<DcuRow>({
    tools,
    idOf: ({ id }) => id,
    rowName: ({ sn }) => sn,
    open,
    setUrl: () => undefined,
    onDone: () => undefined,
  });
  return { dialog, ...acting };
}

test('a task is started once per click, and its run opens when it has started', async () => {
  const { result } = renderHook(useActing, { wrapper });
  act(() => result.current.act(testLink, [row]));
  await waitFor(() => expect(calls).toEqual(['POST /api/asset/dcu/7/test']));
  expect(result.current.dialog).toBeUndefined();
  act(() => result.current.act(testLink, [row]));
  await act(async () => respond(Response.json({ taskId: '12' })));
  await waitFor(() => expect(result.current.dialog).toEqual({ kind: 'run', task, rows: [row], taskId: '12' }));
  expect(calls).toHaveLength(1);
});

test('a refused task opens no run', async () => {
  const { result } = renderHook(useActing, { wrapper });
  act(() => result.current.act(testLink, [row]));
  await waitFor(() => expect(calls).toHaveLength(1));
  await act(async () => respond(Response.json({ code: 'NOT_FOUND', message: 'gone' }, { status: 404 })));
  expect(result.current.dialog).toBeUndefined();
});

test('a batch is not started when a row refuses it, and the message names the row', async () => {
  const { result } = renderHook(useActing, { wrapper });
  const onlyOnline: Action<DcuRow> = {
    ...testLink,
    batch: { refusal: { en: 'Please Select Valid Data!', zh: '请选择有效数据！' } },
    refusedBy: ({ id }) => (id === '7' ? { en: 'The DCU is offline', zh: '集中器离线' } : undefined),
  };
  act(() => result.current.actOnSelected(onlyOnline, [row, { ...row, id: '8', sn: 'DCU26000008' }]));
  await screen.findByText('Please Select Valid Data! DCU26000007: The DCU is offline');
  expect(calls).toEqual([]);
});

test('a batch without any row to act on says why, and sends nothing', async () => {
  const { result } = renderHook(useActing, { wrapper });
  const never: Action<DcuRow> = {
    ...testLink,
    batch: { none: { en: 'No selected DCU can be tested', zh: '所选集中器均不可测试' } },
    when: () => false,
  };
  act(() => result.current.actOnSelected(never, [row]));
  await screen.findByText('No selected DCU can be tested');
  expect(calls).toEqual([]);
});

test('an accepted order may announce what follows from its answer, with links', async () => {
  const { result } = renderHook(useActing, { wrapper });
  const announced = defineJointAction<DcuRow, typeof dcus.test>({
    ...testLink,
    route: dcus.test,
    order: ([first]) => ({ params: { id: first?.id ?? '0' } }),
    done: ({ taskId }) => ({
      title: { en: 'The test was started', zh: '测试已开始' },
      hint: { en: 'It takes a minute', zh: '约需一分钟' },
      links: [{ label: { en: `Task ${taskId}`, zh: `任务 ${taskId}` }, to: `/task/${taskId}` }],
    }),
  });
  act(() => result.current.act(announced, [row]));
  await waitFor(() => expect(calls).toHaveLength(1));
  await act(async () => respond(Response.json({ taskId: '12' })));
  await screen.findByText('The test was started');
  await screen.findByText('It takes a minute');
  await screen.findByRole('button', { name: 'Task 12' });
});
