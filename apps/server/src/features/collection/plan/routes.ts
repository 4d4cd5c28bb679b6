import { plan } from '@hes/contract/reading/plan.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { planSheet } from './export-plans.ts';
import { planList } from './import-plans.ts';
import { previewPlan } from './preview.ts';
import { getPlan, listPlans, listRuns } from './queries.ts';
import { changePlan, createPlan, enablePlan, orderRun, removePlan } from './service.ts';
import { listChoices } from './targets-queries.ts';

const calls = implement(plan, {
  list: ({ ctx, user, query }) => listPlans(ctx.db, user, query),
  choices: async ({ ctx, user, query }) => ({ items: await listChoices(ctx.db, user, query) }),
  get: ({ ctx, user, params }) => getPlan(ctx.db, user, params.id),
  create: ({ ctx, user, body, wire }) => createPlan(ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changePlan(ctx, { user, ip: wire.ip }, params.id, body),
  remove: ({ ctx, user, params, wire }) => removePlan(ctx, { user, ip: wire.ip }, params.id),
  enable: ({ ctx, user, params, body, wire }) => enablePlan(ctx, { user, ip: wire.ip }, params.id, body.enabled),
  run: ({ ctx, user, params, wire }) => orderRun(ctx, { user, ip: wire.ip }, params.id),
  runs: ({ ctx, user, params, query }) => listRuns(ctx.db, user, params.id, query),
  preview: ({ ctx, user, body, locale }) => previewPlan(ctx, user, body, locale),
});

export const planRoutes = [...calls, ...exportRoutes(planSheet), ...importRoutes(planList)];
