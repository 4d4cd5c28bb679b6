import { z } from 'zod';
import { route } from '../core/route.ts';
import { nodeRole } from '../states/node.ts';

export const health = {
  get: route({
    method: 'GET',
    path: '/health',
    summary: 'Health check: whether the server is ready',
    allow: 'public',
    response: z.object({ status: z.literal('ok'), uptimeSeconds: z.number() }),
    errors: ['UNAVAILABLE'],
  }),
  /** Also at `/livez`. Asks nothing else, so that an outage of the database restarts no head-end. */
  live: route({
    method: 'GET',
    path: '/livez',
    summary: 'Liveness: the process answers',
    allow: 'public',
    response: z.object({ status: z.literal('ok') }),
  }),
  /** Also at `/readyz`. Fails with `NOT_READY` (503), whose `missing` lists the reasons. */
  ready: route({
    method: 'GET',
    path: '/readyz',
    summary: 'Readiness: whether a balancer may send callers and devices to this head-end',
    allow: 'public',
    response: z.object({
      status: z.literal('ok'),
      /** Roles that no head-end on the database has; absent: each has one. They do not make this one unready. */
      unfilledRoles: z.array(nodeRole).optional(),
    }),
    errors: ['NOT_READY'],
  }),
};
