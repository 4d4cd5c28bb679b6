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
  /** After it and all before it. */
  unbalancePercent: number;
}

/** A move must be worth a fitter's way. */
const LEAST_GAIN_PERCENT = 0.2;

/** max|Px − mean| ÷ mean. */
export function unbalanceOf(loads: Loads): number {
  const mean = (loads[0] + loads[1] + loads[2]) / 3;
  return mean > 0 ? (100 * Math.max(...loads.map((load) => Math.abs(load - mean)))) / mean : 0;
}

const AT: Record<SinglePhase, 0 | 1 | 2> = { a: 0, b: 1, c: 2 };

function moved(loads: Loads, from: SinglePhase, to: SinglePhase, kw: number): Loads {
  const next: Loads = [...loads];
  next[AT[from]] -= kw;
  next[AT[to]] += kw;
  return next;
}

/**
 * Step by step the one move that helps most. What counts is the sum of squares, which every good move makes smaller: the
 * greatest deviation alone would stop where two phases are equally far off.
 */
export function proposeMoves(fixed: Loads, meters: readonly Load[], most: number): { before: Loads; after: Loads; moves: Move[] } {
  const before: Loads = [...fixed];
  for (const { phase, kw } of meters) before[AT[phase]] += kw;
  let loads = before;
  const moves: Move[] = [];
  const free = new Map(meters.map((meter) => [meter.meterId, meter]));
  const squares = (of: Loads): number => of.reduce((sum, load) => sum + load * load, 0);
  while (moves.length < most) {
    let best: { meter: Load; to: SinglePhase; loads: Loads } | undefined;
    for (const meter of free.values()) {
      for (const to of SINGLE_PHASES) {
        if (to === meter.phase || meter.kw <= 0) continue;
        const next = moved(loads, meter.phase, to, meter.kw);
        if (squares(next) < squares(best?.loads ?? loads)) best = { meter, to, loads: next };
      }
    }
    if (best === undefined) break;
    const unbalancePercent = unbalanceOf(best.loads);
    moves.push({ meterId: best.meter.meterId, from: best.meter.phase, to: best.to, kw: best.meter.kw, unbalancePercent });
    loads = best.loads;
    free.delete(best.meter.meterId);
  }
  return cutIdle(before, loads, moves, fixed, meters);
}

/** The last moves that gained next to nothing are not proposed. */
function cutIdle(
  before: Loads,
  after: Loads,
  moves: Move[],
  fixed: Loads,
  meters: readonly Load[],
): { before: Loads; after: Loads; moves: Move[] } {
  const reached = (count: number): number => (count === 0 ? unbalanceOf(before) : (moves[count - 1]?.unbalancePercent ?? 0));
  const least = Math.min(...Array.from({ length: moves.length + 1 }, (_, count) => reached(count)));
  const enough =
    Array.from({ length: moves.length + 1 }, (_, count) => count).find((count) => reached(count) <= least + LEAST_GAIN_PERCENT) ?? 0;
  if (enough === moves.length) return { before, after, moves };
  const kept = moves.slice(0, enough);
  const target = new Map(kept.map((move) => [move.meterId, move.to]));
  const loads: Loads = [...fixed];
  for (const { meterId, phase, kw } of meters) loads[AT[target.get(meterId) ?? phase]] += kw;
  return { before, after: loads, moves: kept };
}
