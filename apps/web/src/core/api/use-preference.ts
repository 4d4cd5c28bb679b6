import { preference } from '@hes/contract/manager/preference.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from './client.ts';
import { queryKeyOf, useApiQuery } from './hooks.ts';

type Preferences = ResponseOf<typeof preference.list>;

/** A preference stored with the user's account, on all computers. Saving is optimistic: the UI does not wait for it. */
export function usePreference<T>(key: string): [value: T | undefined, save: (value: T | null) => void] {
  const client = useQueryClient();
  const all = useApiQuery(preference.list, { staleMs: Infinity });
  const found = all.data?.items.find((item) => item.key === key)?.value;
  const save = useCallback(
    (value: T | null) => {
      client.setQueryData<Preferences>(queryKeyOf(preference.list), (old) => ({
        items: [...(old?.items ?? []).filter((item) => item.key !== key), ...(value === null ? [] : [{ key, value }])],
      }));
      void call(preference.save, { body: { key, value } });
    },
    [client, key],
  );
  return [found as T | undefined, save]; // as: written by `save` under the same key
}
