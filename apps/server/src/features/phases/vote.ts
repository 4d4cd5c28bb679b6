import type { SinglePhase } from '@hes/contract/states/phase.ts';

export const SINGLE_PHASES = ['a', 'b', 'c'] as const satisfies readonly SinglePhase[];
export type Three = readonly [number | null, number | null, number | null];

export interface Opinion {
  phase: SinglePhase;
  /** How surely it speaks, 0 to 1. */
  support: number;
}

export interface Verdict {
  phase: SinglePhase;
  confidence: number;
}

/** A module measures against the zero crossing and is seldom wrong; a repeated record of its phase may be old. */
export const MODULE_SUPPORT = 0.95;
const WEIGHTS = { master: 0.5, module: 0.3, neighbours: 0.2 } as const;
/** What one witness alone is worth. */
const ALONE = 0.9;
const MOST = 0.99;
/** Below it, voltages do not move alike at all: the meter hangs at another transformer, or its clock is off. */
const LEAST_CORRELATION = 0.15;
/** Differences of neighbouring quarters share a sample: they are worth half as many independent ones. */
const INDEPENDENT = 0.5;

/** The normal distribution, by Abramowitz and Stegun 7.1.26: to 1.5e-7. */
function normal(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x);
  return z < 0 ? tail / 2 : 1 - tail / 2;
}

/** Like which of three voltages the meter's moves, and how surely: Fisher's z of the best against the second. */
export function opinionOf(correlations: Three, samples: number): Opinion | null {
  const ranked = SINGLE_PHASES.map((phase, at) => ({ phase, r: correlations[at] ?? -1 })).toSorted((x, y) => y.r - x.r);
  const [best, second] = ranked;
  if (!best || !second || best.r < LEAST_CORRELATION) return null;
  const bounded = (r: number) => Math.atanh(Math.max(-0.9999, Math.min(0.9999, r)));
  const z = (bounded(best.r) - bounded(second.r)) * Math.sqrt(Math.max(0, samples * INDEPENDENT - 3) / 2);
  return { phase: best.phase, support: Math.min(MOST, normal(z)) };
}

export type Witnesses = Partial<Record<keyof typeof WEIGHTS, Opinion | null>>;

/** The weighted vote of who has something to say; null when nobody has. */
export function vote(witnesses: Witnesses): Verdict | null {
  const heard = (Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).flatMap((name) => {
    const opinion = witnesses[name];
    return opinion ? [{ ...opinion, weight: WEIGHTS[name] }] : [];
  }); // as: keys of that very object
  const weight = heard.reduce((sum, one) => sum + one.weight, 0);
  if (weight === 0) return null;
  const [best] = SINGLE_PHASES.map((phase) => ({
    phase,
    confidence: heard.reduce((sum, one) => sum + one.weight * (one.phase === phase ? one.support : (1 - one.support) / 2), 0) / weight,
  })).toSorted((x, y) => y.confidence - x.confidence);
  if (best === undefined) return null;
  return { phase: best.phase, confidence: best.confidence * (heard.length === 1 ? ALONE : 1) };
}
