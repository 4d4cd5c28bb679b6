import { z } from 'zod';
import type { AuditAction } from '../audit/actions.ts';
import { declaredOrders } from './declared-orders.ts';
import type { Order } from './define-order.ts';

/** Every order by its kind, which is `task.kind` and `task_item.kind` in the database. */
export const ORDERS = declaredOrders satisfies Record<string, Order>;

export type TaskKind = keyof typeof ORDERS;
/** Orders that the server computes from stored data. */
export type ComputedKind = { [K in TaskKind]: (typeof ORDERS)[K]['target'] extends 'server' ? K : never }[TaskKind];
export type DeviceTaskKind = Exclude<TaskKind, ComputedKind>;

export const KINDS = Object.keys(ORDERS) as TaskKind[]; // as: the keys of that very table
export const taskKind = z.enum(KINDS);

/** The declaration of a kind of task; undefined for a kind of a later version. */
export const orderOf = (kind: string): Order | undefined => (Object.hasOwn(ORDERS, kind) ? ORDERS[kind as TaskKind] : undefined); // as: just looked up

/** Kinds whose declaration has a property, in the order of their declaration. */
export const kindsWhere = (is: (order: Order) => boolean): TaskKind[] => KINDS.filter((kind) => is(ORDERS[kind]));

/** Orders that the page of device commands offers. */
export const COMMAND_KINDS = kindsWhere(({ command }) => command !== null);

/** Audit action of the order; null for readings without an audit row. */
export function auditActionOf(kind: TaskKind, params: Record<string, unknown>): AuditAction | null {
  const { audit, modes }: Order = ORDERS[kind];
  return modes?.[String(params['mode'])]?.audit ?? audit;
}
