import { namesTargets, upgradeJob, type PreflightReport, type UpgradeSelection } from '@hes/contract/upgrade/job.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';
import type { Draft } from './draft.ts';

/** The pre-flight report of a selection, fetched again when the selection changes. */
export function usePreflight(firmwareId: string | undefined, selection: UpgradeSelection, rings: Draft['rings']) {
  return useQuery<PreflightReport>({
    queryKey: [upgradeJob.preflight.path, firmwareId, selection, rings],
    queryFn: async ({ signal }) => {
      const answer = await call(upgradeJob.preflight, {
        body: { firmwareId: firmwareId ?? '', selection, ...(rings === undefined ? {} : { rings }) },
        signal,
      });
      if (!answer.ok) throw new RequestFailed(answer.error);
      return answer.data;
    },
    enabled: firmwareId !== undefined && namesTargets(selection),
    retry: false,
    // Without targets there is no report, and the previous one must not be shown.
    placeholderData: namesTargets(selection) ? keepPreviousData : undefined,
  });
}
