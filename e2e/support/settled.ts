import { expect, type Page } from '@playwright/test';

const LOADED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** Longer than a page may wait before its cover comes. */
const QUIET_LOOKS = 6;

/**
 * A page that was opened by its address has what it waited for: its code and what it asked the server first. Who only waits for the
 * cover to be gone may look before it came, and find nothing wrong with nothing: what is quick needs none.
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
