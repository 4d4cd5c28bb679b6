import { z } from 'zod';
import { id, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus } from '../states/device.ts';

/** Node keys are `level:12`, `transformer:3`, `dcu:7`, `meter:99`: one word tells kind and id. */
export const nodeKey = z.string().regex(/^(level|transformer|dcu|meter):\d{1,19}$/);

export type NodeKey = z.infer<typeof nodeKey>;

export const treeNode = z.object({
  key: nodeKey,
  kind: z.enum(['level', 'transformer', 'dcu', 'meter']),
  id,
  /** A level's or transformer's name, a device's serial number. */
  title: z.string(),
  parentKey: nodeKey.nullable(),
  isLeaf: z.boolean(),
  meters: z.number().int(),
  onlineStatus: dcuOnlineStatus.nullable(),
});
export type TreeNode = z.infer<typeof treeNode>;

export const tree = {
  children: route({
    method: 'GET',
    path: '/asset/tree',
    summary: 'Children of a node (roots without one), or what a search finds',
    allow: 'signed-in',
    query: z.object({
      root: nodeKey.optional(),
      search: z.string().max(64).optional(),
      until: z.enum(['level', 'transformer', 'dcu', 'meter']).default('meter'),
    }),
    response: listOf(treeNode),
  }),
};
