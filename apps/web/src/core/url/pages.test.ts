import { expect, test } from 'vitest';
import { groupPaths, metaOf, PAGE_PATHS } from './pages.ts';

const paths: readonly string[] = PAGE_PATHS;

test('a page lives in the folder named by its path', () => {
  const folders = Object.keys(import.meta.glob('/src/pages/**/page.tsx')).map((file) => file.replace(/^\/src\/pages|\/page\.tsx$/g, ''));
  expect(paths.toSorted()).toEqual(folders.toSorted());
});

test('S-097: every visit mounts a page again, except the two that are expensive to render', () => {
  expect(paths.filter((path) => !metaOf(path).ignoreCache)).toEqual(['/dashboard', '/meter-management/network/network-topology']);
});

test('S-098: groups open no tab, pages behind the sign-in do', () => {
  expect(groupPaths).toContain('/assets');
  expect(groupPaths).toContain('/meter-management/mdms');
  expect(groupPaths.filter((path) => !metaOf(path).disableTab)).toEqual([]);
  expect(paths.filter((path) => metaOf(path).disableTab)).toEqual(['/login', '/403']);
});

test('a group is never a page', () => {
  expect(groupPaths.filter((path) => paths.includes(path))).toEqual([]);
});
