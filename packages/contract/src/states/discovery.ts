import { z } from 'zod';
import type { Text } from '../core/text.ts';

export const discoveryMode = z.enum(['plc', 'rf', 'both']);
export type DiscoveryMode = z.infer<typeof discoveryMode>;
export const DISCOVERY_MODE_TEXT: Record<DiscoveryMode, Text> = {
  plc: { en: 'PLC', zh: '电力线载波' },
  rf: { en: 'RF', zh: '微功率无线' },
  both: { en: 'PLC and RF', zh: '载波和无线' },
};

export const discoveryState = z.enum(['idle', 'starting', 'searching', 'stopping', 'finished', 'failed']);
export type DiscoveryState = z.infer<typeof discoveryState>;
export const DISCOVERY_STATE_TEXT: Record<DiscoveryState, Text> = {
  idle: { en: 'Idle', zh: '空闲' },
  starting: { en: 'Starting', zh: '启动中' },
  searching: { en: 'Searching', zh: '搜表中' },
  stopping: { en: 'Stopping', zh: '停止中' },
  finished: { en: 'Finished', zh: '已完成' },
  failed: { en: 'Failed', zh: '失败' },
};

/** Relation of a heard meter to the registered ones. */
export const DISCOVERY_MATCHES = ['unknown', 'in_warehouse', 'bound_here', 'bound_elsewhere', 'duplicate', 'ignored'] as const;
export const discoveryMatch = z.enum(DISCOVERY_MATCHES);
export type DiscoveryMatch = z.infer<typeof discoveryMatch>;
export const DISCOVERY_MATCH_TEXT: Record<DiscoveryMatch, Text> = {
  unknown: { en: 'Unknown meter', zh: '未知电表' },
  in_warehouse: { en: 'Not bound anywhere', zh: '未绑定集中器' },
  bound_here: { en: 'Bound here', zh: '已绑定本集中器' },
  bound_elsewhere: { en: 'Bound elsewhere', zh: '已绑定其他集中器' },
  duplicate: { en: 'Duplicate SN', zh: '表号重复' },
  ignored: { en: 'Ignored', zh: '已忽略' },
};

/** Decisions about heard meters. */
export const DISCOVERY_DECISION_TEXT = {
  add_bind: { en: 'Add & bind', zh: '新增并绑定' },
  bind: { en: 'Bind', zh: '绑定' },
  move: { en: 'Move here', zh: '迁移至此' },
  identify: { en: 'Identify', zh: '识别' },
  ignore: { en: 'Ignore', zh: '忽略' },
} as const satisfies Record<string, Text>;
