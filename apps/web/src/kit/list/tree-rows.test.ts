import { expect, test } from 'vitest';
import { treeRows } from './tree-rows.ts';

const ROWS = [
  { id: 'a', parent: null },
  { id: 'a1', parent: 'a' },
  { id: 'a2', parent: 'a' },
  { id: 'a21', parent: 'a2' },
  { id: 'b', parent: null },
];
const TREE = { idOf: ({ id }: { id: string }) => id, parentOf: ({ parent }: { parent: string | null }) => parent };
const shown = (rows: ReturnType<typeof treeRows<(typeof ROWS)[number]>>) => rows.map(({ row }) => row.id);

test('a closed branch hides the rows below it', () => {
  expect(shown(treeRows(ROWS, TREE))).toEqual(['a', 'a1', 'a2', 'a21', 'b']);
  const [closed, ...others] = treeRows(ROWS, { ...TREE, closed: new Set(['a']) });
  expect(closed).toEqual({ row: ROWS[0], level: 1, isOpen: false });
  expect(shown(others)).toEqual(['b']);
});

test('a row without rows below it is neither open nor closed', () => {
  expect(treeRows(ROWS, TREE).map(({ isOpen, level }) => [isOpen, level])).toEqual([
    [true, 1],
    [undefined, 2],
    [true, 2],
    [undefined, 3],
    [undefined, 1],
  ]);
});

test('a filter shows every match with its ancestors, closed or not', () => {
  const rows = treeRows(ROWS, { ...TREE, closed: new Set(['a']), isWanted: ({ id }) => id === 'a21' });
  expect(shown(rows)).toEqual(['a', 'a2', 'a21']);
});
