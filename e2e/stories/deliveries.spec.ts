import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { ageRights, inDatabase } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const WITHIN_MS = 30_000;

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

test('a sender is added, tested, fails in words, recovers, and is paused and replayed', async ({ page }) => {
  test.setTimeout(180_000);
  let status = 200;
  const types: string[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (status === 200) types.push(...(JSON.parse(Buffer.concat(chunks).toString()) as { type: string }[]).map(({ type }) => type));
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // as: a TCP server
  const rename = (name: string) => inDatabase(headEnd, (pool) => pool.query(`update meter set customer_name = $1 where id = 1`, [name]));

  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/system/system-management/deliveries`);
  await expect(page.getByText('No system receives data by itself yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add Sender' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add sender' });
  await form.getByRole('textbox', { name: 'Name' }).fill('billing');
  await form.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${port}/hook`);
  await form.getByRole('textbox', { name: 'Signing Secret' }).fill('short');
  await form.getByRole('checkbox', { name: 'Master data' }).check();
  await form.getByRole('checkbox', { name: 'Readings' }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toContainText('At Least 24 Characters');
  await form.getByRole('textbox', { name: 'Signing Secret' }).fill('a secret of at least 24 characters');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: 'billing', exact: true });
  await expect(row).toContainText('Running');

  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test sender billing' });
  await dialog.getByRole('button', { name: 'Send Test Message' }).click();
  await expect(dialog.getByRole('status')).toContainText('The receiver accepted the message');
  expect(types).toEqual(['org.hes.test']);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  status = 503;
  await rename('A. Example');
  await expect(row).toContainText('Failing, retried', { timeout: WITHIN_MS });
  await expect(row).toContainText('The receiver answered with status 503');
  status = 200;
  await expect(row).toContainText('Running', { timeout: WITHIN_MS });
  await expect.poll(() => types, { timeout: WITHIN_MS }).toContain('org.hes.asset.changed');

  await row.click();
  const pane = page.getByRole('complementary', { name: 'Sender billing' });
  await expect(pane).toContainText('No message was put aside');
  await pane.getByRole('button', { name: 'Pause' }).click();
  await expect(row).toContainText('Paused');
  await pane.getByRole('button', { name: 'Resume' }).click();
  await expect(row).toContainText('Running');
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});
