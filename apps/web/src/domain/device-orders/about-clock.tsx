import { CLOCK_METHOD_TEXT } from '@hes/contract/states/clock.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { Property } from '#kit/basics/text.tsx';
import { clockOrderTexts, deviationText } from './clock-order.messages.ts';

/** Properties of the result of an order to a clock: its time, and the deviation before and after; none for other results. */
export function useAboutClock(): (result: NonNullable<TaskItemRow['result']>) => Property[] {
  const t = useMessages(clockOrderTexts);
  const say = useSay();
  return ({ clock }) =>
    clock === undefined
      ? []
      : [
          { label: t('deviceTime'), value: clock.deviceTime },
          { label: t('before'), value: deviationText(t, clock.beforeMs) },
          { label: t('deviation'), value: deviationText(t, clock.deviationMs) },
          { label: t('roundTrip'), value: `${clock.roundTripMs} ms` },
          { label: t('method'), value: clock.method === null ? '—' : say(CLOCK_METHOD_TEXT[clock.method]) },
        ];
}
