import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** @spec seed §4 */
export const bindState = z.enum(['bound', 'not_bound']);
export type BindState = z.infer<typeof bindState>;
export const BIND_TEXT: Record<BindState, Text> = {
  bound: { en: 'Bound', zh: '已绑定' },
  not_bound: { en: 'Not Bound', zh: '未绑定' },
};

export const dispatchState = z.enum(['distributed', 'not_distributed']);
export type DispatchState = z.infer<typeof dispatchState>;
export const DISPATCH_TEXT: Record<DispatchState, Text> = {
  distributed: { en: 'Distributed', zh: '已下发' },
  not_distributed: { en: 'Not Distributed', zh: '未下发' },
};

export const distributionState = z.enum(['pending_distribution', 'distributed', 'deleted']);
export type DistributionState = z.infer<typeof distributionState>;
export const DISTRIBUTION_TEXT: Record<DistributionState, Text> = {
  pending_distribution: { en: 'Pending Distribution', zh: '待下发' },
  distributed: { en: 'Distributed', zh: '已下发' },
  deleted: { en: 'Deleted', zh: '已删除' },
};
