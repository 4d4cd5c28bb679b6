import { wordsIn, type WordShape, type WordsOf } from '@hes/contract/page/links.ts';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { writeUrl } from './write-url.ts';

/** The words of an address; those with a default are never undefined. */
type Url<S extends WordShape, D = object> = { [K in keyof S]: K extends keyof D ? NonNullable<WordsOf<S>[K]> : WordsOf<S>[K] };

/**
 * Page state in the address, by the words of the page: `useUrl(PAGE_WORDS.readings, { tab: 'daily' })`. A word that equals its default is
 * removed from the address. Both parameters must be module constants.
 */
export function useUrl<S extends WordShape, const D extends WordsOf<S> = object>(shape: S, defaults?: D) {
  const [search, setSearch] = useSearchParams();
  const url = useMemo(() => ({ ...defaults, ...wordsIn(shape, search) }) as Url<S, D>, [shape, defaults, search]); // as: words of that very shape
  const setUrl = useCallback(
    (change: WordsOf<S>) => setSearch((current) => writeUrl(current, { ...defaults }, change), { replace: true }),
    [setSearch, defaults],
  );
  return [url, setUrl] as const;
}
