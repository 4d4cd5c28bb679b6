import { z } from 'zod';
import type { Text } from '../core/text.ts';
import type { RecordedPhase } from './device.ts';

/** Role of a module in the network: central coordinator (in the DCU), proxy coordinator (relay), station (leaf). */
export const STATION_ROLES = ['cco', 'pco', 'sta'] as const;
export const stationRole = z.enum(STATION_ROLES);
export type StationRole = z.infer<typeof stationRole>;

export const STATION_ROLE_TEXT: Record<StationRole, Text> = {
  cco: { en: 'Central coordinator', zh: '中央协调器' },
  pco: { en: 'Proxy coordinator', zh: '代理协调器' },
  sta: { en: 'Station', zh: '站点' },
};

export const STATION_LINKS = ['plc', 'rf'] as const;
export const stationLink = z.enum(STATION_LINKS);
export type StationLink = z.infer<typeof stationLink>;

export const STATION_LINK_TEXT: Record<StationLink, Text> = {
  plc: { en: 'Power line', zh: '电力线载波' },
  rf: { en: 'Radio', zh: '无线' },
};

/** Phase conductor on which a station receives the network. */
export const STATION_PHASE_TEXT: Record<RecordedPhase, Text> = {
  a: { en: 'L1', zh: 'A相' },
  b: { en: 'L2', zh: 'B相' },
  c: { en: 'L3', zh: 'C相' },
  abc: { en: 'L1–L3', zh: '三相' },
  unknown: { en: 'Unknown', zh: '未知' },
};

export const topologyChange = z.enum(['joined', 'left', 'parent', 'level', 'signal']);
export type TopologyChange = z.infer<typeof topologyChange>;

export const TOPOLOGY_CHANGE_TEXT: Record<TopologyChange, Text> = {
  joined: { en: 'Joined', zh: '入网' },
  left: { en: 'Left', zh: '离网' },
  parent: { en: 'Other parent', zh: '更换父节点' },
  level: { en: 'Other hop level', zh: '层级变化' },
  signal: { en: 'Signal changed', zh: '信号变化' },
};

export const topologySwitchOperation = z.enum([
  'report_on',
  'report_off',
  'mode_dual',
  'mode_plc',
  'mode_rf',
  'rebuild',
  'restart_route_module',
]);
export type TopologySwitchOperation = z.infer<typeof topologySwitchOperation>;

export const TOPOLOGY_SWITCH_TEXT: Record<TopologySwitchOperation, Text> = {
  report_on: { en: 'Report on', zh: '开启上报' },
  report_off: { en: 'Report off', zh: '关闭上报' },
  mode_dual: { en: 'Dual mode', zh: '双模' },
  mode_plc: { en: 'Power line only', zh: '仅载波' },
  mode_rf: { en: 'Radio only', zh: '仅无线' },
  rebuild: { en: 'Rebuild network', zh: '重新组网' },
  restart_route_module: { en: 'Restart route module', zh: '重启路由模块' },
};

export const networkMode = z.enum(['mode_dual', 'mode_plc', 'mode_rf']);
/** Orders that select the media of a network, with the resulting mode. */
export type NetworkMode = z.infer<typeof networkMode>;

/** Values of the DCU parameter `network_mode`. */
export const NETWORK_MODE_VALUES: Record<NetworkMode, string> = { mode_dual: '0', mode_plc: '1', mode_rf: '2' };

/** State of an order to a network. */
export const topologySwitchState = z.enum(['sent', 'rebuilding', 'settled', 'failed']);
export type TopologySwitchState = z.infer<typeof topologySwitchState>;

export const TOPOLOGY_SWITCH_STATE_TEXT: Record<TopologySwitchState, Text> = {
  sent: { en: 'Sent', zh: '已下发' },
  rebuilding: { en: 'Rebuilding', zh: '组网中' },
  settled: { en: 'Settled', zh: '已稳定' },
  failed: { en: 'Failed', zh: '失败' },
};

/** Software version of a module compared with the newest approved firmware. */
export const libraryVerdict = z.enum(['current', 'older', 'newer']);
export type LibraryVerdict = z.infer<typeof libraryVerdict>;

export const LIBRARY_VERDICT_TEXT: Record<LibraryVerdict, Text> = {
  current: { en: 'Up to date', zh: '已是最新' },
  older: { en: 'Older than library', zh: '低于固件库' },
  newer: { en: 'Newer than library', zh: '高于固件库' },
};

export const STATION_STATES = ['online', 'offline', 'never', 'not_in_archive'] as const;
export const stationState = z.enum(STATION_STATES);
export type StationState = z.infer<typeof stationState>;

export const STATION_STATE_TEXT: Record<StationState, Text> = {
  online: { en: 'Online', zh: '在线' },
  offline: { en: 'Offline', zh: '离线' },
  never: { en: 'Never seen', zh: '从未入网' },
  not_in_archive: { en: 'Not in archive', zh: '不在档案中' },
};
