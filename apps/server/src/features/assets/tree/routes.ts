import { tree } from '@hes/contract/asset/tree.ts';
import { implement } from '#http/implement.ts';
import { findChildren, findPath, searchNodes } from './queries.ts';

export const treeRoutes = implement(tree, {
  children: async ({ ctx, user, query }) => {
    const text = query.search?.trim();
    return { items: text ? await searchNodes(ctx.db, user, text, query.until) : await findChildren(ctx.db, user, query.root, query.until) };
  },
  path: async ({ ctx, user, query }) => ({ keys: await findPath(ctx.db, user, query.node) }),
});
