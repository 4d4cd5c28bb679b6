import type { Route } from '@hes/contract/core/route.ts';
import type { UrlWords } from './filters.tsx';
import type { Facets } from './list-declaration.ts';

type Placed = Pick<Facets<Route>, 'key' | 'elsewhere'>;

const placeOf = ({ key, elsewhere = {} }: Placed, word: string): readonly [key: string, value: string] => elsewhere[word] ?? [key, word];

/** The keys of the address under which the words of facets stand. */
export const facetKeys = ({ key, elsewhere = {} }: Placed): string[] => [
  key,
  ...Object.values(elsewhere).flatMap((place) => place?.[0] ?? []),
];

/** The chosen word of facets. */
export const chosenWord = <Word extends string>(facets: Placed & { words: readonly Word[] }, url: UrlWords): Word | undefined =>
  facets.words.find((word) => {
    const [key, value] = placeOf(facets, word);
    return url[key] === value;
  });

/** Changes the address to another word of facets, or to none. */
export function choosing(facets: Placed, word: string | undefined): UrlWords {
  const none: UrlWords = Object.fromEntries(facetKeys(facets).map((key) => [key, undefined]));
  if (word === undefined) return none;
  const [key, value] = placeOf(facets, word);
  return { ...none, [key]: value };
}
