import { setting } from '@hes/contract/manager/setting.ts';
import { DELIVERED_THRESHOLDS, type SettingValues } from '@hes/contract/setting/settings.ts';
import { useApiQuery } from '#core/api/hooks.ts';

/** The limits of classes from the settings; until they are read, and if they cannot be read, those of a new installation. */
export function useThresholds(): SettingValues['thresholds'] {
  const { data } = useApiQuery(setting.get, { params: { key: 'thresholds' } });
  return data?.key === 'thresholds' ? data.value : DELIVERED_THRESHOLDS;
}
