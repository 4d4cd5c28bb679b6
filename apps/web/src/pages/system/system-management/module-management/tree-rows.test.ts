import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { expect, test } from 'vitest';
import { parentsFor, stepOf, treeRows } from './tree-rows.ts';

const module = (id: string, parentId: string | null, type: ModuleRow['type'] = 'page'): ModuleRow => ({
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
  actions: [],
  version: 1,
});
const MODULES = [
  module('a', null, 'group'),
  module('a1', 'a'),
  module('a2', 'a', 'group'),
  module('a21', 'a2'),
  module('b', null, 'group'),
];
const shown = (rows: ReturnType<typeof treeRows>) => rows.map((row) => row.module.id);

test('a closed group hides its children', () => {
  expect(shown(treeRows(MODULES, new Set()))).toEqual(['a', 'a1', 'a2', 'a21', 'b']);
  expect(shown(treeRows(MODULES, new Set(['a'])))).toEqual(['a', 'b']);
});

test('a filter shows every match with its ancestors, closed or not', () => {
  expect(shown(treeRows(MODULES, new Set(['a']), (row) => row.id === 'a21'))).toEqual(['a', 'a2', 'a21']);
});

test('a step stays among the siblings and ends at their ends', () => {
  expect(stepOf(MODULES, 'a2', -1)).toEqual({ parentId: 'a', beforeId: 'a1' });
  expect(stepOf(MODULES, 'a1', 1)).toEqual({ parentId: 'a', beforeId: null });
  expect(stepOf(MODULES, 'a1', -1)).toBeUndefined();
  expect(stepOf(MODULES, 'b', 1)).toBeUndefined();
});

test('a module is never offered a place inside itself', () => {
  expect(parentsFor(MODULES, 'a').map((row) => row.module.id)).toEqual(['b']);
  expect(parentsFor(MODULES, 'a2').map((row) => row.module.id)).toEqual(['a', 'b']);
});
