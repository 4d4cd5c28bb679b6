import { task } from '@hes/contract/task/task.ts';
import { implement } from '#http/implement.ts';
import { findWall, listTaskItems, listTasks } from './queries.ts';
import { changeTask, getTask, rerunTask } from './service.ts';

export const taskRoutes = implement(task, {
  list: ({ ctx, user, query }) => listTasks(ctx.db, user, query),
  get: ({ ctx, user, params }) => getTask(ctx, user, params.id),
  items: async ({ ctx, user, params, query }) => {
    await getTask(ctx, user, params.id);
    return listTaskItems(ctx.db, user, params.id, query);
  },
  byDcu: async ({ ctx, user, params }) => {
    await getTask(ctx, user, params.id);
    return { items: await findWall(ctx.db, user, params.id) };
  },
  pause: ({ ctx, user, wire, params }) => changeTask(ctx, { user, ip: wire.ip }, params.id, 'pause'),
  resume: ({ ctx, user, wire, params }) => changeTask(ctx, { user, ip: wire.ip }, params.id, 'resume'),
  cancel: ({ ctx, user, wire, params }) => changeTask(ctx, { user, ip: wire.ip }, params.id, 'cancel'),
  rerun: ({ ctx, user, params, body, wire }) => rerunTask(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  retry: ({ ctx, user, wire, params }) => changeTask(ctx, { user, ip: wire.ip }, params.id, 'retry'),
});
