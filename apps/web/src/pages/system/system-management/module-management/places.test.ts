import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { expect, test } from 'vitest';
import { parentsFor, stepOf } from './places.ts';

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

test('a step ends at the first and the last sibling', () => {
  const step = (id: string, by: -1 | 1) => stepOf({ id }, by, { siblingsOf: () => ['a', 'b', 'c'] });
  expect([step('a', -1), step('b', -1), step('c', -1)]).toEqual([undefined, 'a', 'b']);
  expect([step('a', 1), step('b', 1), step('c', 1)]).toEqual(['c', null, undefined]);
});

test('a module is never offered a place inside itself', () => {
  expect(parentsFor(MODULES, 'a').map((row) => row.module.id)).toEqual(['b']);
  expect(parentsFor(MODULES, 'a2').map((row) => row.module.id)).toEqual(['a', 'b']);
});
