import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** @spec seed §4 */
export const ANOMALY_TYPES = ['normal', 'upper_limit', 'lower_limit', 'sudden_increase', 'sudden_decrease', 'reverse_electricity'] as const;
export const anomalyType = z.enum(ANOMALY_TYPES);
export type AnomalyType = z.infer<typeof anomalyType>;
export const ANOMALY_TEXT: Record<AnomalyType, Text> = {
  normal: { en: 'Normal', zh: '正常' },
  upper_limit: { en: 'Upper limit', zh: '越上限' },
  lower_limit: { en: 'Lower limit', zh: '越下限' },
  sudden_increase: { en: 'Sudden increase', zh: '突增' },
  sudden_decrease: { en: 'Sudden decrease', zh: '突减' },
  reverse_electricity: { en: 'Reverse electricity', zh: '反向电量' },
};

export const EVENT_LEVELS = ['serious', 'warning'] as const;
/** Levels in filters: `all` exists in filters only. */
export const abnormalLevel = z.enum(['all', ...EVENT_LEVELS]);
export type AbnormalLevel = z.infer<typeof abnormalLevel>;
export const ABNORMAL_LEVEL_TEXT: Record<AbnormalLevel, Text> = {
  all: { en: 'All', zh: '全部' },
  serious: { en: 'Serious', zh: '严重' },
  warning: { en: 'Warning', zh: '警告' },
};
