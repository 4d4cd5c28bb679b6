import { z } from 'zod';
import { route } from '../core/route.ts';

export const health = {
  get: route({
    method: 'GET',
    path: '/health',
    summary: 'Ready to serve?',
    allow: 'public',
    response: z.object({ status: z.literal('ok'), uptimeSeconds: z.number() }),
    errors: ['UNAVAILABLE'],
  }),
};
