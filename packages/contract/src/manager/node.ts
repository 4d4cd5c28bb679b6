import { z } from 'zod';
import { id, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { nodeEventKind, nodeRole, nodeState } from '../states/node.ts';

/** A run of the head-end: the present one of each name, or the last one of a name that does not run. */
export const nodeRow = z.object({
  id,
  name: z.string(),
  version: z.string(),
  state: nodeState,
  roles: z.array(nodeRole),
  startedAt: instant,
  /** Last sign of life. A node gives one every two seconds. */
  aliveAt: instant,
  /** Age of the last sign of life in seconds, by the clock of the database. */
  silentS: z.number().int(),
  /** Devices connected to it. */
  devices: z.number().int(),
  /** Work items that it has claimed and not finished. */
  leases: z.number().int(),
});
export type NodeRow = z.infer<typeof nodeRow>;

/** Whether another node takes over what a drained one had: its devices, if it communicates with devices. */
export const hasSuccessor = <N extends { id: string; roles: readonly string[]; isDraining: boolean }>(
  drained: N,
  open: readonly N[],
): boolean =>
  open.some(
    ({ id, roles, isDraining }) => id !== drained.id && !isDraining && (!drained.roles.includes('field') || roles.includes('field')),
  );

/** A birth, end or draining of a node. */
export const nodeEvent = z.object({
  id,
  at: instant,
  nodeName: z.string(),
  kind: nodeEventKind,
  /** Devices that it held, lost or handed over. */
  devices: z.number().int(),
  /** The user who ordered it; null: the head-end itself. */
  userName: z.string().nullable(),
});
export type NodeEvent = z.infer<typeof nodeEvent>;

const order = {
  allow: { page: PAGE_PATH.nodes, action: 'execute' },
  endangers: 'settings',
  params: z.object({ id }),
  errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'BEYOND_OWN_RIGHTS'],
} as const;

/** The head-ends on one database. Each order takes effect with the next sign of life of its node. */
export const node = {
  list: route({
    method: 'GET',
    path: '/manager/node',
    summary: 'The head-ends on this database, and what they hold',
    allow: { page: PAGE_PATH.nodes, action: 'view' },
    response: listOf(nodeRow),
  }),
  events: route({
    method: 'GET',
    path: '/manager/node/event',
    summary: 'The newest births, ends and drains of head-ends',
    allow: { page: PAGE_PATH.nodes, action: 'view' },
    response: listOf(nodeEvent),
  }),
  drain: route({
    ...order,
    method: 'POST',
    path: '/manager/node/{id}/drain',
    summary: 'Hand the work of a head-end over to others',
    response: z.void(),
    status: 204,
    errors: [...order.errors, 'LAST_NODE'],
  }),
  resume: route({
    ...order,
    method: 'POST',
    path: '/manager/node/{id}/resume',
    summary: 'Let a drained head-end take work again',
    response: z.void(),
    status: 204,
  }),
};
