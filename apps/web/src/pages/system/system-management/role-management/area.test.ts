import { nodeFrom } from '@hes/contract/asset/tree.ts';
import type { RoleArea } from '@hes/contract/manager/area.ts';
import { expect, test } from 'vitest';
import { chosenIn, treeNodes } from '#domain/network-area/chosen-nodes.ts';
import { choiceOf, draftOf } from './area.ts';

const permission = (area: RoleArea, moduleIds: string[] = []) => ({ moduleIds, actions: [], area, version: 1 });
const millLane = {
  key: 'transformer:1' as const,
  title: 'Mill Lane substation',
  above: [{ key: 'level:1' as const, title: 'Lanting Power Supply' }],
  meters: 125,
};

test('a role without pages and area has no area chosen yet, and cannot be saved before', () => {
  const draft = draftOf(permission({ kind: 'none' }));
  expect(draft.kind).toBeUndefined();
  expect(choiceOf(draft)).toBeUndefined();
});

test('an area that was chosen stays chosen, also when it is none', () => {
  expect(choiceOf(draftOf(permission({ kind: 'none' }, ['101'])))).toEqual({ kind: 'none' });
  expect(choiceOf(draftOf(permission({ kind: 'whole' })))).toEqual({ kind: 'whole' });
});

test('a list without nodes is never sent', () => {
  expect(choiceOf({ kind: 'nodes', nodes: [] })).toBeUndefined();
});

test('a transformer is sent as a transformer, and keeps its path while others are ticked', () => {
  const draft = draftOf(permission({ kind: 'nodes', nodes: [millLane] }));
  const level = nodeFrom('level:2', { title: 'Region', parentKey: null, isLeaf: false, meters: 4999, onlineStatus: null });
  const ticked = treeNodes(draft.nodes).set(level.key, level);
  const nodes = chosenIn(ticked, draft.nodes);
  expect(nodes).toEqual([millLane, { key: 'level:2', title: 'Region', above: [], meters: 4999 }]);
  expect(choiceOf({ kind: 'nodes', nodes })).toEqual({ kind: 'nodes', nodes: ['transformer:1', 'level:2'] });
});

test('a device that was ticked is not a part of an area', () => {
  const dcu = nodeFrom('dcu:1', { title: 'DCU1', parentKey: null, isLeaf: false, meters: 3, onlineStatus: null });
  expect(chosenIn(new Map([[dcu.key, dcu]]), [])).toEqual([]);
});
