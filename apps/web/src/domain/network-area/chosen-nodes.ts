import { nodeFrom, nodeOf, type AreaKey, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import type { AreaNode } from '@hes/contract/manager/area.ts';

/** A node that was chosen for a network area. */
export interface ChosenNode {
  key: AreaKey;
  /** Null: outside the user's own area. */
  title: string | null;
  /** The levels above it, topmost first; empty when unknown. */
  above: AreaNode['above'];
  meters: number;
}

const isAreaKey = (key: NodeKey): key is AreaKey => {
  const { kind } = nodeOf(key);
  return kind === 'level' || kind === 'transformer';
};

/** Chosen nodes as tree nodes, for branches that are not loaded. */
export const treeNodes = (nodes: readonly ChosenNode[]): Map<NodeKey, TreeNode> =>
  new Map(
    nodes.map(({ key, title, above, meters }) => [
      key,
      nodeFrom(key, { title: title ?? key, parentKey: above.at(-1)?.key ?? null, isLeaf: false, meters, onlineStatus: null }),
    ]),
  );

/** The levels above the chosen nodes. */
export const pathsTo = (nodes: readonly ChosenNode[]): Set<NodeKey> => new Set(nodes.flatMap(({ above }) => above.map(({ key }) => key)));

/** The nodes checked in the tree, with the known ancestors of those chosen before. */
export function chosenIn(ticked: ReadonlyMap<NodeKey, TreeNode>, before: readonly ChosenNode[]): ChosenNode[] {
  const known = new Map(before.map((node) => [node.key, node]));
  return [...ticked.values()].flatMap(({ key, title, meters }) =>
    isAreaKey(key) ? [known.get(key) ?? { key, title, above: [], meters }] : [],
  );
}
