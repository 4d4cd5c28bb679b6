import type { ParamsFor, TaskKind } from '@hes/contract/orders/every-order.ts';

const DAYS = { from: '2026-01-01', to: '2026-01-02' };

/** Params that an order accepts, for tests in which they do not matter. */
const SAMPLES: { [K in TaskKind]: ParamsFor<K> } = {
  registers: { items: ['E_PLUS'] },
  daily: DAYS,
  monthly: DAYS,
  energy: DAYS,
  lpa: DAYS,
  lpb: DAYS,
  real_time: { groups: ['energy'], keep: false },
  collect: { profiles: ['lpa'], lookBackDays: 2 },
  refill: {},
  audit_readings: DAYS,
  events: {},
  clock_read: {},
  clock_sync: {},
  clock_broadcast: {},
  relay_read: {},
  relay_disconnect: {},
  relay_connect: {},
  relay_arm: {},
  dcu_test: {},
  dcu_read_info: {},
  dcu_restart: {},
  dcu_factory: {},
  dcu_config_read: { keys: [] },
  dcu_config_write: { values: { heartbeat_s: '120' } },
  dcu_tasks: {},
  archive_compare: {},
  archive_dispatch: {},
  discovery: { mode: 'both', minutes: 10 },
  discovery_clear: {},
  discovery_identify: { ids: [] },
  learn: { typeId: '1', meterSn: 'M1' },
  conformance: { typeId: '1', dcuSn: 'D1', objects: [] },
  topology: {},
  topology_switch: { operation: 'report_on' },
  modules: {},
  station_ping: { mac: '010203040506', count: 1, intervalS: 1 },
  station_restart: { mac: '010203040506', boots: 1 },
  upgrade: { jobId: '1' },
  bill: { periodId: '1', ...DAYS },
  phase: { transformerId: '1' },
};

export const sampleParams = <K extends TaskKind>(kind: K): ParamsFor<K> => SAMPLES[kind];
