import { LIVE_PING_MS, LIVE_RECONNECT_MS } from '@hes/contract/core/live.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveClient, type LiveSocket, type LiveState } from './live-client.ts';

class FakeSocket implements LiveSocket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: string[] = [];
  closed = false;
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.closed = true;
  }
}

function setUp() {
  const sockets: FakeSocket[] = [];
  const messages: unknown[] = [];
  const states: LiveState['link'][] = [];
  const client = new LiveClient({
    isSignedIn: () => true,
    ticket: () => Promise.resolve('once'),
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    onReceived: (message) => message && messages.push(message),
    onState: (state) => states.push(state.link),
  });
  const last = () => sockets.at(-1) ?? new FakeSocket();
  return { client, sockets, messages, states, last };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('S-368 S-369: requests are queued while closed and sent after connecting', async () => {
  const { client, last } = setUp();
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  client.send({ type: 'subscribe', topics: ['dcu'] });
  expect(last().sent).toEqual([]);
  last().onopen?.();
  expect(last().sent).toEqual([JSON.stringify({ type: 'subscribe', topics: ['dcu'] })]);
  client.close();
});

test('the queue keeps the newest hundred requests', async () => {
  const { client, last } = setUp();
  for (let at = 0; at < 120; at += 1) client.send({ type: 'subscribe', topics: [`task:${at}`] });
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  last().onopen?.();
  expect(last().sent).toHaveLength(100);
  expect(last().sent[0]).toContain('task:20');
  client.close();
});

test('S-363 S-364 S-365 S-366 S-520: a keep-alive goes out each ten seconds, its answer is ignored, all else is JSON and the latest is kept', async () => {
  const { client, messages, last } = setUp();
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  last().onopen?.();
  expect(LIVE_PING_MS).toBe(10_000);
  vi.advanceTimersByTime(LIVE_PING_MS * 2);
  expect(last().sent).toEqual(['ping', 'ping']);
  last().onmessage?.({ data: 'pong' });
  last().onmessage?.({ data: '{"type":"dcu.status"}' });
  last().onmessage?.({ data: 'not json' });
  expect(messages).toEqual([{ type: 'dcu.status' }]);
  expect(client.state.lastMessage).toEqual({ type: 'dcu.status' });
  client.close();
});

test('S-367 S-521: ten seconds after a close it connects again and asks for its topics again', async () => {
  const { client, sockets, last } = setUp();
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  last().onopen?.();
  client.subscribe('task:7');
  last().onclose?.();
  expect([client.state.link, LIVE_RECONNECT_MS]).toEqual(['waiting', 10_000]);
  vi.advanceTimersByTime(LIVE_RECONNECT_MS - 1);
  expect(sockets).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sockets).toHaveLength(2);
  last().onopen?.();
  expect(last().sent).toEqual([JSON.stringify({ type: 'subscribe', topics: ['task:7'] })]);
  client.close();
});

test('two takers of a topic share one subscription, the last one ends it', async () => {
  const { client, last } = setUp();
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  last().onopen?.();
  const first = client.subscribe('dcu');
  const second = client.subscribe('dcu');
  first();
  first();
  second();
  expect(last().sent.map((text) => (JSON.parse(text) as { type: string }).type)).toEqual(['subscribe', 'unsubscribe']);
  client.close();
});

test('S-344: logging out closes the socket for good', async () => {
  const { client, sockets, states, last } = setUp();
  client.open();
  await vi.advanceTimersByTimeAsync(0);
  last().onopen?.();
  const socket = last();
  client.close();
  socket.onclose?.();
  vi.advanceTimersByTime(LIVE_RECONNECT_MS * 2);
  expect(socket.closed).toBe(true);
  expect(sockets).toHaveLength(1);
  expect(states.at(-1)).toBe('idle');
});

test('a ticket that arrives after signing out opens no socket, and a missing ticket causes a retry', async () => {
  const { client, sockets, states } = setUp();
  client.open();
  client.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(sockets).toHaveLength(0);
  const tickets = [undefined, 'once'];
  const patient = new LiveClient({
    isSignedIn: () => true,
    ticket: () => Promise.resolve(tickets.shift()),
    connect: () => sockets[sockets.push(new FakeSocket()) - 1] ?? new FakeSocket(),
    onReceived: () => undefined,
    onState: (state) => states.push(state.link),
  });
  patient.open();
  await vi.advanceTimersByTimeAsync(0);
  expect([states.at(-1), sockets.length]).toEqual(['waiting', 0]);
  await vi.advanceTimersByTimeAsync(LIVE_RECONNECT_MS);
  expect([states.at(-1), sockets.length]).toEqual(['connecting', 1]);
  patient.close();
});
