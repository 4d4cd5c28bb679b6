import { moduleNode, type ModuleNode } from '@hes/contract/manager/module.ts';
import { expect, test } from 'vitest';
import { firstPageIn, flatten, isAllowed, keptModules, menuModules, searchModules, withInnerPages } from './modules.ts';
import { withRecent } from '#app/search/search-store.ts';

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

test('S-479: a module without children is dropped, and its path is refused', () => {
  expect(keptModules(tree).map((entry) => entry.path)).toEqual(['/assets', '/system']);
  expect(isAllowed(tree, '/lonely')).toBe(false);
});

test('S-067 S-477 S-478: the dashboard is always allowed, other pages only if they are in the tree', () => {
  expect(isAllowed([], '/dashboard')).toBe(true);
  expect(isAllowed(tree, '/assets/dcu')).toBe(true);
  expect(isAllowed(tree, '/assets/network')).toBe(false);
});

test('S-118: upgrade detail may be opened but is not in the menu', () => {
  expect(isAllowed(tree, '/system/upgrade/upgrade-detail')).toBe(true);
  expect(flatten(menuModules(tree)).some((entry) => entry.path === '/system/upgrade/upgrade-detail')).toBe(false);
});

test('S-147 S-148 S-149: search joins the ancestry by hyphens and matches a part of it, in either case', () => {
  const flat = flatten(keptModules(tree));
  expect(searchModules(flat, 'assets-d', 'en-US')).toEqual([{ path: '/assets/dcu', label: 'Assets-DCU' }]);
  expect(searchModules(flat, '集中', 'zh-CN').map((hit) => hit.label)).toEqual(['资产管理-集中器']);
  expect(searchModules(flat, ' ', 'en-US')).toEqual([]);
});

test('S-529 S-532 S-533: the history has eight entries, newest first, none twice', () => {
  const history = ['1', '2', '3', '4', '5', '6', '7', '8'];
  expect(withRecent(history, '9')).toEqual(['9', '1', '2', '3', '4', '5', '6', '7']);
  expect(withRecent(history, '5')[0]).toBe('5');
  expect(withRecent(history, '5')).toHaveLength(8);
});

test('S-150: Chinese is matched as it is written, English letters in it too', () => {
  const flat = flatten(keptModules(tree));
  expect(searchModules(flat, '资产管理-集中', 'zh-CN')).toHaveLength(1);
  expect(
    searchModules(
      [...flat].map((entry) => ({ ...entry, names: [{ en: 'x', zh: 'OBIS管理' }] })),
      'obis',
      'zh-CN',
    ),
  ).toEqual([]);
});

test('S-116 S-117: the menu has groups in groups, and no dashboard', () => {
  const menu = menuModules([...tree, node('/dashboard', 'Dashboard', '首页')]);
  expect(menu.map((entry) => entry.path)).not.toContain('/dashboard');
  const groups = menuModules([
    node('/system', 'System', '系统', [node('/system/debug', 'Debug', '调试', [node('/system/debug/x', 'X', 'X')])]),
  ]);
  expect(groups[0]?.children[0]?.path).toBe('/system/debug');
});

test('a group of which every page is hidden is not in the menu, because it would look like a page', () => {
  const hidden = { ...node('/reports/monthly', 'Monthly', '月报'), visible: false };
  expect(menuModules([...tree, node('/reports', 'Reports', '报表', [hidden])]).map((entry) => entry.path)).toEqual(['/assets', '/lonely']);
});

test('S-255 S-256 S-257 S-259 S-260: a module of the tree has id, path, names, children and an icon for its route', () => {
  const dcu = { ...node('/assets/dcu', 'DCU', '集中器'), id: '101', meta: { icon: 'server' } };
  const group = { ...node('/assets', 'Assets', '资产管理', [dcu]), id: '100', meta: { icon: 'box' } };
  // Parsed like a response of the server: fields that the contract does not define are dropped.
  const [read] = moduleNode.array().parse(JSON.parse(JSON.stringify([group])));
  expect(read).toMatchObject({ id: '100', path: '/assets', name: { en: 'Assets', 'zh-CN': '资产管理' }, children: [{ id: '101' }] });
  expect(flatten([group]).find(({ path }) => path === '/assets/dcu')?.meta.icon).toBe('server');
});

test('S-261 S-262: the tree is flattened, and each module matched to the route of its path', () => {
  expect(flatten(tree).map(({ path }) => path)).toEqual(expect.arrayContaining(['/assets/dcu', '/system/upgrade/upgrade-detail']));
  const dcu = flatten(tree).find(({ path }) => path === '/assets/dcu');
  expect(dcu).toMatchObject({ routeName: 'dcu', localeName: { en: 'DCU', zh: '集中器' } });
  expect(dcu?.meta).toMatchObject({ title: { en: 'DCU' }, ignoreCache: true, disableTab: false });
});

test('a group leads to the first page in it that may be opened', () => {
  expect(firstPageIn(tree, '/system/upgrade')).toBe('/system/upgrade/upgrade-detail');
  expect(isAllowed(tree, '/meter')).toBe(false);
});

test('pages that belong to a module are found by the search of users who have the module', () => {
  const users = node('/system', 'System', '系统', [node('/system/system-management/user-management', 'User Management', '用户管理')]);
  const found = (of: ModuleNode[]) => searchModules(withInnerPages(flatten(keptModules(of))), 'audit', 'en-US');
  expect(found([users])).toEqual([{ path: '/system/system-management/audit', label: 'System-Audit log' }]);
  expect(found(tree)).toEqual([]);
});
