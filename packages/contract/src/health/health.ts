import { z } from 'zod';
import { route } from '../core/route.ts';
import { nodeRole } from '../states/node.ts';

/** How old the backups of the built-in database are. They do not make a head-end unready. */
const backupHealth = z.object({
  /** Age of the newest backup; null: there is none. */
  newestAgeSeconds: z.number().nullable(),
  /** Age of the newest backup that was restored and started for a test. */
  verifiedAgeSeconds: z.number().nullable(),
  hasFailed: z.boolean(),
  isTooOld: z.boolean(),
});

export const health = {
  get: route({
    method: 'GET',
    path: '/health',
    summary: 'Health check: whether the server is ready',
    allow: 'public',
    response: z.object({
      status: z.literal('ok'),
      uptimeSeconds: z.number(),
      /** Absent: the database is not built in, or HES_BACKUP_FOLDER is empty. */
      backup: backupHealth.optional(),
    }),
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
