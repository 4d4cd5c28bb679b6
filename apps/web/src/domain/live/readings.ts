import { event } from '@hes/contract/event/event.ts';
import type { QueryClient } from '@tanstack/react-query';
import { createBatcher } from '#core/live/batcher.ts';
import { refetchStale } from '#core/live/refetch.ts';
import { REFRESH_MS, refresh, type LiveUpdates } from '#core/live/updates.ts';
import { isConcerned } from './stored-readings.ts';

/** Readings arrive all day: only queries for the days and profiles of the stored readings are refetched. */
const refreshReadings = createBatcher<{ client: QueryClient; spans: Parameters<typeof isConcerned>[1] }>((stored) => {
  const spans = stored.flatMap((message) => message.spans);
  for (const client of new Set(stored.map((message) => message.client)))
    refetchStale(client, { predicate: ({ queryKey }) => isConcerned(queryKey, spans) });
}, REFRESH_MS);

export const readingUpdates: LiveUpdates<'reading.stored' | 'event.new'> = {
  'reading.stored': (client, { data }) => refreshReadings({ client, spans: data.spans }),
  'event.new': (client) => refresh(client, [event.list, event.facets, event.incidents]),
};
