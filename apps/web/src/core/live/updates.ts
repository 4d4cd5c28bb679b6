import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { Route } from '@hes/contract/core/route.ts';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { refetchInFlight, refetchStale } from './refetch.ts';
import { throttled } from './throttled.ts';

export type MessageOf<T extends LiveMessage['type']> = Extract<LiveMessage, { type: T }>;

/** What each of some live messages changes in the query cache. */
export type LiveUpdates<T extends LiveMessage['type']> = { [K in T]: (client: QueryClient, message: MessageOf<K>) => void };

/** Minimum interval between two refetches of counters and sums, however many messages arrive. */
export const REFRESH_MS = 3000;

const refreshPath = throttled((client: QueryClient, path: string) => refetchStale(client, { queryKey: [path] }), REFRESH_MS);

/** Refetches all queries of some routes, each route at most once per interval. */
export function refresh(client: QueryClient, routes: readonly Pick<Route, 'path'>[]): void {
  for (const { path } of routes) refreshPath(path, client, path);
}

/** Applies the change of a live message to cached data, and refetches data that is in flight. */
export function put<T>(client: QueryClient, queryKey: QueryKey, change: (old: T) => T): void {
  client.setQueriesData<T>({ queryKey }, (old) => old && change(old));
  refetchInFlight(client, { queryKey });
}

/** Replaces rows of a cached page. */
export function putRows<Row>(client: QueryClient, queryKey: QueryKey, change: (row: Row) => Row): void {
  put<{ items: Row[] }>(client, queryKey, (old) => ({ ...old, items: old.items.map(change) }));
}

/** Copies only groups and cells that changed; unchanged ones keep their identity and are not rendered again. */
export function withCells<G extends { cells: { id: string }[] }>(
  groups: G[],
  change: (cell: G['cells'][number]) => G['cells'][number],
  fresh: ReadonlyMap<string, unknown>,
): G[] {
  return groups.map((group) =>
    group.cells.some((cell) => fresh.has(cell.id))
      ? { ...group, cells: group.cells.map((cell) => (fresh.has(cell.id) ? change(cell) : cell)) }
      : group,
  );
}
