import { customerStatus } from '@hes/contract/status/customer-status.ts';
import { dcuStatus } from '@hes/contract/status/dcu-status.ts';
import { meterStatus } from '@hes/contract/status/meter-status.ts';
import { transformerStatus } from '@hes/contract/status/transformer-status.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { searchCustomers } from './customer-queries.ts';
import { customerFactsOf } from './customer-service.ts';
import { dcuFactsOf } from './dcu-service.ts';
import { meterFactsOf } from './meter-service.ts';
import { transformerFactsOf } from './transformer-service.ts';

export const statusRoutes: Implemented[] = [
  ...implement(customerStatus, {
    get: ({ ctx, user, query }) => customerFactsOf(ctx, user, query.no),
    search: async ({ ctx, user, query }) => ({ items: await searchCustomers(ctx.db, user, query.text) }),
  }),
  ...implement(meterStatus, { get: ({ ctx, user, params }) => meterFactsOf(ctx, user, params.id) }),
  ...implement(dcuStatus, { get: ({ ctx, user, params }) => dcuFactsOf(ctx, user, params.id) }),
  ...implement(transformerStatus, { get: ({ ctx, user, params }) => transformerFactsOf(ctx, user, params.id) }),
];
