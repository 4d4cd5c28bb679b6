import { expect, type Page } from '@playwright/test';

const LOADED_WITHIN_MS = 60_000;

/**
 * A page that was opened by its address has all it waited for: its code, what it asked the server, and what it asked for then. Who only
 * waits for the cover of a page that loads to be gone may look before it came: what is quick needs none.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: LOADED_WITHIN_MS });
  await expect(page.getByText(/^Loading |^正在加载/)).toHaveCount(0);
}
