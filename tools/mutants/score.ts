import { OUTSIDE_SAMPLE } from './sampling-checker.ts';

/** As much of Stryker's report as is looked at. */
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
  /** Mutants in code that some test runs. */
  covered: number;
  tried: number;
  killed: number;
  /** Of those that were tried. */
  score: number;
  /** In which the score of all covered mutants lies, with 95 % confidence. */
  interval: [low: number, high: number];
  /** Where, and what was changed. */
  survived: string[];
}

/** A test that has no end any more notices a mutant as well as one that fails. */
const KILLED = new Set(['Killed', 'Timeout']);
const Z_95 = 1.96;

/** The interval of Wilson, which holds for small samples and shares near 1, too. */
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
