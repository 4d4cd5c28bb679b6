import { tree } from '@hes/contract/asset/tree.ts';
import { implement } from '#http/implement.ts';
import { findChildren, searchNodes } from './queries.ts';

export const treeRoutes = implement(tree, {
  children: async ({ ctx, user, query }) => {
    const text = query.search?.trim();
    return { items: text ? await searchNodes(ctx.db, user, text, query.until) : await findChildren(ctx.db, user, query.root, query.until) };
  },
});
