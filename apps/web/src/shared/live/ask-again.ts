import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { throttled } from './throttled.ts';

/** One query is asked again at most as often as a running task is polled, however many messages overtake it. */
const AGAIN_MS = 10_000;

const overtaken = new WeakSet<Query>();
const once = throttled(
  (client: QueryClient, query: Query) => void client.refetchQueries({ type: 'active', predicate: (one) => one === query }),
  AGAIN_MS,
);

/**
 * An answer that is on its way may be older than what was told meanwhile: it is waited for, and asked for once more. To give it up would
 * be no way: where something is told all the time, nothing would ever arrive.
 */
export function askOvertaken(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (overtaken.has(query)) continue;
    overtaken.add(query);
    void query.promise?.then(
      () => {
        overtaken.delete(query);
        once(query.queryHash, client, query);
      },
      // Who stopped loading, or was refused, asks again himself.
      () => overtaken.delete(query),
    );
  }
}

/** Asks for what is shown and may have changed. */
export function askAgain(client: QueryClient, filters: QueryFilters = {}): void {
  askOvertaken(client, filters);
  void client.invalidateQueries(filters, { cancelRefetch: false });
}
