import { role } from '@hes/contract/manager/role.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { listModules } from '#features/people/menu/queries.ts';
import { roleSheet } from './export-roles.ts';
import { listRoles } from './queries.ts';
import { changeRole, createRole, getPermission, getRole, removeRole, sealRole, setPermission } from './service.ts';

export const roleRoutes: Implemented[] = [
  ...exportRoutes(roleSheet),
  ...implement(role, {
    list: ({ ctx, query }) => listRoles(ctx.db, query),
    modules: async ({ ctx }) => ({ items: await listModules(ctx.db) }),
    get: ({ ctx, params }) => getRole(ctx.db, params.id),
    create: ({ ctx, user, body, wire }) => createRole(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeRole(ctx, { user, ip: wire.ip }, { id: params.id, ...body }),
    remove: ({ ctx, user, params, wire }) => removeRole(ctx, { user, ip: wire.ip }, params.id),
    seal: ({ ctx, user, params, body, wire }) => sealRole(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    permission: ({ ctx, user, params }) => getPermission(ctx.db, user, params.id),
    setPermission: ({ ctx, user, params, body, wire }) => setPermission(ctx, { user, ip: wire.ip }, { id: params.id, ...body }),
  }),
];
