import { test, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from './head-end.ts';
import { signIn } from './sign-in.ts';

/**
 * A head-end with a fast test fleet for all tests of a file, and one signed-in page: each test continues where the
 * previous one ended. `then` receives both before the first test.
 */
export function shareHeadEnd(then: (shared: { headEnd: HeadEnd; page: Page }) => void): void {
  let headEnd: HeadEnd | undefined;
  test.describe.configure({ mode: 'serial', timeout: 180_000 });
  test.beforeAll(async ({ browser }) => {
    test.setTimeout(150_000);
    headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town' } });
    const page = await browser.newPage();
    await signIn(page, headEnd);
    then({ headEnd, page });
  });
  test.afterAll(async () => {
    await headEnd?.stop();
    if (headEnd !== undefined) removeDataDir(headEnd.dataDir);
  });
}
