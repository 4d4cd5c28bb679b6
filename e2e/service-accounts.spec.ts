import { expect, test } from '@playwright/test';
import { choose } from './support/choose.ts';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { signIn } from './support/sign-in.ts';

let headEnd: HeadEnd;
test.beforeAll(async () => {
  headEnd = await start();
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

test('an administrator adds a service account and a token, the program uses it, and loses it when it is revoked', async ({
  page,
  request,
}) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/system/system-management/user-management`);
  await page.getByText('Service accounts', { exact: true }).click();
  await expect(page.getByText('No service accounts yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add service account' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Client ID').fill('mdm-import');
  await form.getByRole('textbox', { name: 'Program' }).fill('Meter data');
  await choose(page, form.getByRole('combobox', { name: 'Role' }), /DATA_ENGINEER/);
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /mdm-import/ });
  await expect(row).toContainText('No valid token');

  await row.click();
  const pane = page.getByRole('complementary', { name: 'Service account mdm-import' });
  await pane.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('dialog').getByLabel('Token name').fill('2026-11');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const shown = page.getByRole('dialog', { name: 'Token of mdm-import' });
  await expect(shown).toContainText('This is shown once.');
  const token = await shown.locator('b').innerText();
  await shown.getByRole('button', { name: 'Close' }).last().click();
  await expect(pane.getByRole('row', { name: /2026-11/ })).toContainText('Valid');

  const me = () =>
    request
      .get(`${headEnd.address}/api/v1/manager/user/me`, { headers: { authorization: `Bearer ${token}` } })
      .then((answer) => answer.status());
  expect(await me()).toBe(200);
  await pane.getByRole('button', { name: 'Revoke the token 2026-11?' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await expect(pane.getByRole('row', { name: /2026-11/ })).toContainText('Revoked');
  expect(await me()).toBe(401);
});

test('the viewer of the API shows the promised operations and loads nothing from elsewhere', async ({ page }) => {
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(headEnd.address) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${headEnd.address}/api/docs`);
  await expect(page.getByText('/action/read/on-demand')).toBeVisible();
  await page.getByText('/action/read/on-demand').click();
  await expect(page.getByText('Orders that meters are read now').first()).toBeVisible();
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
});
