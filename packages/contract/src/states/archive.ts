import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** @spec seed §4 */
export const BIND_STATES = ['bound', 'not_bound'] as const;
export const bindState = z.enum(BIND_STATES);
export type BindState = z.infer<typeof bindState>;
export const BIND_TEXT: Record<BindState, Text> = {
  bound: { en: 'Bound', zh: '已绑定' },
  not_bound: { en: 'Not bound', zh: '未绑定' },
};

export const DISPATCH_STATES = ['distributed', 'not_distributed'] as const;
export const dispatchState = z.enum(DISPATCH_STATES);
export type DispatchState = z.infer<typeof dispatchState>;
export const DISPATCH_TEXT: Record<DispatchState, Text> = {
  distributed: { en: 'Distributed', zh: '已下发' },
  not_distributed: { en: 'Not distributed', zh: '未下发' },
};

export const DISTRIBUTION_STATES = ['pending_distribution', 'distributed', 'deleted'] as const;
export const distributionState = z.enum(DISTRIBUTION_STATES);
export type DistributionState = z.infer<typeof distributionState>;
export const DISTRIBUTION_TEXT: Record<DistributionState, Text> = {
  pending_distribution: { en: 'Pending distribution', zh: '待下发' },
  distributed: { en: 'Distributed', zh: '已下发' },
  deleted: { en: 'Deleted', zh: '已删除' },
};

/** Progress of deleting a meter from a DCU's archive. */
export const deleteStatus = z.enum(['none', 'pending_delete', 'deleted', 'delete_failed']);
export type DeleteStatus = z.infer<typeof deleteStatus>;
export const DELETE_STATUS_TEXT: Record<DeleteStatus, Text> = {
  none: { en: 'None', zh: '无' },
  pending_delete: { en: 'Pending delete', zh: '待删除' },
  deleted: { en: 'Deleted', zh: '已删除' },
  delete_failed: { en: 'Delete failed', zh: '删除失败' },
};

/** Result of comparing one record of the head-end with the DCU's archive. */
export const DIFF_KINDS = ['same', 'hes_only', 'dcu_only', 'param_diff', 'idx_conflict', 'other_dcu', 'air_only'] as const;
export const diffKind = z.enum(DIFF_KINDS);
export type DiffKind = z.infer<typeof diffKind>;
export const DIFF_TEXT: Record<DiffKind, Text> = {
  same: { en: 'Same', zh: '一致' },
  hes_only: { en: 'HES only', zh: '仅主站有' },
  dcu_only: { en: 'DCU only', zh: '仅集中器有' },
  param_diff: { en: 'Parameters differ', zh: '参数不一致' },
  idx_conflict: { en: 'Index conflict', zh: '测量点冲突' },
  other_dcu: { en: 'Bound to another DCU', zh: '已绑定其他集中器' },
  air_only: { en: 'Discovered only', zh: '仅网络侦听到' },
};
