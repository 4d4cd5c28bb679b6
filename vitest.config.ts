import { defineConfig } from 'vitest/config';

/** No test is judged by how long it takes: this only ends one that hangs, also where the machine has other work. */
const PATIENCE = { testTimeout: 30_000, hookTimeout: 60_000 };
/** A second try tells a flaky test from a broken one: `npm test` names it, and it proves no statement (decision 117). */
const SECOND_TRY = { retry: 1 };
/**
 * Modules without a page remember nothing: what lives is handed to them. So files of a project share processes; a process for each file would
 * load what it needs anew, which is more work than most files do.
 */
const SHARED = { isolate: false };
/** Twice the cores of a small machine: many tests wait for sockets and clocks. With three workers a fifth of it was idle. */
const WORKERS = { maxWorkers: 4 };

/** One project for each answer to "what does a test need?": nothing, sockets, a database, a page. */
export default defineConfig({
  test: {
    ...WORKERS,
    projects: [
      {
        test: {
          name: 'packages',
          ...PATIENCE,
          ...SECOND_TRY,
          ...SHARED,
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'simulator',
          ...PATIENCE,
          ...SECOND_TRY,
          ...SHARED,
          include: ['apps/simulator/src/**/*.test.ts', 'apps/simulator/test/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'server',
          ...PATIENCE,
          ...SECOND_TRY,
          ...SHARED,
          include: ['apps/server/src/**/*.test.ts', 'apps/server/test/**/*.test.ts'],
          globalSetup: ['apps/server/test/global-setup.ts'],
        },
      },
      {
        extends: 'apps/web/vite.config.ts',
        root: 'apps/web',
        test: {
          name: 'web',
          ...PATIENCE,
          ...SECOND_TRY,
          // The console's stores remember, so each file has a world of its own. What it extends is Vite's own configuration, which has no workers.
          pool: 'vmThreads',
          ...WORKERS,
          root: 'apps/web',
          environment: 'jsdom',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
        },
      },
      {
        test: {
          name: 'tools',
          ...SECOND_TRY,
          include: ['tools/**/*.test.ts'],
          hookTimeout: 120_000,
          testTimeout: 120_000,
        },
      },
    ],
  },
});
