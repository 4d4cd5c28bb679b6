import { nodeFrom, type TreeNode } from '@hes/contract/asset/tree.ts';
import { expect, test } from 'vitest';
import { devicesOf } from './find-devices.ts';

const node = (kind: TreeNode['kind'], id: string, title: string): TreeNode =>
  nodeFrom(`${kind}:${id}`, { title, parentKey: null, isLeaf: true, meters: 0, onlineStatus: null });

test('devices and transformers lead to their status; levels have none', () => {
  const found = devicesOf(
    [
      node('level', '4', 'L 3712'),
      node('transformer', '1', 'T 3712'),
      node('dcu', '7', '371204100963'),
      node('meter', '9', '210400183752'),
    ],
    () => true,
  );
  expect(found.map(({ path }) => path)).toEqual([
    '/assets/status?node=transformer%3A1',
    '/assets/status?node=dcu%3A7',
    '/assets/status?node=meter%3A9',
  ]);
});

test('a device leads to no page that the user may not open', () => {
  expect(
    devicesOf([node('dcu', '7', '3712'), node('meter', '9', '3712')], (path) => path !== '/assets/meter-asset-discovery'),
  ).toHaveLength(1);
});
