import { archive } from '@hes/contract/asset/archive.ts';
import { useApiQuery } from '#core/api/hooks.ts';

/** The state of the archive of a DCU. */
export const useSummary = (dcuId: string | undefined) =>
  useApiQuery(archive.summary, { query: { dcuId, size: 1 }, enabled: dcuId !== undefined, refetchMs: 30_000 });
