import { randomUUID } from 'node:crypto';

interface Order {
  path: string;
  body: object;
}

export interface Devices {
  meterIds: string[];
  dcuIds: string[];
  yesterday: string;
}

const ITEMS = ['E_PLUS', 'E_MINUS', 'U1', 'I1', 'P_PLUS', 'PF'];
const REASON = 'Comparison of screen and file';
const ON_DEMAND = '/action/read/on-demand';

/** One order for each kind of run, by its kind. Upgrades are followed by their list. */
export const ordersOf = ({ meterIds, dcuIds, yesterday }: Devices): Record<string, Order> => {
  const reading = (kind: string): Order => ({
    path: ON_DEMAND,
    body: { meterIds, kind, items: kind === 'registers' ? ITEMS : [], ...(kind === 'registers' ? {} : { from: yesterday, to: yesterday }) },
  });
  const switching = (operation: string, of: readonly string[]): Order => ({
    path: '/action/relay',
    body: { requestId: randomUUID(), meterIds: of, operation, reason: REASON, workOrder: 'WO-1' },
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
    relay_read: { path: '/action/relay/read', body: { meterIds } },
    relay_disconnect: switching('disconnect', meterIds.slice(0, 2)),
    relay_connect: switching('connect', meterIds.slice(0, 1)),
    relay_arm: switching('arm', meterIds.slice(1, 2)),
    dcu_config_read: { path: '/action/dcu-config-order/read', body: { dcuIds } },
    dcu_restart: { path: `/action/dcu-config/${dcuIds.at(-1)}/restart`, body: { reason: REASON } },
    archive_compare: { path: '/asset/archive/compare', body: { dcuIds } },
    discovery: { path: '/asset/discovery', body: { dcuIds: dcuIds.slice(0, 1) } },
  };
};
