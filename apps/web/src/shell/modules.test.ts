import type { ModuleNode } from '@hes/contract/manager/module.ts';
import { expect, test } from 'vitest';
import { flatten, isAllowed, keptModules, menuModules, searchModules } from './modules.ts';
import { withRecent } from './search-store.ts';

const node = (path: string, en: string, zh: string, children: ModuleNode[] = []): ModuleNode => ({
  id: '1',
  path,
  name: { en, 'zh-CN': zh },
  meta: { icon: '' },
  sort: 1,
  visible: true,
  children,
});

const tree = [
  node('/assets', 'Assets', '资产管理', [node('/assets/dcu', 'DCU', '集中器')]),
  node('/system', 'System', '系统', [
    node('/system/upgrade', 'Upgrade', '升级管理', [node('/system/upgrade/upgrade-detail', 'Upgrade Detail', '升级详情')]),
  ]),
  node('/lonely', 'Lonely', '孤立'),
];

test('a module without children is dropped, and its path is refused', () => {
  expect(keptModules(tree).map((entry) => entry.path)).toEqual(['/assets', '/system']);
  expect(isAllowed(tree, '/lonely')).toBe(false);
});

test('the dashboard is always allowed, other pages only if they are in the tree', () => {
  expect(isAllowed([], '/dashboard')).toBe(true);
  expect(isAllowed(tree, '/assets/dcu')).toBe(true);
  expect(isAllowed(tree, '/assets/network')).toBe(false);
});

test('upgrade detail may be opened but is not in the menu', () => {
  expect(isAllowed(tree, '/system/upgrade/upgrade-detail')).toBe(true);
  expect(flatten(menuModules(tree)).some((entry) => entry.path === '/system/upgrade/upgrade-detail')).toBe(false);
});

test('search joins the ancestry by hyphens and matches a part of it', () => {
  const flat = flatten(keptModules(tree));
  expect(searchModules(flat, 'assets-d', 'en-US')).toEqual([{ path: '/assets/dcu', label: 'Assets-DCU' }]);
  expect(searchModules(flat, '集中', 'zh-CN').map((hit) => hit.label)).toEqual(['资产管理-集中器']);
  expect(searchModules(flat, ' ', 'en-US')).toEqual([]);
});

test('the history has eight entries, newest first, none twice', () => {
  const history = ['1', '2', '3', '4', '5', '6', '7', '8'];
  expect(withRecent(history, '9')).toEqual(['9', '1', '2', '3', '4', '5', '6', '7']);
  expect(withRecent(history, '5')[0]).toBe('5');
  expect(withRecent(history, '5')).toHaveLength(8);
});
