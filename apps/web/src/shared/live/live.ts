import { session } from '@hes/contract/auth/session.ts';
import { LIVE_PROTOCOL, liveTicketProtocol, type LiveMessage } from '@hes/contract/core/live.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { create } from 'zustand';
import { call } from '#shared/api/client.ts';
import { useReachable } from '#shared/api/reachable.ts';
import { askForConsole } from '#shared/api/served-console.ts';
import { useSession } from '#shared/api/session.ts';
import { askAgain } from './ask-again.ts';
import { applyLiveMessage } from './cache-updates.ts';
import { collected } from './collected.ts';
import { LiveClient, type LiveSocket, type LiveState } from './live-client.ts';

export const useLiveState = create<LiveState>()(() => ({
  link: 'idle',
  retryAt: null,
  lostAt: null,
  lastMessageAt: null,
  lastMessage: null,
}));

/** Ten drawings a second are more than anybody can follow, and enough for nobody to feel it. */
const BATCH_MS = 100;

let client: LiveClient | undefined;

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
  return socket as LiveSocket; // as: its handlers take an event we do not read
}

/** Opens the socket at start and follows signing in and out. */
export function startLive(queries: QueryClient): void {
  const live = new LiveClient({
    isSignedIn,
    ticket,
    connect,
    // One drawing for all of a batch.
    onMessage: collected<LiveMessage>(
      (messages) => notifyManager.batch(() => messages.forEach((message) => applyLiveMessage(queries, message))),
      BATCH_MS,
    ),
    onState: (state) => useLiveState.setState(state),
  });
  client = live;
  live.open();
  useSession.subscribe((state, previous) => {
    if (state.user && !previous.user) live.open();
    if (!state.user && previous.user) live.close();
  });
}

/** A lost link may be the link alone: a call tells whether the head-end still answers. */
export function watchReachability(): void {
  useLiveState.subscribe((state, previous) => {
    if (state.lostAt !== null && previous.lostAt === null) void call(whiteList.api);
    if (state.link === 'open') useReachable.setState({ awaySince: null });
  });
}

/** What came while the link was down is unknown: everything shown is asked for again, and whether this console is still the one that is served. */
export function refetchAfterReconnect(queries: QueryClient): void {
  useLiveState.subscribe((state, previous) => {
    if (state.link !== 'open' || previous.link === 'open') return;
    if (previous.lostAt === null) return;
    askAgain(queries);
    void askForConsole();
  });
}

export const reconnectNow = (): void => client?.open();

/** The topics of several things at once, such as the tasks that rows of a list wait for. */
export function useTopics(topics: readonly string[]): void {
  const names = [...new Set(topics)].toSorted().join(' ');
  useEffect(() => {
    const stops = names === '' ? [] : names.split(' ').map((topic) => client?.subscribe(topic));
    return () => stops.forEach((stop) => stop?.());
  }, [names]);
}

/** A page takes the topics it shows, for as long as it is open. */
export function useTopic(topic: string | undefined): void {
  useEffect(() => (topic === undefined ? undefined : client?.subscribe(topic)), [topic]);
}
