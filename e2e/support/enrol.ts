import { expect, type Locator, type Page } from '@playwright/test';
import { codeOf } from './authenticator.ts';

const RECOVERY_CODES = 10;

/** Six digits that are not a code of this key at present or in adjacent intervals. */
export const wrongCode = (key: string): string => {
  const near = new Set([-2, -1, 0, 1, 2].map((away) => codeOf(key, away)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '';
};

/** Sets up a second factor in the open dialog; the recovery codes are left on the screen. */
export async function enrol(page: Page, dialog: Locator, password: string): Promise<{ key: string; codes: string[] }> {
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  const key = (await dialog.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '');
  const code = dialog.getByLabel('Code of your authenticator app');
  await code.fill(wrongCode(key));
  await code.press('Enter');
  await expect(dialog.getByRole('alert').filter({ hasText: 'The code is wrong' })).toBeVisible();
  await code.fill(codeOf(key));
  await code.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Recovery codes' });
  await expect(shown.getByRole('listitem')).toHaveCount(RECOVERY_CODES);
  return { key, codes: await shown.getByRole('listitem').allInnerTexts() };
}
