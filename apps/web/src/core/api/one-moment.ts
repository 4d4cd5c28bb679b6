import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Responses within this time count as one moment; the footer calls a list of that age "updated just now". */
const TOGETHER_MS = 5000;

/** A query with the time of its newest response. */
export type Answered = Pick<UseQueryResult, 'dataUpdatedAt' | 'isFetching' | 'refetch'>;

/** Counts that are older than the list they accompany. Queries that never ran are left out. */
export const findOutdated = <Q extends Answered>(list: Answered, counts: readonly Q[]): Q[] =>
  counts.filter((one) => one.dataUpdatedAt > 0 && !one.isFetching && one.dataUpdatedAt < list.dataUpdatedAt - TOGETHER_MS);

/** The time of the oldest of these responses. Queries that never ran are left out. */
export const oldestOf = (...queries: readonly Pick<Answered, 'dataUpdatedAt'>[]): number =>
  Math.min(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((at) => at > 0));

/**
 * Keeps counts at the same moment as their list: each new response of the list refetches older counts. Returns the time that the footer of
 * the list shows.
 */
export function useOneMoment(list: Answered, ...counts: readonly Answered[]): number {
  const followed = useRef(0);
  useEffect(() => {
    // One refetch per response of the list: refused counts would otherwise be requested in a loop.
    if (followed.current === list.dataUpdatedAt) return;
    followed.current = list.dataUpdatedAt;
    for (const one of findOutdated(list, counts)) void one.refetch();
  });
  return oldestOf(list, ...counts);
}
