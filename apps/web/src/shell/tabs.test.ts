// @vitest-environment node
import { beforeEach, expect, test } from 'vitest';
import { canClose, closeTabs, resetTabs, useTabs, visitTab } from './tabs.ts';

const text = { en: 'x', zh: 'x' };
const paths = () => useTabs.getState().tabs.map((tab) => tab.path);
const tabs = () => useTabs.getState().tabs;

beforeEach(() => {
  resetTabs();
  for (const path of ['/a', '/b', '/c']) visitTab(path, '', text);
});

test('a page opens one tab, however often it is visited, and remembers its last query', () => {
  visitTab('/b', '?page=2', text);
  expect(paths()).toEqual(['/dashboard', '/a', '/b', '/c']);
  expect(tabs()[2]?.search).toBe('?page=2');
});

test('closing the active tab moves to the one before it', () => {
  expect(closeTabs('current', '/b', '/b')?.path).toBe('/a');
  expect(closeTabs('current', '/c', '/a')).toBeUndefined();
});

test('the dashboard survives every kind of closing', () => {
  expect(closeTabs('others', '/b', '/c')?.path).toBe('/b');
  expect(paths()).toEqual(['/dashboard', '/b']);
  expect(closeTabs('all', '/b', '/b')?.path).toBe('/dashboard');
  expect(paths()).toEqual(['/dashboard']);
});

test('what cannot be closed is disabled', () => {
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
