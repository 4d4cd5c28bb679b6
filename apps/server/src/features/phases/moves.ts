import type { SinglePhase } from '@hes/contract/states/phase.ts';
import { SINGLE_PHASES } from './vote.ts';

export interface Load {
  meterId: string;
  phase: SinglePhase;
  kw: number;
}

export type Loads = [number, number, number];
export interface Move {
  meterId: string;
  from: SinglePhase;
  to: SinglePhase;
  kw: number;
  /** Unbalance after this move and all previous ones. */
  unbalancePercent: number;
}

/** Minimum gain that justifies the visit of a fitter. */
const LEAST_GAIN_PERCENT = 0.2;
/** Limit of pairs that are tried, because the search blocks the event loop. Beyond it, only single moves are tried. */
const MOST_PAIRS = 200_000;
const SAME_KW = 1e-9;

function deviationOf(loads: Loads): number {
  const mean = (loads[0] + loads[1] + loads[2]) / 3;
  return Math.max(Math.abs(loads[0] - mean), Math.abs(loads[1] - mean), Math.abs(loads[2] - mean));
}

const squaresOf = (loads: Loads): number => loads[0] ** 2 + loads[1] ** 2 + loads[2] ** 2;

/** Unbalance in percent: max|Px − mean| ÷ mean. */
export function unbalanceOf(loads: Loads): number {
  const mean = (loads[0] + loads[1] + loads[2]) / 3;
  return mean > 0 ? (100 * deviationOf(loads)) / mean : 0;
}

const AT: Record<SinglePhase, 0 | 1 | 2> = { a: 0, b: 1, c: 2 };

/** A move of one meter to another phase. */
interface Step {
  meter: Load;
  to: SinglePhase;
}

function after(loads: Loads, { meter, to }: Step): Loads {
  const next: Loads = [...loads];
  next[AT[meter.phase]] -= meter.kw;
  next[AT[to]] += meter.kw;
  return next;
}

/** Steps of different meters, and the resulting loads. */
interface Plan {
  steps: Step[];
  loads: Loads;
}

/** All possible steps, and the number of pairs that may still be tried. */
interface Search {
  before: Loads;
  all: readonly Step[];
  pairsLeft: number;
}

const planOf = ({ before }: Search, steps: Step[]): Plan => ({ steps, loads: steps.reduce(after, before) });

const freeOf = ({ all }: Search, { steps }: Plan): Step[] => {
  const taken = new Set(steps.map(({ meter }) => meter.meterId));
  return all.filter(({ meter }) => !taken.has(meter.meterId));
};

/** The step that minimizes a measure. */
function bestStep(search: Search, plan: Plan, measure: (loads: Loads) => number): Step | undefined {
  let best: { step: Step; value: number } | undefined;
  for (const step of freeOf(search, plan)) {
    const value = measure(after(plan.loads, step));
    if (best === undefined || value < best.value) best = { step, value };
  }
  return best?.step;
}

/** The pair of steps that minimizes the unbalance. */
function bestPair(search: Search, plan: Plan): [Step, Step] | undefined {
  const free = freeOf(search, plan);
  let best: { pair: [Step, Step]; value: number } | undefined;
  for (const [at, one] of free.entries()) {
    const loads = after(plan.loads, one);
    for (let k = at + 1; k < free.length; k++) {
      const other = free[k];
      if (other === undefined || other.meter === one.meter) continue;
      search.pairsLeft -= 1;
      const value = deviationOf(after(loads, other));
      if (best === undefined || value < best.value) best = { pair: [one, other], value };
    }
  }
  return best?.pair;
}

/** A better plan with one or two steps replaced, if there is one. */
function replaced(search: Search, plan: Plan): Plan | undefined {
  const isBetter = (other: Plan): boolean => deviationOf(other.loads) < deviationOf(plan.loads) - SAME_KW;
  for (const old of plan.steps) {
    const kept = planOf(
      search,
      plan.steps.filter((step) => step !== old),
    );
    const step = bestStep(search, kept, deviationOf);
    const other = step && planOf(search, [...kept.steps, step]);
    if (other && isBetter(other)) return other;
  }
  for (const [at, old] of plan.steps.entries()) {
    for (const second of plan.steps.slice(at + 1)) {
      if (search.pairsLeft < search.all.length ** 2 / 2) return undefined;
      const kept = planOf(
        search,
        plan.steps.filter((step) => step !== old && step !== second),
      );
      const other = planOf(search, [...kept.steps, ...(bestPair(search, kept) ?? [])]);
      if (other.steps.length === plan.steps.length && isBetter(other)) return other;
    }
  }
  return undefined;
}

/** Orders steps by their effect, the largest first. */
function inOrder(before: Loads, steps: readonly Step[]): Move[] {
  const left = new Set(steps);
  const moves: Move[] = [];
  let loads = before;
  while (left.size > 0) {
    const [next] = [...left].toSorted((one, other) => squaresOf(after(loads, one)) - squaresOf(after(loads, other)));
    if (next === undefined) break;
    left.delete(next);
    loads = after(loads, next);
    moves.push({
      meterId: next.meter.meterId,
      from: next.meter.phase,
      to: next.to,
      kw: next.meter.kw,
      unbalancePercent: unbalanceOf(loads),
    });
  }
  return moves;
}

/**
 * Proposes the fewest moves whose unbalance is within `LEAST_GAIN_PERCENT` of the best found. Plans grow by one step, chosen by the sum
 * of squares: the maximum deviation alone would stop where two phases deviate equally. Up to two moves the result is optimal.
 */
export function proposeMoves(fixed: Loads, meters: readonly Load[], most: number): { before: Loads; after: Loads; moves: Move[] } {
  const before: Loads = [...fixed];
  for (const { phase, kw } of meters) before[AT[phase]] += kw;
  const all = meters.flatMap((meter) =>
    meter.kw > 0 ? SINGLE_PHASES.filter((to) => to !== meter.phase).map((to) => ({ meter, to })) : [],
  );
  const search: Search = { before, all, pairsLeft: MOST_PAIRS };
  const plans: [Plan, ...Plan[]] = [{ steps: [], loads: before }];
  for (let plan = plans[0]; plan.steps.length < most && unbalanceOf(plan.loads) > LEAST_GAIN_PERCENT;) {
    const step = bestStep(search, plan, squaresOf);
    if (step === undefined) break;
    plan = planOf(search, [...plan.steps, step]);
    for (let better: Plan | undefined = plan; better; better = replaced(search, plan)) plan = better;
    plans.push(plan);
  }
  const least = Math.min(...plans.map(({ loads }) => unbalanceOf(loads)));
  const enough = plans.find(({ loads }) => unbalanceOf(loads) <= least + LEAST_GAIN_PERCENT) ?? plans[0];
  return { before, after: enough.loads, moves: inOrder(before, enough.steps) };
}
