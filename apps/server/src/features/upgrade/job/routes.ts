import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { getFirmware } from '#features/upgrade/firmware/service.ts';
import { upgradeJobSheet } from './export-jobs.ts';
import { preflight } from './preflight.ts';
import { countByStatus, listJobs } from './queries.ts';
import { getJob, getReport, startJob, turnJob } from './service.ts';

export const upgradeJobRoutes: Implemented[] = [
  ...exportRoutes(upgradeJobSheet),
  ...implement(upgradeJob, {
    preflight: async ({ ctx, user, body }) => preflight(ctx.db, user, await getFirmware(ctx.db, user, body.firmwareId), body),
    create: ({ ctx, user, body, wire }) => startJob(ctx, { user, ip: wire.ip }, body),
    list: ({ ctx, user, query }) => listJobs(ctx, user, query),
    get: async ({ ctx, user, params }) => ({
      ...(await getJob(ctx, user, params.id)),
      byStatus: await countByStatus(ctx.db, user, params.id),
    }),
    report: ({ ctx, user, params, locale }) => getReport(ctx, user, params.id, locale),
    pause: ({ ctx, user, params, wire }) => turnJob(ctx, { user, ip: wire.ip }, params.id, 'pause'),
    resume: ({ ctx, user, params, wire }) => turnJob(ctx, { user, ip: wire.ip }, params.id, 'resume'),
    stop: ({ ctx, user, params, wire }) => turnJob(ctx, { user, ip: wire.ip }, params.id, 'stop'),
    continueRing: ({ ctx, user, params, wire }) => turnJob(ctx, { user, ip: wire.ip }, params.id, 'continueRing'),
  }),
];
