import { randomUUID } from 'node:crypto';

interface Order {
  path: string;
  body: object;
}

export interface Devices {
  meterIds: string[];
  /** All meters of the DCU: the applicable relay commands depend on the control mode, which is known once it has been read. */
  allMeterIds: string[];
  dcuIds: string[];
  yesterday: string;
}

const ITEMS = ['E_PLUS', 'E_MINUS', 'U1', 'I1', 'P_PLUS', 'PF'];
const REASON = 'Comparison of screen and file';
const ON_DEMAND = '/action/read/on-demand';
const SWITCHING = '/action/relay';
/** Limit of one user without approval. */
const MOST_SWITCHED = 2;

/** One order for each kind of run, by kind. Upgrades are followed by their list. */
export const ordersOf = ({ meterIds, allMeterIds, dcuIds, yesterday }: Devices): Record<string, Order> => {
  const reading = (kind: string): Order => ({
    path: ON_DEMAND,
    body: { meterIds, kind, items: kind === 'registers' ? ITEMS : [], ...(kind === 'registers' ? {} : { from: yesterday, to: yesterday }) },
  });
  const switching = (operation: string): Order => ({
    path: SWITCHING,
    body: { requestId: randomUUID(), meterIds: allMeterIds, operation, reason: REASON, workOrder: 'WO-1' },
  });
  const meters = meterIds.map((id) => ({ kind: 'meter', id }));
  return {
    registers: reading('registers'),
    daily: reading('daily'),
    monthly: reading('monthly'),
    energy: reading('energy'),
    lpa: reading('lpa'),
    lpb: reading('lpb'),
    real_time: { path: '/action/read/real-time', body: { meterIds } },
    events: { path: '/action/read/event', body: { devices: meters, logs: ['standard'], last: 5 } },
    clock_read: { path: '/action/clock', body: { devices: [...meters, ...dcuIds.map((id) => ({ kind: 'dcu', id }))], operation: 'read' } },
    clock_sync: { path: '/action/clock', body: { devices: meters, operation: 'sync', reason: REASON } },
    clock_broadcast: {
      path: '/action/clock',
      body: { devices: dcuIds.map((id) => ({ kind: 'dcu', id })), operation: 'broadcast', reason: REASON },
    },
    relay_read: { path: '/action/relay/read', body: { meterIds: allMeterIds } },
    relay_disconnect: switching('disconnect'),
    relay_connect: switching('connect'),
    relay_arm: switching('arm'),
    billing_period_read: { path: '/action/device-command/billing-period-read', body: { devices: meters, params: {} } },
    billing_period_set: {
      path: '/action/device-command/billing-period-set',
      body: { devices: meters, params: { dayOfMonth: 2, hour: 1 }, reason: REASON },
    },
    demand_reset: { path: '/action/device-command/demand-reset', body: { devices: meters, params: {}, reason: REASON } },
    key_transfer: { path: '/action/device-command/key-transfer', body: { devices: meters, params: {}, reason: REASON } },
    dcu_config_read: { path: '/action/dcu-config-order/read', body: { dcuIds } },
    dcu_restart: { path: `/action/dcu-config/${dcuIds.at(-1)}/restart`, body: { reason: REASON } },
    archive_compare: { path: '/asset/archive/compare', body: { dcuIds } },
    discovery: { path: '/asset/discovery', body: { dcuIds: dcuIds.slice(0, 1) } },
  };
};

/** The order, limited to the first meters whose relay accepts it. */
export async function possible(order: Order, ask: <T>(path: string, body: object) => Promise<T>): Promise<Order> {
  if (order.path !== SWITCHING) return order;
  const { meterIds, operation } = order.body as { meterIds: string[]; operation: string }; // as: written above
  const { targets } = await ask<{ targets: { meterId: string }[] }>(`${SWITCHING}/preview`, { meterIds, operation });
  return { ...order, body: { ...order.body, meterIds: targets.slice(0, MOST_SWITCHED).map(({ meterId }) => meterId) } };
}
