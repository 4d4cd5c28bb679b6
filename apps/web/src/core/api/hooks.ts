import type { QueryOf, ResponseOf, Route } from '@hes/contract/core/route.ts';
import { useMutation, useQuery, type Query, type QueryClient, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { call, type CallOptions } from './client.ts';
import { RequestFailed } from './errors.ts';

interface QueryOptions<R extends Route> {
  params?: CallOptions<R>['params'];
  query?: QueryOf<R> | undefined;
  enabled?: boolean;
  /** As a function: the interval depends on the last response, for data that is still being completed. */
  refetchMs?: number | false | ((data: ResponseOf<R> | undefined) => number | false);
  staleMs?: number;
  /**
   * Keep the previous rows as placeholder while the next ones load. Rows of another query owner (other `params`, or another value of a
   * named query part) are never kept: an order would go to devices that are not on the page.
   */
  keep?: boolean | readonly (keyof QueryOf<R> & string)[];
}

/** `[path, params, query]`: the table of live updates finds queries by their path. */
export const queryKeyOf = (route: Route, params?: unknown, query?: unknown): unknown[] => [route.path, params ?? {}, query ?? {}];

/** Identity of the data set of a query; filter, page and order may differ within it. */
function ownerOf([path, params, query]: QueryKey, names: readonly string[]): string {
  const parts = query as Record<string, unknown>; // as: every key is made above
  return JSON.stringify([path, params, names.map((name) => parts[name])]);
}

const keptFor = (key: QueryKey, names: readonly string[]) => (data: unknown, last: Query | undefined) =>
  last && ownerOf(last.queryKey, names) === ownerOf(key, names) ? data : undefined;

async function fetchOf<R extends Route>(route: R, options: CallOptions<R>): Promise<ResponseOf<R>> {
  const answer = await call(route, options);
  if (!answer.ok) throw new RequestFailed(answer.error);
  return answer.data;
}

/** Reads a GET route of the contract. */
export function useApiQuery<R extends Route>(route: R, options: QueryOptions<R> = {}): UseQueryResult<ResponseOf<R>> {
  const { params, query, enabled = true, refetchMs = false, staleMs, keep = false } = options;
  const queryKey = queryKeyOf(route, params, query);
  return useQuery<ResponseOf<R>>({
    queryKey,
    queryFn: ({ signal }) => fetchOf(route, { params, query, signal }),
    enabled,
    refetchInterval: typeof refetchMs === 'function' ? (running) => refetchMs(running.state.data) : refetchMs,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
    ...(keep ? { placeholderData: keptFor(queryKey, keep === true ? [] : keep) as never } : {}), // its type cannot see through the generic response
  });
}

/**
 * Reads a POST route that changes nothing, such as the preview of an order. The cache drops its response with the component: devices change
 * meanwhile, and the preview of an earlier dialog would be taken for the current one.
 */
export const useApiPreview = <R extends Route>(route: R, body: CallOptions<R>['body']): UseQueryResult<ResponseOf<R>> =>
  useQuery<ResponseOf<R>>({
    queryKey: queryKeyOf(route, {}, body),
    queryFn: ({ signal }) => fetchOf(route, { body, signal } as CallOptions<R>), // as: previews take a body only
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

const lasting = <R extends Route>(route: R, options: CallOptions<R>) => ({
  queryKey: queryKeyOf(route, options.params, options.query),
  queryFn: () => fetchOf(route, options),
  staleTime: Infinity,
});

/** Reads a route outside of a component, through the same cache. */
export const ensureApi = <R extends Route>(client: QueryClient, route: R, options: CallOptions<R> = {}): Promise<ResponseOf<R>> =>
  client.fetchQuery(lasting(route, options));

/** Starts loading data that is needed soon. A failure surfaces in the component that reads the query. */
export const prefetchApi = (client: QueryClient, route: Route): void => void client.prefetchQuery(lasting(route, {}));

/** Sends an order to a route of the contract. */
export function useApiMutation<R extends Route>(
  route: R,
  events: { success?: (data: ResponseOf<R>) => void; failure?: (error: RequestFailed) => void } = {},
) {
  return useMutation<ResponseOf<R>, RequestFailed, CallOptions<R>>({
    mutationFn: (options) => fetchOf(route, options),
    ...(events.success ? { onSuccess: events.success } : {}),
    ...(events.failure ? { onError: events.failure } : {}),
  });
}
