import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { LOCALES, type Locale } from '../../packages/contract/src/core/text.ts';
import { removeDataDir, start } from '../../e2e/support/head-end.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { ensureBrowser } from '../lib/browser.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { pictureFile } from './build-manual.ts';
import { operatorChapters } from './chapters.ts';

/** Until the demonstration has read its first values, pages would be pictured empty. */
const SETTLE_MS = 240_000;
const SIZE = { width: 1440, height: 900 };

/** The page has loaded, and neither skeletons nor requests are left. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('.ant-skeleton-active').first().waitFor({ state: 'hidden' });
}

/** Pictures every page of the operator's manual in every language, of a demonstration that this starts and ends. */
export async function takePictures(folder: string): Promise<number> {
  const headEnd = await start({ env: { HES_DEMO: 'on', SIM_SCALE: '6x20' } });
  const browser = await chromium.launch({ executablePath: await ensureBrowser(await ensureInstalled()), args: ['--no-sandbox'] });
  let count = 0;
  try {
    const first = await browser.newPage({ viewport: SIZE });
    await signIn(first, headEnd);
    const storageState = await first.context().storageState();
    await first.waitForTimeout(SETTLE_MS);
    for (const locale of LOCALES) count += await pictureIn(locale);

    async function pictureIn(locale: Locale): Promise<number> {
      const context = await browser.newContext({ storageState, viewport: SIZE, reducedMotion: 'reduce' });
      await context.addInitScript((chosen) => localStorage.setItem('SYS_LOCALE', chosen), locale);
      const page = await context.newPage();
      const chapters = operatorChapters(locale);
      for (const { id, page: address } of chapters) {
        await page.goto(`${headEnd.address}/hes${address}`);
        await settled(page);
        const file = path.join(folder, pictureFile(id, locale));
        mkdirSync(path.dirname(file), { recursive: true });
        await page.screenshot({ path: file });
      }
      await context.close();
      return chapters.length;
    }
  } finally {
    await browser.close();
    await headEnd.stop();
    removeDataDir(headEnd.dataDir);
  }
  return count;
}
