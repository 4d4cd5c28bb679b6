import type { ResponseOf } from '@hes/contract/core/route.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useChoice } from './use-cards.ts';

export type Summary = ResponseOf<typeof dashboard.summary>;
export type Place = ResponseOf<typeof dashboard.map>['items'][number];

const REFRESH_MS = 60_000;

/** One call for all figures, shared with the status bar; refreshed by live messages and every minute. */
export function useSummary() {
  const [{ node, date }] = useChoice();
  const isEverything = node === undefined && date === undefined;
  return useApiQuery(dashboard.summary, isEverything ? { refetchMs: REFRESH_MS } : { query: { node, date }, refetchMs: REFRESH_MS });
}
/** Places of the whole network, or of the visible part. */
export const usePlaces = (box?: string) => useApiQuery(dashboard.map, { query: { box }, refetchMs: REFRESH_MS, keep: true });
