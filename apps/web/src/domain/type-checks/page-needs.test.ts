import { expect, test } from 'vitest';
import { lacking, PAGE_NEEDS } from './page-needs.ts';
import { PAGES } from '#core/url/pages.ts';

test('a page works when the DCU has all it needs', () => {
  expect(lacking('/assets/archives-dispatch', new Set(['ARRAYS', 'ARCHIVE', 'LDN']))).toEqual([]);
  expect(lacking('/assets/archives-dispatch', new Set(['ARRAYS']))).toEqual(['ARCHIVE']);
});

test('only pages of the console are listed', () => {
  for (const path of Object.keys(PAGE_NEEDS)) expect(PAGES).toHaveProperty([path]);
});
