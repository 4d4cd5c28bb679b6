import { z } from 'zod';
import { listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus } from '../states/device.ts';

/** Kinds of node of the network tree, from its roots to its leaves. */
export const NODE_KINDS = ['level', 'transformer', 'dcu', 'meter'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

/** Key of a node, such as `transformer:3`. Ids alone are ambiguous because they are unique within their kind only. */
export type KeyOf<K extends NodeKind> = `${K}:${string}`;

const keyOfKinds = <const K extends readonly NodeKind[]>(kinds: K) => z.templateLiteral([z.enum(kinds), ':', z.string().regex(/\d{1,19}/)]);

/** Node keys are `level:12`, `transformer:3`, `dcu:7`, `meter:99`. */
export const nodeKey = keyOfKinds(NODE_KINDS);
export type NodeKey = KeyOf<NodeKind>;

export const levelKey = keyOfKinds(['level']);

/** Kinds of node that a network area may consist of. */
export const AREA_KINDS = ['level', 'transformer'] as const;
export const areaKey = keyOfKinds(AREA_KINDS);
export type AreaKey = z.infer<typeof areaKey>;

const NODE_KEY = new RegExp(`^(?:${NODE_KINDS.join('|')}):\\d{1,19}$`);
/** Whether a text is a node key, without the schema library. */
export const isNodeKey = (text: string): text is NodeKey => NODE_KEY.test(text);

/** Id of a key whose kind is known to the compiler; a key of another kind does not compile. */
export const idIn = <K extends NodeKind>(kind: K, key: KeyOf<K>): string => key.slice(kind.length + 1);

export type NodeRef = { [K in NodeKind]: { kind: K; id: string } }[NodeKind];

/** Parses a node key: `dcu:7` is the DCU with id 7. */
export function nodeOf(key: NodeKey): NodeRef {
  const colon = key.indexOf(':');
  // as: the type of a key admits no other kinds.
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) } as NodeRef;
}

const common = {
  /** Name of a level or transformer; serial number of a device. */
  title: z.string(),
  parentKey: nodeKey.nullable(),
  isLeaf: z.boolean(),
  /** Number of meters at or below the node that the caller may see. */
  meters: z.number().int(),
  onlineStatus: dcuOnlineStatus.nullable(),
};

/** A node of the tree. It has no separate id, so that ids of different kinds cannot be confused. */
export const treeNode = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('level'), key: levelKey, ...common }),
  z.object({ kind: z.literal('transformer'), key: keyOfKinds(['transformer']), ...common }),
  z.object({ kind: z.literal('dcu'), key: keyOfKinds(['dcu']), ...common }),
  z.object({ kind: z.literal('meter'), key: keyOfKinds(['meter']), ...common }),
]);
export type TreeNode = z.infer<typeof treeNode>;

/** Builds a node; its kind follows from its key. */
export const nodeFrom = (key: NodeKey, rest: Omit<TreeNode, 'key' | 'kind'>): TreeNode =>
  ({ ...rest, key, kind: nodeOf(key).kind }) as TreeNode; // as: the kind is that of the key

export const tree = {
  children: route({
    method: 'GET',
    path: '/asset/tree',
    summary: 'Children of a node, the roots without `root`, or the nodes that match a search, down to a kind of node',
    allow: 'signed-in',
    query: z.object({
      root: nodeKey.optional(),
      search: z.string().max(64).optional(),
      until: z.enum(NODE_KINDS).default('meter'),
    }),
    response: listOf(treeNode),
  }),
  path: route({
    method: 'GET',
    path: '/asset/tree/path',
    summary: 'Keys of the nodes from the root down to a node, which is the last one; none if the caller does not see it in the tree',
    allow: 'signed-in',
    query: z.object({ node: nodeKey }),
    response: z.object({ keys: z.array(nodeKey) }),
  }),
};
