import { z } from 'zod';
import { nameText, type Text } from '../core/text.ts';

export const PERIOD_KINDS = ['day', 'month', 'custom'] as const;
export const periodKind = z.enum(PERIOD_KINDS);
export type PeriodKind = z.infer<typeof periodKind>;

/** A published period cannot be changed. */
export const periodState = z.enum(['open', 'calculated', 'published']);
export type PeriodState = z.infer<typeof periodState>;
export const PERIOD_STATE_TEXT: Record<PeriodState, Text> = {
  open: { en: 'Open', zh: '未计算' },
  calculated: { en: 'Calculated', zh: '已计算' },
  published: { en: 'Published', zh: '已发布' },
};

/** Whether a line can be billed, and the basis of its values. */
export const BILL_STATUSES = ['complete', 'estimated', 'missing', 'exchanged', 'rollover'] as const;
export const billStatus = z.enum(BILL_STATUSES);
export type BillStatus = z.infer<typeof billStatus>;
export const BILL_STATUS_TEXT: Record<BillStatus, Text> = {
  complete: { en: 'Complete', zh: '完整' },
  estimated: { en: 'Estimated', zh: '估算' },
  missing: { en: 'Missing', zh: '缺失' },
  exchanged: { en: 'Meter changed', zh: '换表' },
  rollover: { en: 'Rollover', zh: '示数翻转' },
};

/** Particularities of a line, including those not expressed by its status. */
export const billFlag = z.enum(['estimated', 'exchanged', 'rollover', 'tariff_sum', 'backwards', 'no_tariffs']);
export type BillFlag = z.infer<typeof billFlag>;
export const BILL_FLAG_TEXT: Record<BillFlag, Text> = {
  estimated: { en: 'A reading at its boundary is estimated', zh: '起始或截止示数为估算值' },
  exchanged: { en: 'The meter was exchanged', zh: '期间内更换过电表' },
  rollover: { en: 'The register started over', zh: '示数翻转' },
  tariff_sum: { en: 'The tariffs do not add up to the total', zh: '分费率之和与总电量不符' },
  backwards: { en: 'The register counted backwards', zh: '示数倒走' },
  no_tariffs: { en: 'Without tariffs no amount', zh: '无分费率电量，无法计费' },
};

/** Class of the line loss of a transformer; the setting `thresholds` has the bounds. */
export const LOSS_CLASSES = ['negative', 'low', 'normal', 'raised', 'high', 'none'] as const;
export const lossClass = z.enum(LOSS_CLASSES);
export type LossClass = z.infer<typeof lossClass>;

/** Labels of the classes for given bounds. */
export const lossClassText = ([low, middle, high]: readonly [number, number, number]): Record<LossClass, Text> => ({
  negative: nameText('< 0 %'),
  low: nameText(`0–${low} %`),
  normal: nameText(`${low}–${middle} %`),
  raised: nameText(`${middle}–${high} %`),
  high: nameText(`> ${high} %`),
  none: { en: 'Not known', zh: '未知' },
});

/** Greatest share of the supply that may be estimated for meters without data: above it the estimate decides the loss, which is not known then. */
export const MOST_ESTIMATED = 0.25;

export function lossClassOf(percent: number | null, [low, middle, high]: readonly [number, number, number]): LossClass {
  if (percent === null) return 'none';
  if (percent < 0) return 'negative';
  if (percent <= low) return 'low';
  if (percent <= middle) return 'normal';
  return percent <= high ? 'raised' : 'high';
}

export const ANOMALY_STATES = ['found', 'confirmed', 'dismissed'] as const;
export const anomalyState = z.enum(ANOMALY_STATES);
export type AnomalyState = z.infer<typeof anomalyState>;
export const ANOMALY_STATE_TEXT: Record<AnomalyState, Text> = {
  found: { en: 'Undecided', zh: '待确认' },
  confirmed: { en: 'Confirmed', zh: '已确认' },
  dismissed: { en: 'Dismissed', zh: '已排除' },
};
