import { upgradeRecord } from '@hes/contract/upgrade/record.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { upgradeRecordSheet } from './export-records.ts';
import { findWall, listRecords, summariseRecords } from './queries.ts';
import { getLog, getRecord, retryRecords, skipRecords, stopChosen } from './service.ts';

const records = implement(upgradeRecord, {
  list: ({ ctx, user, query }) => listRecords(ctx, user, query),
  summary: ({ ctx, user, query }) => summariseRecords(ctx.db, user, query),
  byDcu: ({ ctx, user, query }) => findWall(ctx.db, user, query.jobId),
  get: ({ ctx, user, params }) => getRecord(ctx, user, params.id),
  log: ({ ctx, user, params }) => getLog(ctx, user, params.id),
  retry: ({ ctx, user, body, wire }) => retryRecords(ctx, { user, ip: wire.ip }, body),
  skip: ({ ctx, user, body, wire }) => skipRecords(ctx, { user, ip: wire.ip }, body.ids, body.reason),
  stop: ({ ctx, user, body, wire }) => stopChosen(ctx, { user, ip: wire.ip }, body.ids, body.reason),
});

export const upgradeRecordRoutes = [...records, ...exportRoutes(upgradeRecordSheet)];
