import { expect, type Page } from '@playwright/test';

const LOADED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** Polls without pending requests; longer than the delay of a page's cover. */
const QUIET_LOOKS = 6;

/**
 * Waits until a page opened by its address has loaded its code and its first data. Waiting for the cover alone is not
 * enough: it appears late, and never on a fast page.
 */
export async function settled(page: Page): Promise<void> {
  const waiting = page.getByText(/^Loading |^正在加载/).or(page.getByRole('status', { name: /^(?:Loading|加载中)/ }));
  let quiet = 0;
  await expect
    .poll(
      async () => {
        quiet = (await waiting.count()) > 0 ? 0 : quiet + 1;
        return quiet;
      },
      { timeout: LOADED_WITHIN_MS, intervals: [LOOK_EVERY_MS] },
    )
    .toBeGreaterThanOrEqual(QUIET_LOOKS);
}
