import { nodeFrom, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import { expect, test } from 'vitest';
import { topmost } from '#domain/node-tree/node-tree.tsx';
import { splitSns } from '#domain/targets/resolve-targets.ts';
import { countStates, doneOf } from '#domain/live-run/run-counts.ts';

const node = (key: NodeKey, parentKey: NodeKey | null): TreeNode =>
  nodeFrom(key, { title: key, parentKey, isLeaf: true, meters: 1, onlineStatus: null });

test('pasted serial numbers are split at lines, commas and spaces, each once', () => {
  expect(splitSns(' 101, 102;103\n101\t104，105 ')).toEqual(['101', '102', '103', '104', '105']);
});

test('of checked nodes only the topmost count, and what the tree does not show stays', () => {
  const before = new Map<NodeKey, TreeNode>([['meter:9', node('meter:9', 'dcu:3')]]);
  const checked = topmost([node('dcu:1', 'transformer:1'), node('meter:1', 'dcu:1')], new Set(['dcu:1', 'meter:1']), before);
  expect([...checked.keys()]).toEqual(['meter:9', 'dcu:1']);
});

test('counts come from the wall', () => {
  const cell = (id: string, state: 'waiting' | 'reading' | 'read_success' | 'read_fail') => ({ id, meterSn: id, state });
  const counts = countStates([
    {
      dcuId: '1',
      dcuSn: '1',
      transformerName: null,
      cells: [cell('1', 'waiting'), cell('2', 'reading'), cell('3', 'read_success'), cell('4', 'read_fail')],
    },
  ]);
  expect(doneOf(counts)).toBe(2);
});
