import { test, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from './head-end.ts';
import { settled } from './settled.ts';
import { signIn } from './sign-in.ts';

const TEST_WITHIN_MS = 240_000;

export interface SmallFleet {
  headEnd: HeadEnd;
  /** Opens a signed-in window at a page with loaded content; it is closed when the test ends. */
  open(browser: Browser, path: string, viewport?: { width: number; height: number }): Promise<Page>;
}

/** One start of the product for the tests of a file, with a fleet of three DCUs, and windows of its administrator. */
export function setUpSmallFleet(isReady: (headEnd: HeadEnd) => Promise<unknown> = () => Promise.resolve()): SmallFleet {
  let headEnd: HeadEnd;
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
  /** Windows of earlier tests are closed, since they would continue to draw incoming data. */
  const opened: BrowserContext[] = [];

  test.beforeAll(async ({ browser }) => {
    test.setTimeout(TEST_WITHIN_MS);
    headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' } });
    await isReady(headEnd);
    const page = await browser.newPage();
    await signIn(page, headEnd);
    signedIn = await page.context().storageState();
    await page.close();
  });
  // eslint-disable-next-line no-empty-pattern -- Playwright requires a pattern as the first argument
  test.afterEach(async ({}, info) => {
    for (const context of opened.splice(0)) await context.close();
    if (info.status !== info.expectedStatus) await info.attach('what the head-end printed', { body: headEnd.output() });
  });
  test.afterAll(async () => {
    await headEnd.stop();
    removeDataDir(headEnd.dataDir);
  });
  return {
    get headEnd() {
      return headEnd;
    },
    async open(browser, path, viewport = { width: 1920, height: 1080 }) {
      const context = await browser.newContext({ storageState: signedIn, viewport });
      opened.push(context);
      const page = await context.newPage();
      await page.goto(`${headEnd.address}/hes/${path}`);
      await settled(page);
      return page;
    },
  };
}
