import type { Page } from '@playwright/test';

/** Opens a result of the search of the console: two clicks. */
export async function openResult(page: Page, text: string, result: RegExp | string = text): Promise<void> {
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .click();
  await page.getByRole('combobox', { name: /Search/ }).fill(text);
  await page.getByRole('option', { name: result }).first().click();
}
