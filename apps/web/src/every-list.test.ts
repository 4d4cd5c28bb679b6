import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { pageNameOf } from '@hes/contract/page/paths.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { expect, test, vi } from 'vitest';
import { facetKeys } from '#kit/list/facet-words.ts';
import type { ListDeclaration } from '#kit/list/list-declaration.ts';

// The chart of the bill asks for the resolution of the screen when its module loads.
vi.hoisted(() => {
  globalThis.matchMedia = () => ({ addEventListener: () => undefined }) as unknown as MediaQueryList; // as: the chart only listens
});

const files = import.meta.glob<Record<string, ListDeclaration<Route>>>('/src/pages/**/*list.tsx', { eager: true });
const lists = Object.values(files).flatMap((exported) =>
  Object.values(exported).filter((one) => typeof one === 'object' && 'filters' in one),
);

test('the walk sees the lists', () => {
  expect(lists.length).toBeGreaterThan(15);
});

test.each(lists.map((list) => [pageNameOf(list.path), Object.values(list.at ?? {}).join(' '), list] as const))(
  'links know the words that the list of %s %s reads',
  (page, _, { filters, facets, at = {} }) => {
    const read = [...filters.flatMap(({ keys }) => keys), ...(facets ? facetKeys(facets) : []), 'page', 'size', 'sort', 'sel'];
    expect([...read, ...Object.keys(at)].filter((word) => !(word in PAGE_WORDS[page]))).toEqual([]);
  },
);
