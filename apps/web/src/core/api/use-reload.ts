import type { Route } from '@hes/contract/core/route.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Invalidates all queries under the path of a list. */
export function useReload({ path }: Pick<Route, 'path'>): () => void {
  const client = useQueryClient();
  return useCallback(
    () => void client.invalidateQueries({ predicate: ({ queryKey: [of] }) => String(of).startsWith(path) }),
    [client, path],
  );
}
