import { z } from 'zod';
import type { AuditAction } from '../states/audit.ts';
import { archiveOrders } from './archive.ts';
import { clockOrders } from './clock.ts';
import { computationOrders } from './computation.ts';
import { dcuOrders } from './dcu.ts';
import type { Order } from './define-order.ts';
import { deviceTypeOrders } from './device-type.ts';
import { discoveryOrders } from './discovery.ts';
import { eventOrders } from './event.ts';
import { readingOrders } from './reading.ts';
import { relayOrders } from './relay.ts';
import { topologyOrders } from './topology.ts';
import { upgradeOrders } from './upgrade.ts';

/** Every order by its kind, which is `task.kind` and `task_item.kind` in the database. */
export const ORDERS = {
  ...readingOrders,
  ...eventOrders,
  ...clockOrders,
  ...relayOrders,
  ...dcuOrders,
  ...archiveOrders,
  ...discoveryOrders,
  ...deviceTypeOrders,
  ...topologyOrders,
  ...upgradeOrders,
  ...computationOrders,
} satisfies Record<string, Order>;

export type TaskKind = keyof typeof ORDERS;
/** The params of an order as an operation receives them. */
export type ParamsOf<K extends TaskKind> = z.output<(typeof ORDERS)[K]['params']>;
/** The params of an order as a caller of `placeOrder` passes them. */
export type ParamsFor<K extends TaskKind> = z.input<(typeof ORDERS)[K]['params']>;
/** Orders that the server computes from stored data. */
export type ComputedKind = { [K in TaskKind]: (typeof ORDERS)[K]['target'] extends 'server' ? K : never }[TaskKind];
export type DeviceTaskKind = Exclude<TaskKind, ComputedKind>;

export const KINDS = Object.keys(ORDERS) as TaskKind[]; // as: the keys of that very table
export const taskKind = z.enum(KINDS);

/** The declaration of a kind of task; undefined for a kind of a later version. */
export const orderOf = (kind: string): Order | undefined => (Object.hasOwn(ORDERS, kind) ? ORDERS[kind as TaskKind] : undefined); // as: just looked up

/** Kinds whose declaration has a property, in the order of their declaration. */
export const kindsWhere = (is: (order: Order) => boolean): TaskKind[] => KINDS.filter((kind) => is(ORDERS[kind]));

/** What the audit log calls the order; null for readings without an audit row. */
export function auditActionOf(kind: TaskKind, params: Record<string, unknown>): AuditAction | null {
  const { audit, modes }: Order = ORDERS[kind];
  return modes?.[String(params['mode'])]?.audit ?? audit;
}
