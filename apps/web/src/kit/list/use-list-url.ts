import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { writeUrl } from '#core/url/write-url.ts';
import type { UrlWords } from './filters.tsx';

/**
 * The words of a list in the address: filters, page, order and selected row, whose keys the declaration gives. Pages use `useUrl`, which knows
 * their words. Absent and empty words take their default; `defaults` must be a module constant or memoised.
 */
export function useListUrl(defaults: UrlWords) {
  const [search, setSearch] = useSearchParams();
  const url = useMemo<UrlWords>(
    () => Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, search.get(key) || value])),
    [search, defaults],
  );
  const setUrl = useCallback(
    (change: UrlWords) => setSearch((current) => writeUrl(current, defaults, change), { replace: true }),
    [setSearch, defaults],
  );
  return [url, setUrl] as const;
}
