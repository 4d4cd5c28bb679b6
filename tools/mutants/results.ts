import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The used part of a mutant, as in Stryker's report: lines and columns start at 1. */
export interface KnownMutant {
  mutatorName: string;
  replacement?: string;
  location: { start: Position; end: Position };
}

interface Position {
  line: number;
  column: number;
}

/** Ends of a mutant's tests. A runtime error is a failure outside of the tests, such as in a set-up that tests share. */
const STATUSES = ['Killed', 'Survived', 'Timeout', 'RuntimeError'] as const;
export type Status = (typeof STATUSES)[number];

export interface Result {
  mutant: string;
  status: Status;
  /** First line of the failure, which shows whether the mutant or a busy machine caused it. */
  why?: string | undefined;
}

/** Environment variable with the path of the results: Stryker starts its plugins in separate processes. */
export const RESULTS_FILE = 'HES_MUTANTS_RESULTS';
/** Tries after which a timeout is the mutant's effect: a busy machine alone can cause one. */
const TRIES_WITH_TIMEOUT = 2;

/** Name of a mutant in results and messages. The end tells `a && b` and `a` apart, which begin at the same column. */
export const nameOf = (file: string, { location: { start, end }, mutatorName, replacement = '' }: KnownMutant): string =>
  `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${JSON.stringify(replacement)}`;

export const isStatus = (status: string): status is Status => (STATUSES as readonly string[]).includes(status);

/** Each result is written at once, so that a run that is ended early can be resumed. */
export const appendResult = (file: string, result: Result): void => appendFileSync(file, `${JSON.stringify(result)}\n`);

/** Results in the order of their tries; a line that was cut when the run ended is left out. */
export function readResults(file: string): Result[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Result); // as: appendResult wrote it
}

/** What each mutant ended with. A timeout is a decision at its second try only. */
export function decided(results: readonly Result[]): Map<string, Status> {
  const statuses = new Map<string, Status>();
  const timeouts = new Map<string, number>();
  for (const { mutant, status } of results) {
    const tries = (timeouts.get(mutant) ?? 0) + (status === 'Timeout' ? 1 : 0);
    timeouts.set(mutant, tries);
    if (status !== 'Timeout' || tries >= TRIES_WITH_TIMEOUT) statuses.set(mutant, status);
  }
  return statuses;
}
