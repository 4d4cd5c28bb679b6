import { beforeEach, expect, test } from 'vitest';
import { canClose, closeTabs, resetTabs, useTabs, visitTab } from './tabs.ts';

const text = { en: 'x', zh: 'x' };
const paths = () => useTabs.getState().tabs.map((tab) => tab.path);
const tabs = () => useTabs.getState().tabs;

beforeEach(() => {
  resetTabs();
  for (const path of ['/a', '/b', '/c']) visitTab(path, '', text);
});

test('S-120 S-352: a page opens one tab, however often it is visited, and remembers its last query', () => {
  visitTab('/b', '?page=2', text);
  expect(paths()).toEqual(['/dashboard', '/a', '/b', '/c']);
  expect(tabs()[2]?.search).toBe('?page=2');
});

test('S-125 S-134 S-354: closing the active tab moves to the one before it', () => {
  expect(closeTabs('current', '/b', '/b')?.path).toBe('/a');
  expect(closeTabs('current', '/c', '/a')).toBeUndefined();
});

test('S-126 S-127 S-128 S-129 S-135 S-355: the dashboard survives every kind of closing', () => {
  closeTabs('left', '/c', '/c');
  expect(paths()).toEqual(['/dashboard', '/c']);
  for (const path of ['/a', '/b']) visitTab(path, '', text);
  closeTabs('right', '/a', '/a');
  expect(paths()).toEqual(['/dashboard', '/c', '/a']);
  visitTab('/b', '', text);
  expect(closeTabs('others', '/b', '/c')?.path).toBe('/b');
  expect(paths()).toEqual(['/dashboard', '/b']);
  expect(closeTabs('all', '/b', '/b')?.path).toBe('/dashboard');
  expect(paths()).toEqual(['/dashboard']);
});

test('S-122 S-130 S-131 S-132 S-133: what cannot be closed is disabled', () => {
  expect(canClose(tabs(), 'left', '/a')).toBe(false);
  expect(canClose(tabs(), 'left', '/b')).toBe(true);
  expect(canClose(tabs(), 'right', '/c')).toBe(false);
  expect(canClose(tabs(), 'current', '/dashboard')).toBe(false);
  resetTabs();
  expect(canClose(tabs(), 'all', '/dashboard')).toBe(false);
  visitTab('/a', '', text);
  expect(canClose(tabs(), 'others', '/a')).toBe(false);
  expect(canClose(tabs(), 'all', '/a')).toBe(true);
});

test('S-121 S-263 S-264 S-265 S-351 S-541: at first there is the dashboard, with path, route and name', () => {
  resetTabs();
  expect(tabs()).toEqual([{ path: '/dashboard', routeName: 'dashboard', localeName: { en: 'Dashboard', zh: '首页' }, search: '' }]);
});
