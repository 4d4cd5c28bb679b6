import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckStatus, type Checker, type CheckResult } from '@stryker-mutator/api/check';
import type { Mutant, MutantTestCoverage } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Environment variables of the checker, because Stryker starts it as a separate process. */
export const SAMPLE_SIZE = 'HES_MUTANTS_SAMPLE';
export const SAMPLE_SEED = 'HES_MUTANTS_SEED';
/** Status reason of a covered mutant outside of the sample. */
export const OUTSIDE_SAMPLE = 'It is not in the sample.';
const UNCOVERED = 'No test covers it.';
/** Name of the checker in the options of Stryker. */
export const SAMPLING = 'sampling';

/** Depends on seed and mutant only, so the same seed draws the same sample. */
function rankOf(seed: string, { fileName, location, mutatorName, replacement }: Mutant): string {
  const file = path.relative(process.cwd(), fileName).replaceAll('\\', '/');
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

const isCovered = ({ static: isStatic = false, coveredBy = [] }: MutantTestCoverage): boolean => isStatic || coveredBy.length > 0;

/**
 * Draws a sample of the mutants that a test covers. Stryker excludes mutants refused by a checker from the score, so the
 * score is that of the sample.
 */
class SamplingChecker implements Checker {
  #sampled: ReadonlySet<string> | undefined;

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
    const resultOf = (mutant: Mutant): CheckResult =>
      this.#sampled?.has(mutant.id) === true
        ? { status: CheckStatus.Passed }
        : { status: CheckStatus.CompileError, reason: isCovered(mutant) ? OUTSIDE_SAMPLE : UNCOVERED };
    return Promise.resolve(Object.fromEntries(mutants.map((mutant) => [mutant.id, resultOf(mutant)])));
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, SAMPLING, SamplingChecker)];
