import { staModel } from '@hes/contract/debug/sta-model.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useUrl } from '#core/url/use-url.ts';

/** The DCU whose stations the page shows. */
export const useDcuId = (): string | undefined => useUrl(PAGE_WORDS.stations)[0].dcuId;

/** Whether the network or its modules were read at least once. Before that nothing is known of any station, not even that it is silent. */
export const isRead = ({ readAt, levels }: ResponseOf<typeof staModel.summary>): boolean => readAt !== null || levels.length > 0;

/** Modules, roles and levels of the network of that DCU. */
export function useSummary() {
  const dcuId = useDcuId();
  return useApiQuery(staModel.summary, { query: { dcuId: dcuId ?? '0' }, enabled: dcuId !== undefined });
}
