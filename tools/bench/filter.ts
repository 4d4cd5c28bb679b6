import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from '@playwright/test';
import type { HeadEnd } from '../../e2e/support/head-end.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { BENCH_PASSWORD, openBenchDatabase } from './bench-database.ts';
import { startHeadEnd } from './head-end-process.ts';

const SEARCHES = ['26010', '77123', '4042', '9', '000017'];
/** Event timing does not report shorter events. */
const FINEST_MS = 16;
const SETTLE_MS = 2000;

const isLoaded = () => existsSync(resolve(process.env['HES_BENCH_DATA_DIR'] ?? join(import.meta.dirname, '../../data/bench')));

/** The slowest interaction, from a key or press until it is painted, while a list of a million meters is filtered. */
export async function slowestInteraction(browser: Browser): Promise<number | undefined> {
  if (!isLoaded()) return undefined;
  const database = await openBenchDatabase();
  const headEnd = await startHeadEnd({ DATABASE_URL: database.url, HES_DATA_DIR: join(database.dataDir, 'head-end') });
  try {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
    // as: signing in uses the address only
    await signIn(page, { address: headEnd.address } as HeadEnd, { username: 'admin', password: BENCH_PASSWORD });
    await page.goto(`${headEnd.address}/hes/assets/meter-asset-discovery`);
    await page.locator('tbody tr[data-row]').first().waitFor();
    const slowest = await page.evaluateHandle((finestMs) => {
      const seen = { ms: 0 };
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.ms = Math.max(seen.ms, duration);
        // as: the compiler does not know this option yet
      }).observe({ type: 'event', durationThreshold: finestMs } as PerformanceObserverInit);
      return seen;
    }, FINEST_MS);
    const field = page.getByRole('main').getByRole('textbox').first();
    for (const text of SEARCHES) {
      await field.fill('');
      await field.pressSequentially(text, { delay: 60 });
      await field.press('Enter');
      await page.waitForTimeout(SETTLE_MS);
    }
    return slowest.evaluate(({ ms }) => Math.round(ms));
  } finally {
    await headEnd.stop();
    await database.stop();
  }
}
