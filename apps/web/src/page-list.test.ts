import { expect, test } from 'vitest';
import { pages, plannedPaths } from './page-list.ts';
import { titles } from './page.messages.ts';

test('a page lives in the folder named by its path', () => {
  const folders = Object.keys(import.meta.glob('./pages/**/page.tsx')).map((file) => file.replace(/^\.\/pages|\/page\.tsx$/g, ''));
  expect(pages.map((page) => page.path).toSorted()).toEqual(folders.toSorted());
});

test('every page of the specification is built or says what it will be, never both', () => {
  const built = new Set<string>(pages.map((page) => page.path));
  expect(plannedPaths.filter((path) => built.has(path))).toEqual([]);
  expect([...built, ...plannedPaths].toSorted()).toEqual(Object.keys(titles).toSorted());
});
