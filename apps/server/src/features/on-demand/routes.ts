import { read } from '@hes/contract/action/read.ts';
import { implement } from '#http/implement.ts';
import { listUnsupported } from '#features/assets/port.ts';
import { orderReading } from './service.ts';

export const readRoutes = implement(read, {
  unsupported: async ({ ctx }) => ({ items: (await listUnsupported(ctx.db)).filter(({ isLearnt, key }) => isLearnt && key !== null) }),
  onDemand: ({ ctx, user, body, wire }) => orderReading(ctx, { user, ip: wire.ip }, body),
});
