import { expect, type Locator, type Page } from '@playwright/test';

/** How long a list that opens may move before one tries again. */
const LIST_SETTLES_MS = 5_000;

/**
 * Chooses from the list of a combobox by the title of an entry. While a list opens it moves, and a click may land beside it: so it is
 * chosen when the field shows it, and tried again until then.
 */
export async function choose(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  const shown = field.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " ant-select ")][1]');
  await expect(async () => {
    await field.click({ timeout: LIST_SETTLES_MS });
    const entry = page.locator('.ant-select-dropdown:visible').getByTitle(option).first();
    const title = (await entry.getAttribute('title', { timeout: LIST_SETTLES_MS })) ?? '';
    await entry.click({ timeout: LIST_SETTLES_MS });
    await expect(shown).toContainText(title, { timeout: LIST_SETTLES_MS });
  }).toPass();
}
