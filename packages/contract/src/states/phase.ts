import { z } from 'zod';
import { fill, type Text } from '../core/text.ts';
import type { RecordedPhase } from './device.ts';
import { RECORDED_PHASE_TEXT } from '../text/device-text.ts';

/** Phases to which a single-phase meter can be connected. */
export const SINGLE_PHASES = ['a', 'b', 'c'] as const;
export const singlePhase = z.enum(SINGLE_PHASES);
export type SinglePhase = z.infer<typeof singlePhase>;

/** Progress of a phase identification: proposed, accepted, written to the archive. There is no proposal below the minimum confidence. */
export const PHASE_STATES = ['unknown', 'unsure', 'proposed', 'accepted', 'written'] as const;
export const phaseState = z.enum(PHASE_STATES);
export type PhaseState = z.infer<typeof phaseState>;
export const PHASE_STATE_TEXT: Record<PhaseState, Text> = {
  unknown: { en: 'Unknown', zh: '未识别' },
  unsure: { en: 'Unsure', zh: '不确定' },
  proposed: { en: 'Proposed', zh: '待确认' },
  accepted: { en: 'Accepted', zh: '已确认' },
  written: { en: 'Written to archive', zh: '已写入档案' },
};

/** Minimum confidence of a certain phase. */
export const SURE = 0.8;
/** Minimum confidence for "accept all". */
export const VERY_SURE = 0.9;

export const unbalanceClass = z.enum(['fine', 'warning', 'serious']);
export type UnbalanceClass = z.infer<typeof unbalanceClass>;
export const UNBALANCE_TEXT: Record<UnbalanceClass, Text> = {
  fine: { en: 'Fine', zh: '正常' },
  warning: { en: 'Warning', zh: '警告' },
  serious: { en: 'Serious', zh: '严重' },
};

const CONFLICT = { en: 'recorded {recorded}', zh: '档案为{recorded}' };
const CONTRADICTION = { en: 'Evidence conflicts', zh: '依据冲突' };

interface Evidence {
  isConflict: boolean;
  hasContradiction: boolean;
  recordedPhase: RecordedPhase;
}

/** Contradiction to the phase of a meter, by the archive or by other evidence; undefined: none. */
export function conflictText({ isConflict, hasContradiction, recordedPhase }: Evidence): Text | undefined {
  if (!isConflict) return hasContradiction ? CONTRADICTION : undefined;
  return fill(CONFLICT, { recorded: RECORDED_PHASE_TEXT[recordedPhase] });
}

/** Phase faults of a meter. */
export const PHASE_FACTS = ['missing_phase', 'reversed_sequence', 'current_without_voltage', 'neutral_mismatch'] as const;
export const phaseFact = z.enum(PHASE_FACTS);
export type PhaseFact = z.infer<typeof phaseFact>;
export const PHASE_FACT_TEXT: Record<PhaseFact, Text> = {
  missing_phase: { en: 'Missing phase', zh: '缺相' },
  reversed_sequence: { en: 'Reversed phase sequence', zh: '逆相序' },
  current_without_voltage: { en: 'Current without voltage', zh: '失压有流' },
  neutral_mismatch: { en: 'Neutral current mismatch', zh: '零线电流不符' },
};
