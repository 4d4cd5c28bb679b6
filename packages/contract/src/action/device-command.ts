import { z } from 'zod';
import { taskRef } from '../core/page.ts';
import { route, type Route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import type { Order } from '../orders/define-order.ts';
import type { PagePath } from '../page/paths.ts';
import { COMMAND_KINDS, ORDERS, type TaskKind } from '../orders/every-order.ts';
import { deviceRef, MAX_DEVICES_PER_ORDER } from './device-order.ts';

const REASON_MAX = 256;

/** Fields common to the orders of all commands. */
const order = z.object({
  devices: z.array(deviceRef).min(1, RULES.selectData.en).max(MAX_DEVICES_PER_ORDER),
  /** Hours for which an item waits for an offline device; 0: it fails immediately. */
  waitHours: z.number().int().min(0).max(72).default(0),
});
const reason = z.string().trim().min(1, RULES.reason.en).max(REASON_MAX);

/** Parsed body of any command route. */
export type DeviceCommand = z.output<typeof order> & { params: Record<string, unknown>; reason?: string | undefined };

export interface CommandRoute extends Route {
  allow: { page: PagePath; action: 'execute' | 'configure' };
  body: z.ZodType<DeviceCommand>;
  response: typeof taskRef;
}

const commandRoute = (kind: TaskKind): CommandRoute => {
  const { words, page, danger, changesDevice, params }: Order = ORDERS[kind];
  return route({
    method: 'POST',
    path: `${page}/${kind.replaceAll('_', '-')}`,
    summary: `Order: ${words.name.en}`,
    // Orders that transfer keys need the right to configure, not the one to execute.
    allow: { page, action: danger === 'keys' ? 'configure' : 'execute' },
    endangers: danger,
    body: order.extend({ params: z.object(params), reason: changesDevice ? reason : reason.optional() }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND'],
  });
};

/** One route per command that the page of device commands offers. */
export const deviceCommand: Readonly<Record<string, CommandRoute>> = Object.fromEntries(
  COMMAND_KINDS.map((kind) => [kind, commandRoute(kind)]),
);
