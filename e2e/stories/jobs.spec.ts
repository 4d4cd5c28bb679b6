import { expect, test, type Page } from '@playwright/test';
import { countClicks } from '../support/count-clicks.ts';
import { readFleet } from '../support/ground-truth.ts';
import { askControl, PASSWORD } from '../support/head-end.ts';
import { giveProof } from '../support/sign-in.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const READ_WITHIN_MS = 90_000;
let sns: string[] = [];
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  const { meters, truth } = await readFleet(headEnd);
  const problem = new Set(Object.values(truth.problems).flat());
  sns = meters.filter((one) => !one.isMaster && !problem.has(one.sn) && !problem.has(one.dcuSn)).map(({ sn }) => sn);
  expect(sns.length).toBeGreaterThan(3);
});
test.describe.configure({ timeout: 120_000 });
test.use({ actionTimeout: 15_000 });

/** Every job begins at the dashboard. Opening a result of the search takes two clicks; typing is not counted. */
async function open(page: Page, text: string, result: RegExp | string = text): Promise<void> {
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .click();
  await page.getByRole('combobox', { name: /Search/ }).fill(text);
  await page.getByRole('option', { name: result }).first().click();
}

test('job a: a meter without a reading since yesterday is explained and read again, in at most 4 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const [sn = ''] = sns;
  await metersTakenOver(page, [sn]);
  const clicks = await countClicks(page);
  await open(page, sn, new RegExp(sn.slice(-4)));
  await expect(page.getByRole('region', { name: 'Causes' })).toBeVisible();
  await page.getByRole('button', { name: 'Read now' }).first().click();
  await expect(page.getByRole('dialog', { name: /^Read .* now$/ })).toContainText('Read success', { timeout: READ_WITHIN_MS });
  expect(await clicks()).toBeLessThanOrEqual(4);
});

test('job b: three meters are read and their values exported, in at most 6 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const three = sns.slice(0, 3);
  await metersTakenOver(page, three);
  const clicks = await countClicks(page);
  await open(page, 'On-Demand Reading');
  await page.getByRole('button', { name: 'Paste SNs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste SNs' });
  await dialog.getByRole('textbox').fill(three.join('\n'));
  await dialog.getByRole('button', { name: 'Add meters' }).click();
  await page.getByRole('button', { name: 'Start reading' }).click();
  await expect(page.locator('[data-count="read_success"] [data-value]')).toHaveAttribute('data-value', '3', { timeout: READ_WITHIN_MS });
  const file = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Export/ })
    .first()
    .click();
  expect((await file).suggestedFilename()).toMatch(/\.(csv|xlsx)$/);
  expect(await clicks()).toBeLessThanOrEqual(6);
});

test('job c: a supply is disconnected and confirmed by read-back, in at most 8 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const sn = sns[1] ?? '';
  await metersTakenOver(page, [sn]);
  await giveProof(page, PASSWORD);
  const clicks = await countClicks(page);
  await open(page, sn, new RegExp(sn.slice(-4)));
  const head = page.locator('header[data-health]');
  const run = page.getByRole('dialog').filter({ has: page.getByText(/^#\d+ · /) });
  await head.getByRole('button', { name: 'Read relay state' }).click();
  await expect(run).toContainText('Connected', { timeout: READ_WITHIN_MS });
  await run.getByRole('button', { name: 'Close' }).click();
  await head.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Disconnect supply/ });
  await dialog.getByLabel('Reason').fill('Unpaid');
  await dialog.getByLabel('Work order').fill('WO-7');
  await dialog.getByRole('button', { name: 'Disconnect 1 customer' }).click();
  await expect(run).toContainText('sent, confirmed by read-back', { timeout: READ_WITHIN_MS });
  expect(((await (await askControl(fleet.headEnd, `/relay/${sn}`)).json()) as { state: string }).state).toBe('disconnected'); // as: what the control API says
  expect(await clicks()).toBeLessThanOrEqual(8);
});

test('job e: a plan at 02:30 except on Sundays is made in at most 15 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await open(page, 'Collect Plan');
  await page.getByRole('button', { name: 'Add plan' }).click();
  const form = page.getByRole('dialog', { name: 'Add plan' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Not on Sundays');
  await form.getByRole('button', { name: 'Build…' }).click();
  const builder = page.getByRole('dialog').filter({ has: page.getByRole('tablist', { name: 'Schedule' }) });
  await builder.getByRole('tab', { name: /^Hour/ }).click();
  const hour = (number: string) => builder.getByRole('group').getByRole('button', { name: number, exact: true });
  await hour('00').click();
  await hour('02').click();
  await builder.getByRole('tab', { name: /^Day/ }).click();
  await builder.locator('[data-mode="4"] input[type="radio"]').check();
  await builder.getByRole('button', { name: 'Sun', exact: true }).click();
  await builder.getByRole('button', { name: 'All other weekdays instead' }).click();
  await expect(builder.locator('[data-part="expression"]')).toHaveText('0 30 2 ? * MON,TUE,WED,THU,FRI,SAT *');
  await builder.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('row', { name: /Not on Sundays/ })).toContainText('02:30');
  expect(await clicks()).toBeLessThanOrEqual(15);
});

test('job f: the loss of a transformer is explained in at most 3 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await open(page, 'Line Loss');
  await page.getByRole('grid', { name: 'Line Loss' }).getByRole('link').first().click();
  await expect(page.getByRole('region', { name: 'Loss and its parts' })).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(3);
});

test('job h: who changed a role is answered in at most 3 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await giveProof(page, PASSWORD);
  const status = await page.evaluate(async () => {
    const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
    const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
    return (await fetch('/api/manager/role', { method: 'POST', headers, body: JSON.stringify({ code: 'NEW_ROLE', name: 'New role' }) }))
      .status;
  });
  expect(status).toBe(201);
  const clicks = await countClicks(page);
  await open(page, 'Audit', /Audit log/);
  await page.getByRole('row', { name: /Role Added/ }).click();
  await expect(page.getByRole('complementary')).toContainText('NEW_ROLE');
  expect(await clicks()).toBeLessThanOrEqual(3);
});

test('job j: the alarms with most weight are listed by cause in at most 3 clicks, with what to do in one more', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await open(page, 'Meter Event');
  await page.getByText('By cause', { exact: true }).click();
  const causes = page.getByRole('grid', { name: 'By cause' });
  await expect(causes).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(3);
  await expect(causes.getByRole('columnheader', { name: /^Weight/ })).toHaveAttribute('aria-sort', 'descending');
});
