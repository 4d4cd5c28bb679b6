import { expect, type Locator, type Page } from '@playwright/test';

/** Selects an entry of a combobox by its title, once the animation of the list has ended. */
export async function choose(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  const shown = field.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " ant-select ")][1]');
  await field.click();
  const list = page.locator('.ant-select-dropdown:visible');
  await expect(list).not.toHaveClass(/ant-slide-/);
  const entry = list.getByTitle(option).first();
  const title = (await entry.getAttribute('title')) ?? '';
  await entry.click();
  await expect(shown).toContainText(title);
}
