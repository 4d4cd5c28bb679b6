import {
  PHASE_FACT_TEXT,
  PHASE_STATE_TEXT,
  UNBALANCE_TEXT,
  type PhaseFact,
  type PhaseState,
  type UnbalanceClass,
} from '@hes/contract/states/phase.ts';
import type { Sign } from '#kit/state/sign.ts';

export const PHASE_STATE: Record<PhaseState, Sign> = {
  unknown: { shape: 'dashed', tone: 'none', text: PHASE_STATE_TEXT.unknown, quiet: true },
  unsure: { shape: 'disc30', tone: 'amber', text: PHASE_STATE_TEXT.unsure },
  proposed: { shape: 'differ', tone: 'run', text: PHASE_STATE_TEXT.proposed },
  accepted: { shape: 'disc', tone: 'ok', text: PHASE_STATE_TEXT.accepted, quiet: true },
  written: { shape: 'tick', tone: 'ok', text: PHASE_STATE_TEXT.written, quiet: true },
};
export const PHASE_STATES = ['proposed', 'unsure', 'accepted', 'written', 'unknown'] as const satisfies readonly PhaseState[];

export const UNBALANCE: Record<UnbalanceClass, Sign> = {
  fine: { shape: 'disc', tone: 'ok', text: UNBALANCE_TEXT.fine, quiet: true },
  warning: { shape: 'ring!', tone: 'amber', text: UNBALANCE_TEXT.warning },
  serious: { shape: 'ring!', tone: 'red', text: UNBALANCE_TEXT.serious },
};

export const FACT: Record<PhaseFact, Sign> = {
  missing_phase: { shape: 'ring!', tone: 'red', text: PHASE_FACT_TEXT.missing_phase },
  reversed_sequence: { shape: 'ring!', tone: 'amber', text: PHASE_FACT_TEXT.reversed_sequence },
  current_without_voltage: { shape: 'ring!', tone: 'red', text: PHASE_FACT_TEXT.current_without_voltage },
  neutral_mismatch: { shape: 'ring!', tone: 'amber', text: PHASE_FACT_TEXT.neutral_mismatch },
};
