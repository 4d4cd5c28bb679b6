import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Answers that lie no farther apart are of one moment: a list that is told to be "updated just now" is as old. */
const TOGETHER_MS = 5000;

type Answered = Pick<UseQueryResult, 'dataUpdatedAt' | 'isFetching' | 'refetch'>;

/** Which counts are from before the list they stand beside. What was never asked for is not asked for now. */
export const lagging = <Q extends Answered>(list: Answered, counts: readonly Q[]): Q[] =>
  counts.filter((one) => one.dataUpdatedAt > 0 && !one.isFetching && one.dataUpdatedAt < list.dataUpdatedAt - TOGETHER_MS);

/** When the oldest of these answers came. Counts that were never asked for are not on the page. */
export const oldestOf = (...queries: readonly Pick<Answered, 'dataUpdatedAt'>[]): number =>
  Math.min(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((at) => at > 0));

/**
 * Counts beside a list are of the moment of the list: whenever the list comes anew, they are asked for again. Answers that moment, which
 * the footer of the list tells.
 */
export function useOneMoment(list: Answered, ...counts: readonly Answered[]): number {
  const followed = useRef(0);
  useEffect(() => {
    // Once for each answer of the list, so that counts that are refused are not asked for without end.
    if (followed.current === list.dataUpdatedAt) return;
    followed.current = list.dataUpdatedAt;
    for (const one of lagging(list, counts)) void one.refetch();
  });
  return oldestOf(list, ...counts);
}
