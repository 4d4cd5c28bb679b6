import { OUTSIDE_SAMPLE } from './sampling-checker.ts';

/** The used parts of Stryker's report. */
export interface Report {
  files: Record<string, { mutants: ReportedMutant[] }>;
}

interface ReportedMutant {
  status: string;
  statusReason?: string;
  mutatorName: string;
  replacement?: string;
  location: { start: { line: number; column: number } };
}

export interface Score {
  /** Mutants in code that a test executes. */
  covered: number;
  tried: number;
  killed: number;
  /** Share of killed mutants among the tried ones. */
  score: number;
  /** Confidence interval (95 %) of the score over all covered mutants. */
  interval: [low: number, high: number];
  /** Location and change. */
  survived: string[];
}

/** A test that times out detects a mutant as well as one that fails. */
const KILLED = new Set(['Killed', 'Timeout']);
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

export function scoreOf({ files }: Report): Score {
  const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, mutant })));
  const killed = all.filter(({ mutant }) => KILLED.has(mutant.status));
  const survived = all.filter(({ mutant }) => mutant.status === 'Survived');
  const left = all.filter(({ mutant }) => mutant.statusReason === OUTSIDE_SAMPLE);
  const tried = killed.length + survived.length;
  return {
    covered: tried + left.length,
    tried,
    killed: killed.length,
    score: tried === 0 ? 0 : killed.length / tried,
    interval: wilson(killed.length, tried),
    survived: survived.map(
      ({ file, mutant: { location, mutatorName, replacement = '' } }) =>
        `${file}:${location.start.line}:${location.start.column} ${mutatorName} ${JSON.stringify(replacement.slice(0, 80))}`,
    ),
  };
}
