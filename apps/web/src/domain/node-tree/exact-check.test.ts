import { nodeFrom, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import { expect, test } from 'vitest';
import { exactKeys, toggled, withCover } from './exact-check.ts';
import type { TreeItem } from './use-tree.ts';

const item = (key: NodeKey, parentKey: NodeKey | null, children?: TreeItem[]): TreeItem => ({
  key,
  node: nodeFrom(key, { title: key, parentKey, isLeaf: children === undefined, meters: 1, onlineStatus: null }),
  isLeaf: children === undefined,
  ...(children ? { children } : {}),
});
const network = (): TreeItem[] => [
  item('level:1', null, [item('level:2', 'level:1', [item('transformer:1', 'level:2'), item('transformer:2', 'level:2')])]),
];
const find = (items: TreeItem[], key: NodeKey): TreeItem =>
  items
    .flatMap(function all(one): TreeItem[] {
      return [one, ...(one.children ?? []).flatMap(all)];
    })
    .find((one) => one.key === key) as TreeItem; // as: the key exists in this test network
const checked = (...keys: NodeKey[]): Map<NodeKey, TreeNode> => new Map(keys.map((key) => [key, find(network(), key).node]));

test('all transformers of a level are not the level', () => {
  const both = toggled(find(network(), 'transformer:2'), checked('transformer:1'));
  expect([...both.keys()]).toEqual(['transformer:1', 'transformer:2']);
  expect(exactKeys(network(), both)).toEqual({ checked: ['transformer:1', 'transformer:2'], halfChecked: ['level:2', 'level:1'] });
});

test('a transformer is not the level of the same number', () => {
  expect(exactKeys(network(), checked('transformer:1'))).toEqual({ checked: ['transformer:1'], halfChecked: ['level:2', 'level:1'] });
});

test('a checked level replaces the nodes under it, and shows them as checked', () => {
  const level = toggled(find(network(), 'level:1'), checked('transformer:1'));
  expect([...level.keys()]).toEqual(['level:1']);
  expect(exactKeys(network(), level).checked).toEqual(['transformer:1', 'transformer:2', 'level:2', 'level:1']);
  const covered = withCover(network(), level);
  expect([covered[0]?.disableCheckbox, find(covered, 'transformer:2').disableCheckbox]).toEqual([undefined, true]);
});

test('a second click takes the node out again', () => {
  expect(toggled(find(network(), 'level:1'), checked('level:1')).size).toBe(0);
});

test('a search result under a checked level is disabled', () => {
  const hits = [item('transformer:1', 'level:2')];
  expect(withCover(hits, checked('level:2'))[0]?.disableCheckbox).toBe(true);
});
