import { isNodeKey, nodeOf, type NodeKey, type NodeKind } from '@hes/contract/asset/tree.ts';

const keyOf = (userId: string, kind: NodeKind): string => `HES_LAST_NODE_${kind}_${userId}`;

/** Stores the node that the user chose last among those of its kind, in this browser. */
export const rememberNode = (userId: string, node: NodeKey): void => localStorage.setItem(keyOf(userId, nodeOf(node).kind), node);

/** The node of a kind that the user chose last in this browser. It may have been deleted since, or have left the user's area. */
export function lastNode(userId: string, kind: NodeKind): NodeKey | undefined {
  const stored = localStorage.getItem(keyOf(userId, kind)) ?? '';
  return isNodeKey(stored) && nodeOf(stored).kind === kind ? stored : undefined;
}
