import { expect, test } from '@playwright/test';
import { ageRights } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

let headEnd: HeadEnd;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town', HES_DELIVERY_NETWORKS: '127.0.0.1' } });
  await ageRights(headEnd);
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

test('the first recipient and the first channel are added from the empty page', async ({ page }) => {
  test.setTimeout(240_000);
  await signIn(page, headEnd);
  const address = `${headEnd.address}/hes/system/system-management/alarms`;
  await page.goto(address);
  await expect(page.getByText('No alarm was raised yet')).toBeVisible();

  await page.getByText('Recipients', { exact: true }).click();
  await page.getByRole('button', { name: 'Add recipient' }).first().click();
  const person = page.getByRole('dialog', { name: 'Add recipient' });
  await person.getByRole('textbox', { name: 'Name' }).fill('Duty');
  await person.getByRole('textbox', { name: 'Email' }).fill('duty@example.com');
  await person.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /duty@example\.com/ })).toBeVisible();

  await page.getByText('Channels', { exact: true }).click();
  await page.getByRole('button', { name: 'Add channel' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add channel' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('mail');
  await form.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1');
  await form.getByRole('spinbutton', { name: 'Mail port' }).fill('2525');
  await form.getByRole('combobox', { name: 'Encryption' }).click();
  await page.getByTitle('None (permitted networks only)').click();
  await form.getByRole('textbox', { name: 'Sender address' }).fill('hes@example.com');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /^mail E-mail Running / })).toBeVisible();
});
