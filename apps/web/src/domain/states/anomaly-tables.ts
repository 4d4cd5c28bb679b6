import { ANOMALY_TEXT, type AnomalyType } from '@hes/contract/states/anomaly.ts';
import { ANOMALY_STATE_TEXT, type AnomalyState } from '@hes/contract/states/bill.ts';
import type { Sign } from '#kit/state/sign.ts';

export const ANOMALY: Record<AnomalyType, Sign> = {
  normal: { shape: 'disc', tone: 'ok', text: ANOMALY_TEXT.normal, quiet: true },
  reverse_electricity: { shape: 'differ', tone: 'red', text: ANOMALY_TEXT.reverse_electricity },
  upper_limit: { shape: 'ring!', tone: 'red', text: ANOMALY_TEXT.upper_limit },
  lower_limit: { shape: 'minus', tone: 'orange', text: ANOMALY_TEXT.lower_limit },
  sudden_increase: { shape: 'bolt', tone: 'amber', text: ANOMALY_TEXT.sudden_increase },
  sudden_decrease: { shape: 'disc30', tone: 'amber', text: ANOMALY_TEXT.sudden_decrease },
};
export const ANOMALY_ORDER = [
  'reverse_electricity',
  'upper_limit',
  'lower_limit',
  'sudden_increase',
  'sudden_decrease',
  'normal',
] as const satisfies readonly AnomalyType[];

export const DECISION: Record<AnomalyState, Sign> = {
  found: { shape: 'clock', tone: 'wait', text: ANOMALY_STATE_TEXT.found },
  confirmed: { shape: 'tick', tone: 'red', text: ANOMALY_STATE_TEXT.confirmed },
  dismissed: { shape: 'cross', tone: 'none', text: ANOMALY_STATE_TEXT.dismissed, quiet: true },
};
