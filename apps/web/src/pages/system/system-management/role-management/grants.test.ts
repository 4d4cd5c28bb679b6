import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { expect, test } from 'vitest';
import { grantsOf, matrixRows, permissionOf, tick, ticked } from './grants.ts';

const module = (id: string, parentId: string | null, type: ModuleRow['type']): ModuleRow => ({
  id,
  parentId,
  type,
  path: `/${id}`,
  nameEn: id,
  nameZh: id,
  icon: 'list',
  sort: 1,
  visible: true,
  isFixed: false,
  actions: type === 'page' ? ['view', 'edit', 'delete'] : [],
  version: 1,
});
const two = module('2', '1', 'page');
const MODULES = [module('1', null, 'group'), two, module('3', '1', 'page'), module('4', null, 'group')];

test('an action opens its page, and a page without view is closed with all its actions', () => {
  const opened = tick(new Map(), [two], ['edit'], true);
  expect(permissionOf(opened)).toEqual({ moduleIds: ['2'], actions: [{ moduleId: '2', actions: ['view', 'edit'] }] });
  expect(permissionOf(tick(opened, [two], ['view'], false))).toEqual({ moduleIds: [], actions: [] });
});

test('grants that are unchanged are written as they were read', () => {
  const permission = { moduleIds: ['2', '3'], actions: [{ moduleId: '2', actions: ['view' as const, 'delete' as const] }] };
  expect(permissionOf(grantsOf(permission))).toEqual({
    moduleIds: ['2', '3'],
    actions: [
      { moduleId: '2', actions: ['view', 'delete'] },
      { moduleId: '3', actions: ['view'] },
    ],
  });
});

test('a group stands for its pages: all, some or none of them', () => {
  const [group] = matrixRows(MODULES);
  const pages = group?.pages ?? [];
  expect(pages.map(({ id }) => id)).toEqual(['2', '3']);
  expect(ticked(new Map(), pages, ['view'])).toBe('none');
  expect(ticked(tick(new Map(), [two], ['view'], true), pages, ['view'])).toBe('some');
  expect(ticked(tick(new Map(), pages, ['view'], true), pages, ['view'])).toBe('all');
});

test('an action that a page lacks is neither offered nor granted', () => {
  expect(ticked(new Map(), [two], ['approve'])).toBeUndefined();
  const all = tick(new Map(), [two], ['view', 'edit', 'delete', 'approve'], true);
  expect(permissionOf(all).actions).toEqual([{ moduleId: '2', actions: ['view', 'edit', 'delete'] }]);
  expect(ticked(all, [two], ['view', 'edit', 'delete', 'approve'])).toBe('all');
});

test('a group without pages is left out, and so is one whose pages are filtered away', () => {
  expect(matrixRows(MODULES).map((row) => row.module.id)).toEqual(['1', '2', '3']);
  expect(matrixRows(MODULES, (row) => row.id === '3').map((row) => row.module.id)).toEqual(['1', '3']);
});
