import { setting } from '@hes/contract/manager/setting.ts';
import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { clockSigns } from '#domain/states/event-tables.ts';

/** The limits of the classes of deviation, from the settings. */
export function useLimits(): SettingValues['thresholds'] {
  const stored = useApiQuery(setting.get, { params: { key: 'thresholds' } });
  return useMemo(() => {
    const parsed = SETTINGS.thresholds.schema.safeParse(stored.data?.value);
    return parsed.success ? parsed.data : SETTINGS.thresholds.value;
  }, [stored.data]);
}

export function useClockSigns() {
  const limits = useLimits();
  return useMemo(() => clockSigns(limits), [limits]);
}
