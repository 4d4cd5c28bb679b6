import { z } from 'zod';
import { id, idParams, instant } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { route } from '../core/route.ts';
import { authenticationType, closeReason, connectionType, dcuOnlineStatus } from '../states/device.ts';
import { CONNECTED_KINDS, GUIDED_ORDERS } from '../states/connecting.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { taskState } from '../task/task.ts';

export const connectedKind = z.enum(CONNECTED_KINDS);

/** Where devices reach the head-end. */
export const door = z.object({
  /** Addresses of this machine, without loopback; empty: only this machine reaches the port. */
  addresses: z.array(z.string()),
  port: z.number().int(),
  /** Certificates for TLS are required, possible, or not configured. */
  tls: z.enum(['none', 'optional', 'required']),
});
export type Door = z.infer<typeof door>;

/** A device that was registered lately and has not been read yet. */
export const unfinished = z.object({
  kind: connectedKind,
  id,
  sn: z.string(),
  typeName: z.string(),
  createdAt: instant,
  onlineStatus: dcuOnlineStatus,
});
export type Unfinished = z.infer<typeof unfinished>;

/** Devices of the demonstration utility; null: none are stored. */
export const demonstration = z.object({
  dcus: z.number().int(),
  meters: z.number().int(),
  /** `failed`: the last attempt to remove it failed, and nothing was removed. */
  state: z.enum(['present', 'removing', 'failed']),
});
export type Demonstration = z.infer<typeof demonstration>;

/** The last order of a step. */
const lastOrder = z.object({ taskId: id, itemId: id, state: taskState, at: instant });

/** A connection that ended or was refused, newest first. */
const attempt = z.object({
  openedAt: instant,
  remote: z.string(),
  closedAt: instant.nullable(),
  closeReason: closeReason.nullable(),
  closeDetail: z.string().nullable(),
});

export const progress = z.object({
  kind: connectedKind,
  id,
  sn: z.string(),
  typeId: id,
  typeName: z.string(),
  connectionType,
  host: z.string().nullable(),
  authenticationType,
  /** Whether all secrets that its authentication needs are stored. */
  hasKeys: z.boolean(),
  onlineStatus: dcuOnlineStatus,
  remote: z.string().nullable(),
  attempts: z.array(attempt),
  orders: z.record(z.enum(GUIDED_ORDERS), lastOrder.nullable()),
  /** Meters bound to it; for a direct meter itself. */
  meters: z.number().int(),
  /** Of these, meters in service, which plans collect. */
  active: z.number().int(),
  /** Meters that it found and that are not bound to it. */
  found: z.number().int(),
  /** The meter that the first reading is ordered from, and its newest reading. */
  meter: z.object({ id, sn: z.string(), lastReadAt: instant.nullable() }).nullable(),
});
export type Progress = z.infer<typeof progress>;

const page = PAGE_PATH.connect;

export const connecting = {
  overview: route({
    method: 'GET',
    path: '/asset/connecting',
    summary: 'Where devices reach the head-end, devices whose connection is unfinished, and the demonstration',
    allow: { page, action: 'view' },
    response: z.object({ door, unfinished: z.array(unfinished), demonstration: demonstration.nullable() }),
  }),
  progress: route({
    method: 'GET',
    path: '/asset/connecting/{id}',
    summary: 'How far the connection of a device is',
    allow: { page, action: 'view' },
    params: idParams,
    query: z.object({ kind: connectedKind.default('dcu') }),
    response: progress,
    errors: ['NOT_FOUND'],
  }),
  removeDemonstration: route({
    method: 'POST',
    path: '/asset/connecting/demonstration/removal',
    summary: 'Remove the demonstration: its devices, their readings and its network; logs of changes and commands remain',
    // As the settings, which it changes; asset clerks connect devices and do not delete a network.
    allow: { page: PAGE_PATH.modules, action: 'configure' },
    endangers: 'settings',
    body: reasonGiven,
    response: demonstration,
    status: 202,
    errors: ['VALIDATION', 'NOTHING_TO_DO'],
  }),
};
