import { expect, type Page } from '@playwright/test';
import { PASSWORD, type HeadEnd } from './head-end.ts';

/** Signs in as a person does: name, password, slider dragged to its end, agreement ticked. */
export async function signIn(page: Page, headEnd: HeadEnd, who = { username: 'admin', password: PASSWORD }): Promise<void> {
  await tryToSignIn(page, headEnd, who);
  await expect(page).toHaveURL(/\/hes\/dashboard/);
}

/** The same, without waiting for it to succeed. */
export async function tryToSignIn(page: Page, headEnd: HeadEnd, who: { username: string; password: string }): Promise<void> {
  await page.goto(`${headEnd.address}/hes/login`);
  await fillSignIn(page, who);
  await page.getByRole('button', { name: 'Log In' }).click();
}

/** Everything but the button, on the sign-in page that is open. */
export async function fillSignIn(page: Page, who: { username: string; password: string }): Promise<void> {
  await page.getByLabel(/^User Name$/).fill(who.username);
  await page.getByLabel(/^Password$/).fill(who.password);
  await dragSlider(page);
  await page.getByRole('checkbox', { name: /Service Agreement/ }).check();
}

async function dragSlider(page: Page): Promise<void> {
  const handle = page.getByRole('slider');
  const box = await handle.boundingBox();
  const track = await handle.locator('..').boundingBox();
  if (!box || !track) throw new Error('the slider is not on the page');
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, middle);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width / 2, middle, { steps: 8 });
  await page.mouse.move(track.x + track.width + 4, middle, { steps: 8 });
  await page.mouse.up();
  await expect(page.getByText('Verified')).toBeVisible();
}
