import type { SinglePhase } from '@hes/contract/states/phase.ts';

export const SINGLE_PHASES = ['a', 'b', 'c'] as const satisfies readonly SinglePhase[];
export type Three = readonly [number | null, number | null, number | null];

export interface Opinion {
  phase: SinglePhase;
  /** Probability that the phase is right, 0 to 1. */
  support: number;
}

export interface Verdict {
  phase: SinglePhase;
  confidence: number;
}

/** A module measures the phase by the zero crossing and is seldom wrong, but its record may be out of date. */
export const MODULE_SUPPORT = 0.95;
const WEIGHTS = { master: 0.5, module: 0.3, neighbours: 0.2 } as const;
/** Factor for the confidence of a single source. */
const ALONE = 0.9;
const MOST = 0.99;
/** Minimum correlation. Below it the meter is at another transformer, or its clock deviates. */
const LEAST_CORRELATION = 0.15;
/** Share of independent samples: consecutive differences share one value. */
const INDEPENDENT = 0.5;

/** Cumulative normal distribution by Abramowitz and Stegun 7.1.26; error below 1.5e-7. */
function normal(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x);
  return z < 0 ? tail / 2 : 1 - tail / 2;
}

/** Phase with the highest correlation; its support is Fisher's z of the highest against the second-highest. */
export function opinionOf(correlations: Three, samples: number): Opinion | null {
  const ranked = SINGLE_PHASES.map((phase, at) => ({ phase, r: correlations[at] ?? -1 })).toSorted((x, y) => y.r - x.r);
  const [best, second] = ranked;
  if (!best || !second || best.r < LEAST_CORRELATION) return null;
  const bounded = (r: number) => Math.atanh(Math.max(-0.9999, Math.min(0.9999, r)));
  const z = (bounded(best.r) - bounded(second.r)) * Math.sqrt(Math.max(0, samples * INDEPENDENT - 3) / 2);
  return { phase: best.phase, support: Math.min(MOST, normal(z)) };
}

export type Witnesses = Partial<Record<keyof typeof WEIGHTS, Opinion | null>>;

/** Weighted vote of the available sources; null if there is none. */
export function vote(witnesses: Witnesses): Verdict | null {
  const heard = (Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).flatMap((name) => {
    const opinion = witnesses[name];
    return opinion ? [{ ...opinion, weight: WEIGHTS[name] }] : [];
  }); // as: keys of `WEIGHTS`
  const weight = heard.reduce((sum, one) => sum + one.weight, 0);
  if (weight === 0) return null;
  const [best] = SINGLE_PHASES.map((phase) => ({
    phase,
    confidence: heard.reduce((sum, one) => sum + one.weight * (one.phase === phase ? one.support : (1 - one.support) / 2), 0) / weight,
  })).toSorted((x, y) => y.confidence - x.confidence);
  if (best === undefined) return null;
  return { phase: best.phase, confidence: best.confidence * (heard.length === 1 ? ALONE : 1) };
}
