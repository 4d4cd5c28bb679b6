import { isNodeKey, tree, type NodeKey } from '@hes/contract/asset/tree.ts';
import { useEffect, useEffectEvent, useMemo, type RefObject } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';

/** Loads the branches above a node and returns their keys, so that a node from an address is in sight. Empty until they are known. */
export function useAncestors(node: string | undefined, load: (key: NodeKey) => Promise<void>): ReadonlySet<NodeKey> {
  const key = node !== undefined && isNodeKey(node) ? node : undefined;
  const { data } = useApiQuery(tree.path, { query: { node: key ?? 'level:0' }, enabled: key !== undefined, staleMs: Infinity });
  const above = useMemo(() => new Set(data?.keys.slice(0, -1)), [data]);
  const loadBranch = useEffectEvent((branch: NodeKey) => {
    // A branch that cannot be loaded stays closed; the user can open it again.
    load(branch).catch(() => undefined);
  });
  useEffect(() => {
    for (const branch of above) loadBranch(branch);
  }, [above]);
  return above;
}

/** Scrolls the chosen row into the window of the tree as soon as it is drawn. */
export function useRowInSight(box: RefObject<HTMLElement | null>, key: string | undefined, isDrawn: boolean): void {
  useEffect(() => {
    if (key === undefined || !isDrawn) return undefined;
    const frame = requestAnimationFrame(() => {
      const row = box.current?.querySelector('.ant-tree-treenode-selected, .ant-tree-treenode-checkbox-checked');
      row?.scrollIntoView({ block: 'nearest' });
    });
    return () => cancelAnimationFrame(frame);
  }, [box, key, isDrawn]);
}
