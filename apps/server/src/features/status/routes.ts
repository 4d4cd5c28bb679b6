import { meterStatus } from '@hes/contract/status/meter-status.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { meterFactsOf } from './meter-service.ts';

export const statusRoutes: Implemented[] = implement(meterStatus, {
  get: ({ ctx, user, params }) => meterFactsOf(ctx, user, params.id),
});
