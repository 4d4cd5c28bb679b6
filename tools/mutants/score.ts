import { decided, isStatus, nameOf, type KnownMutant, type Result } from './results.ts';
import { DECIDED_BEFORE, OUTSIDE_SAMPLE } from './sampling-checker.ts';

/** The used parts of Stryker's report. */
export interface Report {
  files: Record<string, { mutants: (KnownMutant & { status: string; statusReason?: string })[] }>;
}

export interface Score {
  /** Mutants in code that a test executes. */
  covered: number;
  /** Killed and survived mutants of the sample. */
  tried: number;
  killed: number;
  /** Share of killed mutants among the tried ones. */
  score: number;
  /** Confidence interval (95 %) of the score over all covered mutants. */
  interval: [low: number, high: number];
  /** Location and change. */
  survived: string[];
  /** Mutants that timed out once: neither killed nor survived until a second try. */
  undecided: string[];
  /** Mutants that broke what tests share, such as a set-up; not counted, because no test decided. */
  broken: string[];
}

const Z_95 = 1.96;

/** The Wilson interval, which is valid for small samples and shares near 1. */
export function wilson(hits: number, of: number): [low: number, high: number] {
  if (of === 0) return [0, 1];
  const share = hits / of;
  const weight = Z_95 ** 2 / of;
  const middle = (share + weight / 2) / (1 + weight);
  const half = (Z_95 / (1 + weight)) * Math.sqrt((share * (1 - share)) / of + weight / (4 * of));
  return [middle - half, middle + half];
}

/** Judges the mutants of the last run's sample by the results of all runs. */
export function scoreOf({ files }: Report, results: readonly Result[]): Score {
  const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ ...mutant, name: nameOf(file, mutant) })));
  const sampled = all.filter(({ status, statusReason }) => isStatus(status) || statusReason === DECIDED_BEFORE);
  const outside = all.filter(({ statusReason }) => statusReason === OUTSIDE_SAMPLE);
  const statuses = decided(results);
  const namesOf = (...wanted: (string | undefined)[]) =>
    sampled.filter(({ name }) => wanted.includes(statuses.get(name))).map(({ name }) => name);
  const killed = namesOf('Killed', 'Timeout').length;
  const survived = namesOf('Survived');
  const tried = killed + survived.length;
  return {
    covered: sampled.length + outside.length,
    tried,
    killed,
    score: tried === 0 ? 0 : killed / tried,
    interval: wilson(killed, tried),
    survived,
    undecided: namesOf(undefined),
    broken: namesOf('RuntimeError'),
  };
}
