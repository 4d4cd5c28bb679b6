import { staModel } from '@hes/contract/debug/sta-model.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useUrlState } from '#core/url/url-state.ts';

const DEFAULTS = { dcuId: undefined };

/** The DCU whose stations the page shows. */
export const useDcuId = (): string | undefined => useUrlState<'dcuId'>(DEFAULTS)[0].dcuId;

/** Modules, roles and levels of the network of that DCU. */
export function useSummary() {
  const dcuId = useDcuId();
  return useApiQuery(staModel.summary, { query: { dcuId: dcuId ?? '0' }, enabled: dcuId !== undefined });
}
