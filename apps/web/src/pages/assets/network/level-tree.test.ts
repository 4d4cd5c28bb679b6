import type { LevelRow } from '@hes/contract/asset/level.ts';
import { expect, test } from 'vitest';
import { mayGoInto, peerOf, placeOf, subordinateOf, treeOf, type LevelNode } from './level-tree.ts';

const level = (id: string, parentId: string | null, depth: number, type: LevelRow['type'] = 'other'): LevelRow => ({
  id,
  parentId,
  parentCode: parentId,
  name: `Level ${id}`,
  code: id,
  type,
  sort: Number(id.slice(1) || 1) * 10,
  depth,
  longitude: null,
  latitude: null,
  note: null,
  transformers: 0,
  dcus: 0,
  dcusOnline: 0,
  meters: 0,
  isWithin: true,
  updatedAt: '2026-01-01T00:00:00Z',
  version: 1,
});
const LEVELS = [
  level('C', null, 1, 'company'),
  level('D1', 'C', 2, 'district'),
  level('D2', 'C', 2, 'district'),
  level('F1', 'D1', 3, 'feeder'),
];
const of = (id: string) => LEVELS.find((row) => row.id === id) as LevelRow; // as: it stands above
const shape = (nodes: LevelNode[]): unknown =>
  nodes.map((node) => (node.children.length > 0 ? [node.key, shape(node.children)] : node.key));

test('S-164: a peer has the same parent and type; next to a root it is another root', () => {
  expect(peerOf(LEVELS, of('D1'))).toEqual({ parentId: 'C', type: 'district', code: 'C-3', sort: 30 });
  expect(peerOf(LEVELS, of('C'))).toMatchObject({ parentId: null, type: 'company' });
});

test('S-165: a subordinate is below, of the next type, with the code of its parent', () => {
  expect(subordinateOf(LEVELS, of('D1'))).toMatchObject({ parentId: 'D1', type: 'substation', code: 'D1-2' });
  expect(subordinateOf(LEVELS, of('F1'))).toMatchObject({ parentId: 'F1', type: 'other', code: 'F1-1' });
});

test('the tree contains a draft in its place, and a search or a type keeps matches with their ancestors', () => {
  expect(shape(treeOf(LEVELS, subordinateOf(LEVELS, of('D2')), { search: '' }))).toEqual([
    [
      'C',
      [
        ['D1', ['F1']],
        ['D2', ['draft']],
      ],
    ],
  ]);
  expect(shape(treeOf(LEVELS, undefined, { search: 'f1' }))).toEqual([['C', [['D1', ['F1']]]]]);
  expect(shape(treeOf(LEVELS, undefined, { search: '', type: 'district' }))).toEqual([['C', ['D1', 'D2']]]);
  expect(shape(treeOf(LEVELS, undefined, { search: 'd2', type: 'district' }))).toEqual([['C', ['D2']]]);
});

test('a level is dropped into, before or behind another', () => {
  expect(placeOf(LEVELS, 'F1', of('D2'), 'into')).toEqual({ parentId: 'D2', beforeId: null });
  expect(placeOf(LEVELS, 'D2', of('D1'), 'before')).toEqual({ parentId: 'C', beforeId: 'D1' });
  expect(placeOf(LEVELS, 'F1', of('D1'), 'behind')).toEqual({ parentId: 'C', beforeId: 'D2' });
});

test('no level goes below itself or too deep', () => {
  expect(mayGoInto(LEVELS, of('C'), of('F1'), 8)).toBe(false);
  expect(mayGoInto(LEVELS, of('D1'), of('D2'), 8)).toBe(true);
  expect(mayGoInto(LEVELS, of('D1'), of('D2'), 3)).toBe(false);
  expect(mayGoInto(LEVELS, of('D1'), undefined, 8)).toBe(true);
});
