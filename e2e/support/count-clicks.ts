import type { Page } from '@playwright/test';

/** Counts every click that reaches the page from now on, as a user would. Returns a function for the number of them. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { clicks: number }; // as: a counter of this test
    counted.clicks = 0;
    document.addEventListener('pointerdown', () => counted.clicks++, true);
  });
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks); // as: set above
}
