import { tree, type NodeKey, type NodeKind, type TreeNode } from '@hes/contract/asset/tree.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ensureApi, useApiQuery } from '#core/api/hooks.ts';

export type Until = NodeKind;

export interface TreeItem {
  key: NodeKey;
  node: TreeNode;
  isLeaf: boolean;
  /** Disabled because a node above it is checked. */
  disableCheckbox?: boolean;
  children?: TreeItem[];
}

const SEARCH_FROM = 2;

const itemsOf = (nodes: TreeNode[], below: ReadonlyMap<NodeKey, TreeNode[]>): TreeItem[] =>
  nodes.map((node) => {
    const children = below.get(node.key);
    return { key: node.key, node, isLeaf: node.isLeaf, ...(children ? { children: itemsOf(children, below) } : {}) };
  });

/** Keys that are opened automatically: a node without siblings offers no choice, so its children are shown. */
export function opened(items: TreeItem[]): string[] {
  const [only] = items;
  return items.length === 1 && only !== undefined && !only.isLeaf ? [only.key, ...opened(only.children ?? [])] : [];
}

/** The network from its roots; branches load when opened. A search returns a flat list. */
export function useTree(until: Until, search: string) {
  const client = useQueryClient();
  const [below, setBelow] = useState(() => new Map<NodeKey, TreeNode[]>());
  const wanted = search.trim();
  const searching = wanted.length >= SEARCH_FROM;
  const roots = useApiQuery(tree.children, { query: { until } });
  const found = useApiQuery(tree.children, { query: { until, search: wanted }, enabled: searching, keep: true });
  const nodes = (searching ? found.data?.items : roots.data?.items) ?? [];

  const load = async (key: NodeKey) => {
    if (below.has(key)) return;
    const answer = await ensureApi(client, tree.children, { query: { until, root: key } });
    setBelow((old) => new Map(old).set(key, answer.items));
  };

  return { items: itemsOf(nodes, below), load, searching, query: searching ? found : roots };
}
