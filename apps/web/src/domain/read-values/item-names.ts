import { pick } from '@hes/contract/core/text.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { usePreferences } from '#core/theme/preferences.ts';

/** Names of reading items in the language of the page. */
export function useItemName(): (key: string) => string {
  const locale = usePreferences((state) => state.locale);
  const catalogue = useApiQuery(reading.obis, { staleMs: Infinity });
  return useMemo(() => {
    const names = new Map((catalogue.data?.items ?? []).map((item) => [item.key, pick({ en: item.nameEn, zh: item.nameZh }, locale)]));
    return (key: string) => names.get(key) ?? key;
  }, [catalogue.data, locale]);
}
