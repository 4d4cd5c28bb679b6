import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { MODULE_SETTING, moduleNamed } from './stryker-modules.ts';

const { tests, globalSetup } = moduleNamed(process.env[MODULE_SETTING]);

/** The tests of one module without retries, which would hide a mutant. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: { include: tests, globalSetup, isolate: false, retry: 0, testTimeout: 30_000, hookTimeout: 60_000 },
});
