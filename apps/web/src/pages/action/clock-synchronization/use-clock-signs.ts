import { useMemo } from 'react';
import { clockSigns } from '#domain/states/event-tables.ts';
import { useThresholds } from '#domain/states/thresholds.ts';

/** Signs of the classes of deviation, by the limits from the settings. */
export function useClockSigns() {
  const limits = useThresholds();
  return useMemo(() => clockSigns(limits), [limits]);
}
