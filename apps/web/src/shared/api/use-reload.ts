import type { Route } from '@hes/contract/core/route.ts';
import { useQueryClient } from '@tanstack/react-query';

/** Invalidates all queries under the path of a list. */
export function useReload(list: Route): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(list.path) });
}
