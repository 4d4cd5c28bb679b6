import { MAX_PAGE_SIZE } from '@hes/contract/core/page.ts';
import type { QueryOf, ResponseOf, Route } from '@hes/contract/core/route.ts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './client.ts';
import { RequestFailed } from './errors.ts';

interface Paged {
  items: readonly unknown[];
  total: number;
}

type RowsOf<R extends Route> = ResponseOf<R> extends { items: (infer Row)[] } ? Row[] : never;

/** All rows of a paged list that match a filter, for exports. Stops early when there are more than `most`. */
export async function everyRow<R extends Route>(route: R, query: QueryOf<R>, most = Infinity): Promise<RowsOf<R>> {
  const rows: unknown[] = [];
  for (let page = 1; ; page++) {
    const answer = await call(route, { query: { ...(query as object), page, size: MAX_PAGE_SIZE } as QueryOf<R> }); // every paged list takes both
    if (!answer.ok) throw new RequestFailed(answer.error);
    const { items, total } = answer.data as Paged; // the type parameter asks for a list
    rows.push(...items);
    if (items.length < MAX_PAGE_SIZE || rows.length >= total || rows.length > most) return rows as RowsOf<R>; // as: the rows of that route
  }
}

const STALE_MS = 60_000;

/** All rows of a list, for choices: one page of it would leave some out without a word. */
export const useEveryRow = <R extends Route>(
  route: R,
  query: QueryOf<R>,
  { enabled = true }: { enabled?: boolean } = {},
): UseQueryResult<RowsOf<R>> =>
  useQuery<RowsOf<R>>({ queryKey: [route.path, 'every', query], queryFn: () => everyRow(route, query), staleTime: STALE_MS, enabled });
