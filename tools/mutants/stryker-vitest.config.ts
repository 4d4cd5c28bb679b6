import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { MODULE_SETTING, moduleNamed } from './stryker-modules.ts';

const { tests, globalSetup } = moduleNamed(process.env[MODULE_SETTING]);

/** Starts with the fastest files: most mutants are killed by some test, and the tests of a mutant end with the first failure. */
class FastestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durationOf = (file: TestSpecification): number => this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return Promise.resolve(files.toSorted((a, b) => durationOf(a) - durationOf(b)));
  }
}

/** The tests of one module without retries, which would hide a mutant. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    include: tests,
    globalSetup,
    isolate: false,
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: FastestFirst },
  },
});
