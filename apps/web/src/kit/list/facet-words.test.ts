import { expect, test } from 'vitest';
import { choosing, chosenWord, facetKeys } from './facet-words.ts';

const facets = {
  key: 'level',
  words: ['serious', 'warning', 'unacknowledged'],
  elsewhere: { unacknowledged: ['acknowledged', 'false'] },
} as const;

test('a word of facets stands under the key of its own', () => {
  expect(facetKeys(facets)).toEqual(['level', 'acknowledged']);
  expect(chosenWord(facets, { level: 'warning' })).toBe('warning');
  expect(chosenWord(facets, { acknowledged: 'false' })).toBe('unacknowledged');
  expect(chosenWord(facets, { level: 'all', acknowledged: 'true' })).toBeUndefined();
});

test('choosing a word removes the others from the address', () => {
  expect(choosing(facets, 'unacknowledged')).toEqual({ level: undefined, acknowledged: 'false' });
  expect(choosing(facets, 'serious')).toEqual({ level: 'serious', acknowledged: undefined });
  expect(choosing(facets, undefined)).toEqual({ level: undefined, acknowledged: undefined });
});
