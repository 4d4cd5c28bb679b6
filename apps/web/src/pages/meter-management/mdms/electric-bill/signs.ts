import { BILL_STATUS_TEXT, PERIOD_STATE_TEXT, type BillStatus, type PeriodState } from '@hes/contract/states/bill.ts';
import type { Sign } from '#kit/state/sign.ts';

export const STATUS: Record<BillStatus, Sign> = {
  complete: { shape: 'disc', tone: 'ok', text: BILL_STATUS_TEXT.complete, quiet: true },
  estimated: { shape: 'disc60', tone: 'amber', text: BILL_STATUS_TEXT.estimated },
  exchanged: { shape: 'wrench', tone: 'run', text: BILL_STATUS_TEXT.exchanged },
  rollover: { shape: 'arc', tone: 'violet', text: BILL_STATUS_TEXT.rollover },
  missing: { shape: 'dashed', tone: 'red', text: BILL_STATUS_TEXT.missing },
};
export const STATUS_ORDER = ['complete', 'estimated', 'exchanged', 'rollover', 'missing'] as const satisfies readonly BillStatus[];

export const PERIOD: Record<PeriodState, Sign> = {
  open: { shape: 'dashed', tone: 'none', text: PERIOD_STATE_TEXT.open, quiet: true },
  calculated: { shape: 'disc', tone: 'run', text: PERIOD_STATE_TEXT.calculated },
  published: { shape: 'lock', tone: 'ok', text: PERIOD_STATE_TEXT.published },
};
