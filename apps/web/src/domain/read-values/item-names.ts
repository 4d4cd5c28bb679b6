import { reading } from '@hes/contract/reading/reading.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { usePreferences } from '#core/theme/preferences.ts';

/** Names of reading items in the language of the page. */
export function useItemName(): (key: string) => string {
  const chinese = usePreferences((state) => state.locale === 'zh-CN');
  const catalogue = useApiQuery(reading.obis, { staleMs: Infinity });
  return useMemo(() => {
    const names = new Map((catalogue.data?.items ?? []).map((item) => [item.key, chinese ? item.nameZh : item.nameEn]));
    return (key: string) => names.get(key) ?? key;
  }, [catalogue.data, chinese]);
}
