import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import type { ParamsFor } from '@hes/contract/orders/order-params.ts';

const DAYS = { from: '2026-01-01', to: '2026-01-02' };

/** Kinds that accept no params at all, or only such as have a default. */
type Undemanding = { [K in TaskKind]: object extends ParamsFor<K> ? K : never }[TaskKind];

/** Params that an order accepts, for tests in which they do not matter. */
const SAMPLES: { [K in Exclude<TaskKind, Undemanding>]: ParamsFor<K> } & { [K in Undemanding]?: ParamsFor<K> } = {
  registers: { items: ['E_PLUS'] },
  daily: DAYS,
  monthly: DAYS,
  energy: DAYS,
  lpa: DAYS,
  lpb: DAYS,
  real_time: { groups: ['energy'], keep: false },
  collect: { profiles: ['lpa'], lookBackDays: 2 },
  audit_readings: DAYS,
  dcu_config_read: { keys: [] },
  dcu_config_write: { values: { heartbeat_s: '120' } },
  discovery: { mode: 'both', minutes: 10 },
  discovery_identify: { ids: [] },
  learn: { typeId: '1', meterSn: 'M1' },
  conformance: { typeId: '1', dcuSn: 'D1', objects: [] },
  topology_switch: { operation: 'report_on' },
  station_ping: { mac: '010203040506', count: 1, intervalS: 1 },
  station_restart: { mac: '010203040506', boots: 1 },
  upgrade: { jobId: '1' },
  bill: { periodId: '1', ...DAYS },
  phase: { transformerId: '1' },
};

export const sampleParams = <K extends TaskKind>(kind: K): ParamsFor<K> => (SAMPLES[kind] ?? {}) as ParamsFor<K>; // as: the kind's own, or one without any
