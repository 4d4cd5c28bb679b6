import { lossClassOf, lossClassText, type LossClass } from '@hes/contract/states/bill.ts';
import type { Sign } from '#kit/state/sign.ts';
import { useThresholds } from './thresholds.ts';

type Bounds = readonly [number, number, number];

const LOSS_SHAPES: Record<LossClass, Omit<Sign, 'text'>> = {
  negative: { shape: 'differ', tone: 'violet' },
  low: { shape: 'disc', tone: 'ok', quiet: true },
  normal: { shape: 'disc60', tone: 'ok', quiet: true },
  raised: { shape: 'disc30', tone: 'amber' },
  high: { shape: 'ring!', tone: 'red' },
  none: { shape: 'dashed', tone: 'none', quiet: true },
};
export const LOSS_ORDER = ['negative', 'low', 'normal', 'raised', 'high', 'none'] as const satisfies readonly LossClass[];

/** Classes of loss by the limits of the setting. */
export function lossSigns(bounds: readonly [number, number, number]): Record<LossClass, Sign> {
  const words = lossClassText(bounds);
  return Object.fromEntries(LOSS_ORDER.map((key) => [key, { ...LOSS_SHAPES[key], text: words[key] }])) as Record<LossClass, Sign>; // as: every class is in the order
}

/** The sign for a loss in percent. */
export const lossSignOf = (percent: number | null, bounds: Bounds): Sign => lossSigns(bounds)[lossClassOf(percent, bounds)];

/** The configured limits between the classes of loss. */
export const useLossBounds = (): Bounds => useThresholds().lossPercent;
