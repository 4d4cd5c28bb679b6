import { user } from '@hes/contract/manager/user.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { useCallback } from 'react';
import { useApiQuery } from './hooks.ts';

export const useMe = () => useApiQuery(user.me, { staleMs: 60_000 });

/** Whether the user may call a route, by its pair of page and action in the contract. False while the permissions load. */
export function useMay(): (route: Pick<Route, 'allow'>) => boolean {
  const { data } = useMe();
  return useCallback(
    ({ allow }: Pick<Route, 'allow'>) => {
      if (typeof allow === 'string') return true;
      const held: readonly string[] = data?.actions[allow.page] ?? [];
      return held.includes(allow.action);
    },
    [data],
  );
}
