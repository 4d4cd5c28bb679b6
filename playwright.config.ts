import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from '@playwright/test';

// Chromium wants folders for its settings even when the home folder is not ours.
const browserHome = path.join(import.meta.dirname, '.cache/browser');
mkdirSync(browserHome, { recursive: true });

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // One waits where the other works; each file has a head-end of its own.
  workers: 2,
  // A second try tells a flaky test from a broken one: `npm test` names it, and it proves no statement (decision 117).
  retries: 1,
  timeout: 150_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    // A dialog that still grows while the pointer is pressed and released takes the press elsewhere; on a busy machine that lasts long.
    contextOptions: { reducedMotion: 'reduce' },
    // Recording every page takes as much of the machine as the product does: `HES_TRACE=on npm test -- e2e/shell.spec.ts` when it is wanted.
    trace: process.env['HES_TRACE'] === 'on' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      // Unset: Playwright's own Chromium.
      ...(process.env['HES_CHROMIUM'] ? { executablePath: process.env['HES_CHROMIUM'] } : {}),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      env: { ...definedOnly(process.env), XDG_CONFIG_HOME: browserHome, XDG_CACHE_HOME: browserHome },
    },
  },
});

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
