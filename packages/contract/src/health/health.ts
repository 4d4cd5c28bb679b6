import { z } from 'zod';
import { route } from '../core/route.ts';

export const health = {
  get: route({
    method: 'GET',
    path: '/health',
    summary: 'Health check: whether the server is ready',
    allow: 'public',
    response: z.object({ status: z.literal('ok'), uptimeSeconds: z.number() }),
    errors: ['UNAVAILABLE'],
  }),
};
