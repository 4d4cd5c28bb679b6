import type { MeterPlan } from './plan.ts';
import { between, unitAt } from './random.ts';

/** Electrical values at the terminals of a meter: volts, amperes, watts; positive power is import. */
export interface Electric {
  powerW: number;
  apparentVa: number;
  /** Over all phases. */
  powerFactor: number;
  /** One per phase of a three-phase meter; empty for others. */
  factors: number[];
  /** One per phase of the meter. */
  voltages: number[];
  currents: number[];
  /** Three-phase meters only; 0 for others. */
  neutral: number;
}

const NOMINAL_V = 220;
const PHASES = ['a', 'b', 'c'] as const;
/** Per unit at the transformer without load: above nominal, because the voltage drops along the line. */
const NO_LOAD = 1.032;

const POWER_FACTOR: Record<MeterPlan['kind'], number> = {
  household: 0.955,
  prosumer: 0.965,
  shop: 0.94,
  bakery: 0.985,
  school: 0.95,
  workshop: 0.87,
  lighting: 0.975,
  solar: 0.99,
  master: 0.945,
};

export function powerFactorOf(meter: MeterPlan, stream: number, moment: number): number {
  return Math.min(0.999, POWER_FACTOR[meter.kind] + between(stream + 1, moment, -0.02, 0.02));
}

/**
 * Derives voltages, currents and power factors from a power. The voltage falls with the transformer's load, the distance
 * and the meter's own load, and rises with its export; the rest follows from P = Σ U·I·pf, for each phase and for the sum.
 * `utilisation` is the transformer's load over its usual peak; `moment` selects the random fluctuation.
 */
export function electricOf(meter: MeterPlan, powerW: number, utilisation: number, stream: number, moment: number): Electric {
  const powerFactor = powerFactorOf(meter, stream, moment);
  const apparentVa = Math.abs(powerW) / powerFactor;
  const drop = utilisation * (0.012 + 0.04 * meter.distance) + (powerW / (meter.phase === 'abc' ? 60_000 : 12_000)) * 0.03 * meter.distance;
  const phases = meter.phase === 'abc' ? [0, 1, 2] : [PHASES.indexOf(meter.phase)];
  const voltages = phases.map((phase) => {
    const flicker = between(stream + 2, moment, -0.004, 0.004) + between(stream + 3 + phase, moment, -0.0015, 0.0015);
    const offset = (unitAt(meter.transformer.skyStream, meter.transformer.index, phase) - 0.5) * 0.008;
    return NOMINAL_V * (NO_LOAD - drop + offset + flicker + swayOf(meter, phase, moment));
  });
  const shares = phaseShares(meter, stream, moment);
  const currents = voltages.map((volts, phase) => (apparentVa * (shares[phase] ?? 1)) / volts);
  const factors = phaseFactors(powerFactor, shares, stream, moment);
  return { powerW, apparentVa, powerFactor, factors, voltages, currents, neutral: neutralOf(currents) };
}

/** Voltage variation shared by all meters on one phase of a transformer, per unit: loads that switch on the same conductor. */
const swayOf = ({ transformer }: MeterPlan, phase: number, moment: number): number =>
  (unitAt(transformer.skyStream + 101 + phase, moment, transformer.index) - 0.5) * 0.01;

/** Three-phase customers load their phases slightly unequally, each with a fixed pattern; a master meter follows its customers. */
function phaseShares(meter: MeterPlan, stream: number, moment: number): number[] {
  if (meter.phase !== 'abc') return [1];
  const habit = (phase: number): number =>
    (meter.kind === 'master' && meter.transformer.loadShares?.[phase]) || 1 + (unitAt(stream, 0, phase) - 0.5) * 0.24;
  const raw = [0, 1, 2].map((phase) => habit(phase) * (1 + (unitAt(stream + 7 + phase, moment) - 0.5) * 0.06));
  const sum = raw.reduce((a, b) => a + b, 0);
  return raw.map((share) => share / sum);
}

/** Power factor per phase, never above 1; weighted by phase load, the mean equals the common factor. */
function phaseFactors(common: number, shares: number[], stream: number, moment: number): number[] {
  if (shares.length === 1) return [];
  const leans = shares.map((_, phase) => between(stream + 11 + phase, moment, -0.4, 0.4) * (1 - common));
  const mean = shares.reduce((sum, share, phase) => sum + share * (leans[phase] ?? 0), 0);
  return leans.map((lean) => common + lean - mean);
}

/** Neutral current of three phase currents 120° apart. */
function neutralOf(currents: number[]): number {
  const [a, b, c] = currents;
  if (a === undefined || b === undefined || c === undefined) return 0;
  return Math.sqrt(Math.max(0, a * a + b * b + c * c - a * b - b * c - c * a));
}
