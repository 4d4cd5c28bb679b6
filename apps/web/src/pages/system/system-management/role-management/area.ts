import { nodeFrom, nodeOf, type AreaKey, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import type { AreaNode, RoleArea, RoleAreaChoice } from '@hes/contract/manager/area.ts';
import type { Permission } from '@hes/contract/manager/role.ts';

export interface ChosenNode {
  key: AreaKey;
  /** Null: outside the user's own area. */
  title: string | null;
  /** The levels above it, topmost first; empty when unknown. */
  above: AreaNode['above'];
  meters: number;
}

/** The area in the editor. `kind` is undefined until one of the three is chosen: there is no default. */
export interface AreaDraft {
  kind: RoleArea['kind'] | undefined;
  /** Kept while another kind is chosen, so that a misclick loses nothing. */
  nodes: ChosenNode[];
}

/** A role without permissions has no area chosen yet; for any other role `none` was a choice. */
export function draftOf({ area, moduleIds }: Permission): AreaDraft {
  if (area.kind === 'nodes') return { kind: 'nodes', nodes: area.nodes };
  const wasChosen = area.kind === 'whole' || moduleIds.length > 0;
  return { kind: wasChosen ? area.kind : undefined, nodes: [] };
}

/** The request body; undefined while no area, or no node of it, is chosen. */
export function choiceOf({ kind, nodes }: AreaDraft): RoleAreaChoice | undefined {
  if (kind === undefined) return undefined;
  if (kind !== 'nodes') return { kind };
  return nodes.length === 0 ? undefined : { kind, nodes: nodes.map(({ key }) => key) };
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
