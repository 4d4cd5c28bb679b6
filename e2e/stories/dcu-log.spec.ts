import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import type { HeadEnd } from '../support/head-end.ts';
import { shareHeadEnd } from '../support/shared-head-end.ts';

let headEnd: HeadEnd;
let page: Page;
shareHeadEnd((shared) => ({ headEnd, page } = shared));

const at = (path: string): string => `${headEnd.address}/hes${path}`;

/** Makes the head-end read parameters of a DCU, as another user would. */
const readParameters = (keys: string[]) =>
  page.evaluate(async (wanted) => {
    const kept = localStorage.getItem('HES_TOKEN') ?? sessionStorage.getItem('HES_TOKEN') ?? '{}';
    const { access_token: token } = JSON.parse(kept) as { access_token: string }; // as: what the console keeps
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await fetch('/api/action/dcu-config-order/read', { method: 'POST', headers, body: JSON.stringify({ dcuIds: ['1'], keys: wanted }) });
  }, keys);

test('S-023 S-085: parameters of a DCU are read, one is changed, written and confirmed by read-back, and a set is saved as a template', async () => {
  await page.goto(at('/action/dcu-configuration?dcu=1'));
  await expect(page.getByRole('button', { name: /DCU26000001/ })).toContainText('Online', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Read all' }).click();
  await page.getByRole('button', { name: 'Back to the parameters' }).click();
  const row = page.getByRole('row', { name: /^Heartbeat/ });
  await expect(row).toContainText('60 s', { timeout: 30_000 });
  await expect(row).toContainText('In sync');
  await page.getByLabel('Heartbeat').fill('5');
  await expect(page.getByRole('button', { name: /Write 1 changed/ })).toBeDisabled();
  await page.getByLabel('Heartbeat').fill('120');
  await page.getByRole('button', { name: /Write 1 changed/ }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Quieter nights');
  await page.getByRole('dialog').getByRole('button', { name: 'Write' }).click();
  await page.getByRole('button', { name: 'Back to the parameters' }).click();
  await expect(row).toContainText('120 s', { timeout: 30_000 });
  await expect(row).toContainText('In sync');
  const set = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  expect(await readFile(await (await set).path(), 'utf8')).toContain('heartbeat_s,120,Heartbeat,s');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByLabel('Template name').fill('Nights');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Template saved')).toBeVisible();

  await page.getByRole('button', { name: 'Factory' }).click();
  const factory = page.getByRole('dialog', { name: /Factory/ });
  await factory.getByLabel(/serial number/i).fill('DCU26000002');
  await factory.getByLabel('Reason').fill('Returned');
  await factory.getByRole('button', { name: /Factory/ }).click();
  await expect(factory.getByText(/not the serial number/i)).toBeVisible();
  await factory.getByRole('button', { name: 'Cancel' }).click();
});

test('S-033 S-094: frames are followed live, paused, filtered, opened to the field, saved, replayed, and the capture ends on command', async () => {
  await page.goto(at('/system/debug/dcu-log-management?node=dcu:1'));
  await expect(page.getByText('Nothing is captured').first()).toBeVisible();
  await page.getByRole('combobox', { name: 'Ends after' }).click();
  await page.getByTitle('1 h', { exact: true }).click();
  await page.getByLabel('Capture').getByText('All', { exact: true }).click();
  await expect(page.getByText(/^until \d{4}-.* by Administrator/)).toBeVisible();
  await readParameters(['name']);
  const lines = page.getByRole('log', { name: 'Live' }).getByRole('button');
  await expect(lines.filter({ hasText: 'getResponse' }).first()).toBeVisible({ timeout: 30_000 });

  await page.getByRole('button', { name: 'Pause' }).click();
  const held = await lines.count();
  await readParameters(['name']);
  await expect(page.getByRole('button', { name: /Resume \([1-9]\d* new\)/ })).toBeVisible({ timeout: 30_000 });
  expect(await lines.count()).toBe(held);
  await page.getByRole('button', { name: /Resume/ }).click();
  await expect.poll(() => lines.count()).toBeGreaterThan(held);

  await page.getByLabel('Service').fill('getResponse');
  await page.getByLabel('Service').press('Enter');
  await expect(lines.filter({ hasText: 'getRequest' })).toHaveCount(0);
  await lines.first().click();
  await expect(page.getByRole('dialog', { name: 'Whole exchange' }).getByText('getResponse').first()).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('tab', { name: 'History' }).click();
  const rows = page.getByRole('grid', { name: 'History' }).locator('tr[data-row]');
  await expect(rows.first()).toContainText('getResponse', { timeout: 15_000 });
  await expect(rows.first().getByRole('link', { name: /^#\d+$/ })).toBeVisible();
  await rows.first().click();
  const frame = page.getByRole('dialog', { name: 'Frame' });
  await expect(frame.getByText('Deciphered')).toBeVisible();
  await frame.getByLabel('Note').fill('Answers late');
  await frame.getByRole('button', { name: 'Save note' }).click();
  await expect(rows.filter({ hasText: 'Answers late' })).toHaveCount(1);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Replay in simulator' }).click();
  await page.getByRole('menuitem', { name: 'Answer as captured' }).click();
  await expect(page.getByText(/Simulated devices answer as captured for 15 minutes: [1-9]/)).toBeVisible();
  await page.getByLabel('Capture').getByText('Off', { exact: true }).click();
  await expect(page.getByText('Nothing is captured').first()).toBeVisible();
});
