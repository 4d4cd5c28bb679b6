import { expect, type Page } from '@playwright/test';
import { PASSWORD, type HeadEnd } from './head-end.ts';

/**
 * Signs in like a user: name, password, slider, agreement. The session then gives own proof; `proves: false` leaves the
 * dialog for it to the test.
 */
export async function signIn(
  page: Page,
  headEnd: HeadEnd,
  who: { username: string; password: string; proves?: boolean } = { username: 'admin', password: PASSWORD },
): Promise<void> {
  await tryToSignIn(page, headEnd, who);
  await expect(page).toHaveURL(/\/hes\/dashboard/);
  if (who.proves !== false) await giveProof(page, who.password);
}

/** Confirms the dialog for own proof. */
export async function confirmAs(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toHaveCount(0);
}

/** Gives own proof by the password, as the console's dialog does; valid for five minutes. */
export async function giveProof(page: Page, password: string): Promise<void> {
  const status = await page.evaluate(async (text) => {
    const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
    const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
    return (await fetch('/api/auth/proof', { method: 'POST', headers, body: JSON.stringify({ password: text }) })).status;
  }, password);
  expect(status).toBe(200);
}

/** Signs in without waiting for the result. */
export async function tryToSignIn(page: Page, headEnd: HeadEnd, who: { username: string; password: string }): Promise<void> {
  await page.goto(`${headEnd.address}/hes/login`);
  await fillSignIn(page, who);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Completes the open sign-in page except for the button. */
export async function fillSignIn(page: Page, who: { username: string; password: string }): Promise<void> {
  await page.getByLabel(/^User name$/).fill(who.username);
  await page.getByLabel(/^Password$/).fill(who.password);
  await dragSlider(page);
  await page.getByRole('checkbox', { name: /Service agreement/ }).check();
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
