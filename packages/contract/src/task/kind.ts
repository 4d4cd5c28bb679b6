import { z } from 'zod';
import type { Danger } from '../core/guard.ts';

/** Every kind of task that the head-end orders from devices, or computes by itself. */
export const taskKind = z.enum([
  'registers',
  'daily',
  'monthly',
  'energy',
  'lpa',
  'lpb',
  'real_time',
  'collect',
  'refill',
  'audit_readings',
  'events',
  'clock_read',
  'clock_sync',
  'clock_broadcast',
  'relay_read',
  'relay_disconnect',
  'relay_connect',
  'relay_arm',
  'dcu_test',
  'dcu_read_info',
  'dcu_restart',
  'dcu_factory',
  'dcu_config_read',
  'dcu_config_write',
  'dcu_tasks',
  'archive_compare',
  'archive_dispatch',
  'discovery',
  'discovery_clear',
  'discovery_identify',
  'learn',
  'conformance',
  'topology',
  'topology_switch',
  'modules',
  'station_ping',
  'station_restart',
  'upgrade',
  'bill',
  'phase',
]);
export type TaskKind = z.infer<typeof taskKind>;

/** Work that takes devices out of reach or changes what they run: the emergency stop keeps it from being sent. */
export const STOPPED_KINDS = [
  'dcu_restart',
  'dcu_factory',
  'dcu_config_write',
  'archive_dispatch',
  'station_restart',
  'upgrade',
] as const satisfies readonly TaskKind[];

const SWITCHING_KINDS = ['relay_disconnect', 'relay_connect', 'relay_arm'] as const satisfies readonly TaskKind[];

/** What sending the items of a task endangers. */
export function dangerOfKind(kind: string): Danger {
  if (SWITCHING_KINDS.some((one) => one === kind)) return 'supply';
  return STOPPED_KINDS.some((one) => one === kind) ? 'reach' : 'nothing';
}

/** Kinds that the server computes from stored data: no device takes part. */
export const COMPUTED_KINDS = ['bill', 'phase'] as const satisfies readonly TaskKind[];
export type DeviceTaskKind = Exclude<TaskKind, (typeof COMPUTED_KINDS)[number]>;
