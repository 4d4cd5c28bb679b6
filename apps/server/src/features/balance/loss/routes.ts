import { loss } from '@hes/contract/analysis/loss.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { listLosses } from './service.ts';

export const lossRoutes: Implemented[] = implement(loss, { list: ({ ctx, user, query }) => listLosses(ctx, user, query) });
