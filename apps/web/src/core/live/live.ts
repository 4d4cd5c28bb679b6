import { session } from '@hes/contract/auth/session.ts';
import { LIVE_PROTOCOL, liveTicketProtocol, type LiveMessage } from '@hes/contract/core/live.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { create } from 'zustand';
import { call } from '#core/api/client.ts';
import { useReachable } from '#core/session/reachable.ts';
import { checkServedConsole } from '#core/session/served-console.ts';
import { useSession } from '#core/session/session.ts';
import { refetchStale } from './refetch.ts';
import { createBatcher } from './batcher.ts';
import { LiveClient, type LiveSocket, type LiveState } from './live-client.ts';

export const useLiveState = create<LiveState>()(() => ({
  link: 'idle',
  retryAt: null,
  lostAt: null,
  lastMessageAt: null,
  lastMessage: null,
}));

/** Interval between renders for live messages: ten per second feel immediate. */
const BATCH_MS = 100;

let client: LiveClient | undefined;

const listeners = new Set<(message: LiveMessage) => void>();

/** Calls the listener for every message; the store keeps only the last one of each batch. Returns the clean-up function. */
export function onLiveMessage(listener: (message: LiveMessage) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function isSignedIn(): boolean {
  const { token, user, expired } = useSession.getState();
  return token !== null && user !== null && !expired;
}

async function ticket(): Promise<string | undefined> {
  const answer = await call(session.liveTicket);
  return answer.ok ? answer.data.ticket : undefined;
}

function connect(given: string): LiveSocket {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${location.host}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(given)]);
  return socket as LiveSocket; // as: its handlers take an event that is not read here
}

/** Opens the socket at start, and follows sign-in and sign-out. `apply` changes the cached data of a message. */
export function startLive(queries: QueryClient, apply: (queries: QueryClient, message: LiveMessage) => void): void {
  const live = new LiveClient({
    isSignedIn,
    ticket,
    connect,
    // One change of the store and one render per batch.
    onReceived: createBatcher<LiveMessage | undefined>((received) => {
      const messages = received.filter((message) => message !== undefined);
      useLiveState.setState(live.state);
      notifyManager.batch(() => messages.forEach((message) => apply(queries, message)));
      for (const message of messages) for (const listener of listeners) listener(message);
    }, BATCH_MS),
    onState: (state) => useLiveState.setState(state),
  });
  client = live;
  live.open();
  useSession.subscribe((state, previous) => {
    if (state.user && !previous.user) live.open();
    if (!state.user && previous.user) live.close();
  });
}

/** After the link is lost, a call finds out whether the head-end still answers. */
export function watchReachability(): void {
  useLiveState.subscribe((state, previous) => {
    if (state.lostAt !== null && previous.lostAt === null) void call(whiteList.api);
    if (state.link === 'open') useReachable.setState({ awaySince: null });
  });
}

/** Messages during the outage are lost: all active queries are refetched, and the version of the console is checked. */
export function refetchAfterReconnect(queries: QueryClient): void {
  useLiveState.subscribe((state, previous) => {
    if (state.link !== 'open' || previous.link === 'open') return;
    if (previous.lostAt === null) return;
    refetchStale(queries);
    void checkServedConsole();
  });
}

export const reconnectNow = (): void => client?.open();

/** Subscribes to several topics, such as those of the tasks in a list. */
export function useTopics(topics: readonly string[]): void {
  const names = [...new Set(topics)].toSorted().join(' ');
  useEffect(() => {
    const stops = names === '' ? [] : names.split(' ').map((topic) => client?.subscribe(topic));
    return () => stops.forEach((stop) => stop?.());
  }, [names]);
}

/** Subscribes to a topic while the component is mounted. */
export function useTopic(topic: string | undefined): void {
  useEffect(() => (topic === undefined ? undefined : client?.subscribe(topic)), [topic]);
}
