import { localDay, serverNow } from '#core/time/format.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useUrl } from '#core/url/use-url.ts';
import { nodeScope } from '#domain/node-tree/list-filter.tsx';
import type { Filter } from '#kit/list/filters.tsx';
import { periodOf, type Period } from './period.ts';

const today = () => localDay(serverNow());

/** The period in the address. */
export function usePeriod(): Period {
  const [url] = useUrl(PAGE_WORDS.bills);
  return periodOf(url, today());
}

/** The days of the period, which the page chooses. */
const periodFilter: Filter<{ from?: string; to?: string }> = {
  keys: ['kind', 'from', 'to'],
  isScope: true,
  toQuery: ({ kind, from, to }) => {
    const period = periodOf({ kind, from, to }, today());
    return { from: period.from, to: period.to };
  },
};

/** Period and node of all lists of the page. */
export const scopes = [periodFilter, nodeScope] as const;
