import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

/** `node` is a node key on all pages; the server refuses other values. */
type UrlValue<K> = K extends 'node' ? NodeKey : string;

export type UrlValues<K extends string> = { [P in K]: UrlValue<P> | undefined };

/** Reads the named keys of a query string; absent or empty ones take their default. */
function readUrl<K extends string>(search: URLSearchParams, defaults: UrlValues<K>): UrlValues<K> {
  const values: Record<string, string | undefined> = { ...defaults };
  for (const key of Object.keys(defaults)) values[key] = search.get(key) || values[key];
  return values as UrlValues<K>; // as: keys of the same object
}

/** Writes changes to the query string; values equal to their default are removed, and other words stay. */
export function writeUrl(search: URLSearchParams, defaults: Readonly<Record<string, unknown>>, change: object): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [key, value] of Object.entries(change)) {
    if (typeof value !== 'string' || value === '' || value === defaults[key]) next.delete(key);
    else next.set(key, value);
  }
  return next;
}

/** Page state in the address: filters, page, sort, selected row. `defaults` must be a module constant. */
export function useUrlState<K extends string>(defaults: UrlValues<K>) {
  const [search, setSearch] = useSearchParams();
  const values = useMemo(() => readUrl(search, defaults), [search, defaults]);
  const set = useCallback(
    (change: Partial<UrlValues<K>>) => setSearch((current) => writeUrl(current, defaults, change), { replace: true }),
    [setSearch, defaults],
  );
  return [values, set] as const;
}

/** A change of a filter resets the page number. */
export const refilter = <T extends Record<string, string | undefined>>(change: T): T & { page: undefined } => ({
  ...change,
  page: undefined,
});
