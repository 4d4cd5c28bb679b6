import { read } from '@hes/contract/action/read.ts';
import { implement } from '#http/implement.ts';
import { orderReading } from './service.ts';

export const readRoutes = implement(read, {
  onDemand: ({ ctx, user, body }) => orderReading(ctx, user, body),
});
