import { phase } from '@hes/contract/analysis/phase.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { balanceOf } from './balance-queries.ts';
import { accept, writeToArchive } from './decide.ts';
import { factSheet, phaseSheet } from './export-phases.ts';
import { factsOf } from './facts-queries.ts';
import { identify } from './identify.ts';
import { listPhases, summarise } from './queries.ts';
import { sendToField } from './send.ts';
import { whatIf } from './what-if.ts';

const calls = implement(phase, {
  balance: ({ ctx, user, params, query }) => balanceOf(ctx, user, params.transformerId, query),
  list: ({ ctx, user, query }) => listPhases(ctx.db, user, query),
  summary: ({ ctx, user, params }) => summarise(ctx, user, params.transformerId),
  identify: ({ ctx, user, params }) => identify(ctx, user, params.transformerId),
  accept: ({ ctx, user, wire, body }) => accept(ctx, { user, ip: wire.ip }, body),
  write: ({ ctx, user, wire, body }) => writeToArchive(ctx, { user, ip: wire.ip }, body.meterIds),
  send: ({ ctx, user, wire, body }) => sendToField(ctx, { user, ip: wire.ip }, body.meterIds),
  whatIf: ({ ctx, user, params, query }) => whatIf(ctx, user, params.transformerId, query),
  facts: ({ ctx, user, query }) => factsOf(ctx, user, query),
});

export const phaseRoutes = [...calls, ...exportRoutes(phaseSheet), ...exportRoutes(factSheet)];
