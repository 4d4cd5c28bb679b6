import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckStatus, type Checker, type CheckResult } from '@stryker-mutator/api/check';
import type { Mutant, MutantTestCoverage } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { decided, nameOf, readResults, RESULTS_FILE, type Status } from './results.ts';

/** Environment variables of the checker, because Stryker starts it as a separate process. */
export const SAMPLE_SIZE = 'HES_MUTANTS_SAMPLE';
export const SAMPLE_SEED = 'HES_MUTANTS_SEED';
/** Set if survivors of an earlier run are tried again. */
export const TRY_SURVIVORS = 'HES_MUTANTS_TRY_SURVIVORS';
/** Status reason of a covered mutant outside of the sample. */
export const OUTSIDE_SAMPLE = 'It is not in the sample.';
/** Status reason of a mutant of the sample whose result an earlier run has written. */
export const DECIDED_BEFORE = 'An earlier run decided it.';
const UNCOVERED = 'No test covers it.';
/** Name of the checker in the options of Stryker. */
export const SAMPLING = 'sampling';

const relativeName = (fileName: string): string => path.relative(process.cwd(), fileName).replaceAll('\\', '/');

/** Depends on seed and mutant only, so the same seed draws the same sample. */
function rankOf(seed: string, { fileName, location, mutatorName, replacement }: Mutant): string {
  const file = relativeName(fileName);
  return createHash('sha256')
    .update(JSON.stringify([seed, file, location, mutatorName, replacement]))
    .digest('hex');
}

/** A random sample of `size` mutants. */
export function sampleOf<M extends Mutant>(mutants: readonly M[], size: number, seed: string): M[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(seed, mutant) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, size).map(({ mutant }) => mutant);
}

/** Stryker counts lines and columns from 0 here, and from 1 in its reports. */
function reportedName(mutant: Mutant): string {
  const reported = ({ line, column }: Mutant['location']['start']) => ({ line: line + 1, column: column + 1 });
  const { start, end } = mutant.location;
  return nameOf(relativeName(mutant.fileName), { ...mutant, location: { start: reported(start), end: reported(end) } });
}

/** Mutants with a result that counts. */
function decidedBefore(): ReadonlyMap<string, Status> {
  const known = decided(readResults(process.env[RESULTS_FILE] ?? ''));
  if (process.env[TRY_SURVIVORS] !== undefined) for (const [name, status] of known) if (status === 'Survived') known.delete(name);
  return known;
}

const isCovered = ({ static: isStatic = false, coveredBy = [] }: MutantTestCoverage): boolean => isStatic || coveredBy.length > 0;

/**
 * Draws a sample of the mutants that a test covers. Stryker excludes mutants refused by a checker from the score, so the
 * score is that of the sample.
 */
class SamplingChecker implements Checker {
  #sampled: ReadonlySet<string> | undefined;
  readonly #decided = decidedBefore();

  init(): Promise<void> {
    return Promise.resolve();
  }

  group(mutants: Mutant[]): Promise<string[][]> {
    if (this.#sampled !== undefined) throw new Error('The sample can only be drawn from all mutants at once');
    const size = Number(process.env[SAMPLE_SIZE] ?? Number.POSITIVE_INFINITY);
    const sample = sampleOf(mutants.filter(isCovered), size, process.env[SAMPLE_SEED] ?? '1');
    this.#sampled = new Set(sample.map(({ id }) => id));
    return Promise.resolve([mutants.map(({ id }) => id)]);
  }

  check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    return Promise.resolve(Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultOf(mutant)])));
  }

  #resultOf(mutant: Mutant): CheckResult {
    const skipped = (reason: string): CheckResult => ({ status: CheckStatus.CompileError, reason });
    if (!isCovered(mutant)) return skipped(UNCOVERED);
    if (this.#sampled?.has(mutant.id) !== true) return skipped(OUTSIDE_SAMPLE);
    return this.#decided.has(reportedName(mutant)) ? skipped(DECIDED_BEFORE) : { status: CheckStatus.Passed };
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, SAMPLING, SamplingChecker)];
