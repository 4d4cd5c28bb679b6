import type { LiveMessage } from '@hes/contract/core/live.ts';
import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveSession } from '#core/session/session.ts';
import { StaleBanner } from './stale-banner.tsx';
import { Profiler } from 'react';
import { onLiveMessage, startLive, useLiveState } from '#core/live/live.ts';
import { applyLiveMessage } from '#domain/live/apply.ts';

const TS = '2026-01-01T00:00:00.000Z';
const sockets: Socket[] = [];

/** The browser's WebSocket, without a network. */
class Socket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor() {
    sockets.push(this);
  }
  send() {}
  close() {}
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ ticket: 'once', expiresAt: TS })));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const status = (id: string): LiveMessage =>
  ({ type: 'dcu.status', ts: TS, id, data: { onlineStatus: 'online', lastCommAt: null } }) as LiveMessage; // as: the fields in use

test('a burst of messages changes the store twice and renders nothing that does not show them, and every message is passed on', async () => {
  saveSession({ id: '1', username: 'lin', name: 'Lin' }, { access_token: 'a', token_type: 'Bearer', expiresAt: Date.now() + 1e9 });
  startLive(new QueryClient(), applyLiveMessage);
  await vi.advanceTimersByTimeAsync(0);
  const [socket] = sockets;
  socket?.onopen?.();
  let renders = 0;
  render(
    <Profiler id="banner" onRender={() => (renders += 1)}>
      <StaleBanner />
    </Profiler>,
  );
  const shown = renders;
  let changes = 0;
  useLiveState.subscribe(() => (changes += 1));
  const passedOn: unknown[] = [];
  onLiveMessage((message) => passedOn.push((message as { id?: string }).id)); // as: all messages of this test have an id
  const burst = Array.from({ length: 40 }, (_, at) => String(at));
  act(() => {
    for (const id of burst) {
      socket?.onmessage?.({ data: JSON.stringify(status(id)) });
      socket?.onmessage?.({ data: 'pong' });
    }
    vi.advanceTimersByTime(100);
  });
  expect(changes).toBe(2);
  expect(renders).toBe(shown);
  expect(passedOn).toEqual(burst);
  expect(useLiveState.getState().lastMessage).toEqual(status('39'));
});
