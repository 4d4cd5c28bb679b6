import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { throttled } from './throttled.ts';

/** Minimum interval between two refetches of one query, the same as for polling a running task. */
const AGAIN_MS = 10_000;

const overtaken = new WeakSet<Query>();
const once = throttled(
  (client: QueryClient, query: Query) => void client.refetchQueries({ type: 'active', predicate: (one) => one === query }),
  AGAIN_MS,
);

/**
 * Refetches queries whose response is in flight: it may be older than the live message. The response is not cancelled, because under
 * constant messages no response would ever arrive.
 */
export function refetchInFlight(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (overtaken.has(query)) continue;
    overtaken.add(query);
    void query.promise?.then(
      () => {
        overtaken.delete(query);
        once(query.queryHash, client, query);
      },
      // After a cancel or an error the query is not refetched here: the user retries.
      () => overtaken.delete(query),
    );
  }
}

/** Refetches active queries and marks the others as stale. */
export function refetchStale(client: QueryClient, filters: QueryFilters = {}): void {
  refetchInFlight(client, filters);
  void client.invalidateQueries(filters, { cancelRefetch: false });
}
