import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

test('the first sender is added from the empty page, and runs', async ({ page }) => {
  test.setTimeout(180_000);
  const receiver = createServer((request, response) => void request.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // as: a TCP server

  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/system/system-management/deliveries`);
  await expect(page.getByText('No system receives data by itself yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add sender' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add sender' });
  await form.getByRole('textbox', { name: 'Name' }).fill('billing');
  await form.getByRole('textbox', { name: 'Webhook URL' }).fill(`http://127.0.0.1:${port}/hook`);
  await form.getByRole('textbox', { name: 'Signing Secret' }).fill('short');
  await form.getByRole('checkbox', { name: 'Master data' }).check();
  await form.getByRole('checkbox', { name: 'Readings' }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toContainText('At least 24 characters');
  await form.getByRole('textbox', { name: 'Signing Secret' }).fill('a secret of at least 24 characters');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /^billing Running / })).toBeVisible();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});
