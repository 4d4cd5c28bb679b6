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

test('S-126 S-127: those to the left of a tab are closed without the dashboard, and those to the right', () => {
  closeTabs('left', '/b', '/c');
  expect(paths()).toEqual(['/dashboard', '/b', '/c']);
  visitTab('/d', '', text);
  closeTabs('right', '/b', '/b');
  expect(paths()).toEqual(['/dashboard', '/b']);
});

test('S-128: all others are closed without the dashboard, and the tab that is left is shown', () => {
  expect(closeTabs('others', '/b', '/c')?.path).toBe('/b');
  expect(paths()).toEqual(['/dashboard', '/b']);
});

test('S-129 S-135 S-355: all are closed down to the dashboard, which is shown', () => {
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

test('S-121 S-351 S-541: at first there is the dashboard, and it stays the first', () => {
  resetTabs();
  expect(paths()).toEqual(['/dashboard']);
  visitTab('/a', '', text);
  closeTabs('current', '/dashboard', '/a');
  expect(paths()).toEqual(['/dashboard', '/a']);
});

test('S-263 S-264 S-265: a tab has its path, the name of its route, and a name to show in both languages', () => {
  resetTabs();
  visitTab('/assets/dcu', '', { en: 'DCU', zh: '集中器' });
  expect(tabs()).toMatchObject([
    { path: '/dashboard', routeName: 'dashboard', localeName: { en: 'Dashboard', zh: '首页' } },
    { path: '/assets/dcu', routeName: 'dcu', localeName: { en: 'DCU', zh: '集中器' } },
  ]);
});
