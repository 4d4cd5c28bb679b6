import type { ResponseOf } from '@hes/contract/core/route.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useChoice } from './use-cards.ts';

export type Summary = ResponseOf<typeof dashboard.summary>;
export type Place = ResponseOf<typeof dashboard.map>['items'][number];

const REFRESH_MS = 60_000;

/** Shared with the status bar: one call for all cards, refreshed by live messages and each minute. */
export function useSummary() {
  const [{ node, date }] = useChoice();
  const isEverything = node === undefined && date === undefined;
  return useApiQuery(dashboard.summary, isEverything ? { refetchMs: REFRESH_MS } : { query: { node, date }, refetchMs: REFRESH_MS });
}
/** Of the whole network, or of the view on it. */
export const usePlaces = (box?: string) => useApiQuery(dashboard.map, { query: { box }, refetchMs: REFRESH_MS, keep: true });
