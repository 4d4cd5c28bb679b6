import { plan as plans, type PlanFields, type PlanPreview } from '@hes/contract/reading/plan.ts';
import { parseSchedule, ScheduleError } from '@hes/contract/schedule/expression.ts';
import { sentenceOf } from '@hes/contract/schedule/sentence.ts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';
import { usePreferences } from '#core/theme/preferences.ts';

type Sketch = Pick<PlanFields, 'type' | 'schedule' | 'targetKind' | 'targetIds' | 'items' | 'lookBackDays' | 'execution'>;

/** The effect of a plan, fetched again when a relevant value changes. */
export function usePlanPreview(id: string | undefined, values: Sketch): UseQueryResult<PlanPreview> {
  const locale = usePreferences((state) => state.locale);
  const { type, schedule, targetKind, targetIds, items, lookBackDays, execution } = values;
  const body = {
    type,
    schedule,
    targetKind,
    targetIds,
    items,
    execution,
    lookBackDays: Math.min(31, lookBackDays),
    ...(id === undefined ? {} : { id }),
  };
  return useQuery<PlanPreview>({
    queryKey: [plans.preview.path, body, locale],
    queryFn: async ({ signal }) => {
      const answer = await call(plans.preview, { body, signal });
      if (!answer.ok) throw new RequestFailed(answer.error);
      return answer.data;
    },
    placeholderData: (previous) => previous,
  });
}

/** A schedule as text; the expression itself when it is invalid. */
export function useSentence(schedule: string): string {
  const locale = usePreferences((state) => state.locale);
  try {
    return sentenceOf(parseSchedule(schedule), locale);
  } catch (error) {
    if (error instanceof ScheduleError) return schedule;
    throw error;
  }
}
