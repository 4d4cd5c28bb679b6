import { localDay, serverNow } from '#core/time/format.ts';
import { useUrlState } from '#core/url/url-state.ts';
import { nodeScope } from '#domain/node-tree/list-filter.tsx';
import type { Filter } from '#kit/list/filters.tsx';
import { periodOf, type Period } from './period.ts';

const PERIOD = { kind: undefined, from: undefined, to: undefined };

const today = () => localDay(serverNow());

/** The period in the address. */
export function usePeriod(): Period {
  const [url] = useUrlState<keyof typeof PERIOD>(PERIOD);
  return periodOf(url, today());
}

/** The days of the period, which the page chooses. */
const periodFilter: Filter<{ from?: string; to?: string }> = {
  keys: Object.keys(PERIOD),
  isScope: true,
  toQuery: ({ kind, from, to }) => {
    const period = periodOf({ kind, from, to }, today());
    return { from: period.from, to: period.to };
  },
};

/** Period and node of all lists of the page. */
export const scopes = [periodFilter, nodeScope] as const;
