import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { signIn } from './support/sign-in.ts';

const pagesFolder = path.resolve(import.meta.dirname, '../apps/web/src/pages');
const paths = globSync('**/page.tsx', { cwd: pagesFolder }).map((file) => `/${path.dirname(file)}`);
const LOCALES = ['en-US', 'zh-CN'] as const;
const THEMES = ['light', 'dark'] as const;

let headEnd: HeadEnd;

test.beforeAll(async () => {
  test.setTimeout(150_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** What a browser complains about while a page is open. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  return complaints;
}

test('every page opens in both languages and both themes without a complaint of the browser', async ({ page }) => {
  await signIn(page, headEnd);
  const complaints = complaintsOf(page);
  for (const locale of LOCALES) {
    for (const theme of THEMES) {
      await page.evaluate(
        (chosen) => {
          localStorage.setItem('SYS_LOCALE', chosen.locale);
          localStorage.setItem('SYS_THEME', chosen.theme);
        },
        { locale, theme },
      );
      for (const address of paths) {
        await page.goto(`${headEnd.address}/hes${address}`);
        await page.waitForLoadState('networkidle');
        await expect(page.locator('html')).toHaveAttribute('lang', locale);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await expect(page.locator('main, h1').first(), `${address} in ${locale}, ${theme}`).not.toBeEmpty();
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
          `${address} scrolls sideways`,
        ).toBe(true);
        expect(complaints, `${address} in ${locale}, ${theme}`).toEqual([]);
      }
    }
  }
});

test('a page asked for without a sign-in leads to the sign-in page', async ({ page }) => {
  await page.goto(`${headEnd.address}/hes/assets/dcu`);
  await expect(page).toHaveURL(/\/hes\/login/);
});
