import type { LiveMessage } from '@hes/contract/core/live.ts';
import { task as tasks, type TaskRow } from '@hes/contract/task/task.ts';
import { useEffect } from 'react';
import { create } from 'zustand';
import { useApiQuery } from '#core/api/hooks.ts';
import { useSession } from '#core/session/session.ts';
import { onLiveMessage, useTopic } from '#core/live/live.ts';

type SeriousEvent = Extract<LiveMessage, { type: 'event.new' }>['data']['events'][number];

export type Notice =
  | { kind: 'event'; key: string; at: string; event: SeriousEvent }
  /** A job of the user. */
  | { kind: 'job'; key: string; at: string; job: TaskRow };

const MAX_NOTICES = 30;
const OWN_JOBS = { mine: 'true', size: 20 } as const;
const REFRESH_MS = 30_000;
const seenKey = (userId: string): string => `HES_NOTICES_SEEN_${userId}`;

const useEvents = create<{ events: SeriousEvent[] }>()(() => ({ events: [] }));
const useSeen = create<{ atMs: number }>()(() => ({ atMs: 0 }));

/** Adds the serious events of a live message, newest first, without duplicates. */
export function addSerious(known: SeriousEvent[], message: LiveMessage): SeriousEvent[] {
  if (message.type !== 'event.new') return known;
  const fresh = message.data.events.filter((event) => event.abnormalLevel === 'serious' && known.every(({ id }) => id !== event.id));
  return fresh.length === 0 ? known : [...fresh, ...known].slice(0, MAX_NOTICES);
}

/** The notices of a user: serious events and finished own jobs, newest first. */
export function noticesOf(events: SeriousEvent[], jobs: TaskRow[]): Notice[] {
  const ended = jobs.flatMap((job): Notice[] => (job.finishedAt ? [{ kind: 'job', key: `job:${job.id}`, at: job.finishedAt, job }] : []));
  const serious = events.map((event): Notice => ({ kind: 'event', key: `event:${event.id}`, at: event.occurAt, event }));
  return [...serious, ...ended].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, MAX_NOTICES);
}

export const unreadOf = (notices: Notice[], seenMs: number): number => notices.filter((notice) => Date.parse(notice.at) > seenMs).length;

/** The user's jobs, newest first, polled regularly. */
const useOwnJobs = (): TaskRow[] => useApiQuery(tasks.list, { query: OWN_JOBS, refetchMs: REFRESH_MS }).data?.items ?? [];

/** Notices, the number of unread ones, and the function that marks them as read. A new user starts with none unread. */
export function useInbox() {
  const userId = useSession((state) => state.user?.id ?? '');
  const events = useEvents((state) => state.events);
  const seenMs = useSeen((state) => state.atMs);
  const jobs = useOwnJobs();
  useTopic('event');
  const markRead = () => {
    const atMs = Date.now();
    localStorage.setItem(seenKey(userId), String(atMs));
    useSeen.setState({ atMs });
  };
  useEffect(() => {
    const stored = localStorage.getItem(seenKey(userId));
    if (stored === null) localStorage.setItem(seenKey(userId), String(Date.now()));
    useSeen.setState({ atMs: Number(stored ?? Date.now()) });
    useEvents.setState({ events: [] });
    return onLiveMessage((message) => useEvents.setState(({ events: known }) => ({ events: addSerious(known, message) })));
  }, [userId]);
  const notices = noticesOf(events, jobs);
  return { notices, unread: unreadOf(notices, seenMs), seenMs, markRead };
}
