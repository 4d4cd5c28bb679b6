import { isNodeKey, tree, type NodeKey, type NodeKind, type TreeNode } from '@hes/contract/asset/tree.ts';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { ensureApi } from '#core/api/hooks.ts';
import { useSession } from '#core/session/session.ts';
import { lastNode, rememberNode } from './last-node.ts';

/** Branches to look into for the first node of a kind. A network whose first branches are empty opens nothing. */
const LOOKED_INTO = 20;

async function childrenOf(client: QueryClient, until: NodeKind, root: NodeKey | undefined): Promise<TreeNode[]> {
  return (await ensureApi(client, tree.children, { query: { until, root } })).items;
}

/** The node of a key, if the tree contains it for this user. */
async function findNode(client: QueryClient, until: NodeKind, key: NodeKey): Promise<TreeNode | undefined> {
  const { keys } = await ensureApi(client, tree.path, { query: { node: key } });
  return keys.length === 0 ? undefined : (await childrenOf(client, until, keys.at(-2))).find((node) => node.key === key);
}

/** The first node of a kind with meters, branch by branch. */
async function findFirst(client: QueryClient, kind: NodeKind): Promise<TreeNode | undefined> {
  const waiting: (NodeKey | undefined)[] = [undefined];
  for (let looked = 0; waiting.length > 0 && looked < LOOKED_INTO; looked += 1) {
    const nodes = (await childrenOf(client, kind, waiting.shift())).filter(({ meters }) => meters > 0);
    const found = nodes.find((node) => node.kind === kind);
    if (found) return found;
    waiting.unshift(...nodes.map(({ key }) => key));
  }
  return undefined;
}

/**
 * Chooses a node for the user when the page opens without one: the last one of this kind, otherwise the first with meters.
 * A choice made meanwhile has precedence.
 */
export function useOpening(
  kind: NodeKind | undefined,
  selected: string | undefined,
  onSelect: ((node: TreeNode) => void) | undefined,
): void {
  const client = useQueryClient();
  const userId = useSession(({ user }) => user?.id ?? '');
  const select = useEffectEvent((node: TreeNode) => onSelect?.(node));
  const isMissing = selected === undefined;

  useEffect(() => {
    if (selected !== undefined && isNodeKey(selected)) rememberNode(userId, selected);
  }, [userId, selected]);

  useEffect(() => {
    if (kind === undefined || !isMissing) return undefined;
    let isLate = false;
    const open = async () => {
      const last = lastNode(userId, kind);
      const node = (last && (await findNode(client, kind, last))) ?? (await findFirst(client, kind));
      if (node && !isLate) select(node);
    };
    // The page asks for a choice when none could be made.
    open().catch(() => undefined);
    return () => {
      isLate = true;
    };
  }, [client, userId, kind, isMissing]);
}

/** The same for a page with a list of DCUs in place of the tree. */
export function useOpeningDcu<T extends { dcuId: string }>(
  dcus: readonly T[] | undefined,
  selected: string | undefined,
  onSelect: (dcu: T) => void,
): void {
  const userId = useSession(({ user }) => user?.id ?? '');
  const select = useEffectEvent(() => {
    const last = lastNode(userId, 'dcu');
    const chosen = dcus?.find(({ dcuId }) => `dcu:${dcuId}` === last) ?? dcus?.[0];
    if (chosen) onSelect(chosen);
  });
  const isMissing = selected === undefined;
  const isKnown = dcus !== undefined;
  useEffect(() => {
    if (selected !== undefined && isNodeKey(`dcu:${selected}`)) rememberNode(userId, `dcu:${selected}`);
  }, [userId, selected]);
  useEffect(() => {
    if (isMissing && isKnown) select();
  }, [isMissing, isKnown]);
}
