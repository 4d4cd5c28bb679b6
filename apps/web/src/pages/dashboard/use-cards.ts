import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { dashboardCard } from '@hes/contract/dashboard/card.ts';
import type { QueryOf, ResponseOf } from '@hes/contract/core/route.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useUrl } from '#core/url/use-url.ts';

const REFRESH_MS = 60_000;

/** The network node and the day of the cards, kept in the address, so that a view can be shared. */
export const useChoice = () => useUrl(PAGE_WORDS.dashboard);

export type CardKey = keyof typeof dashboardCard;
export type CardData<K extends CardKey> = ResponseOf<(typeof dashboardCard)[K]>;

/** One call per card: each refreshes and fails separately. */
export function useCard<K extends CardKey>(key: K) {
  const [{ node, date }] = useChoice();
  // as: all cards take the same query, which the compiler cannot see through the index
  return useApiQuery(dashboardCard[key], { query: { node, date } as QueryOf<(typeof dashboardCard)[K]>, refetchMs: REFRESH_MS });
}
