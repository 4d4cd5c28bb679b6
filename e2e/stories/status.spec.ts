import { expect, test, type Page } from '@playwright/test';
import { countClicks } from '../support/count-clicks.ts';
import { clearFaults, readFleet, setFault } from '../support/ground-truth.ts';
import { askControl, PASSWORD } from '../support/head-end.ts';
import { giveProof } from '../support/sign-in.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { askAs, metersTakenOver } from '../support/taken-over.ts';

const READ_WITHIN_MS = 90_000;
let sn = '';
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  const { meters, truth } = await readFleet(headEnd);
  const problem = new Set(Object.values(truth.problems).flat());
  const meter = meters.find((one) => !one.isMaster && !problem.has(one.sn) && !problem.has(one.dcuSn));
  if (meter === undefined) throw new Error('the fleet has no ordinary meter');
  ({ sn } = meter);
});

const causes = (page: Page) => page.getByRole('region', { name: 'Causes' });

/** Opens the search by its button, types, and chooses the first result that contains the text: two clicks. */
async function searchByMouse(page: Page, text: string, result: RegExp): Promise<void> {
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .click();
  await page.getByRole('combobox', { name: /Search/ }).fill(text);
  await page.getByRole('option', { name: result }).first().click();
}

test('"why is this reading missing" is answered two clicks from the dashboard, and "read now" is one more', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await metersTakenOver(page, [sn]);
  await setFault(fleet.headEnd, { target: sn, kind: 'silence' });
  const clicks = await countClicks(page);
  await searchByMouse(page, sn, new RegExp(sn.slice(-4)));
  await expect(page).toHaveURL(/assets\/status\?node=meter/);
  await expect(causes(page)).toBeVisible();
  expect(await clicks()).toBe(2);

  // The meter does not respond: after one attempt the first sentence says so, with what to do.
  await page.getByRole('button', { name: 'Read now' }).first().click();
  const run = page.getByRole('dialog', { name: /^Read .* now$/ });
  await expect(run).toContainText('Read fail', { timeout: READ_WITHIN_MS });
  await page.keyboard.press('Escape');
  await page.reload();
  const cause = causes(page).locator('[data-cause="no_response"]');
  await expect(cause).toContainText(/attempts? in a row failed with a timeout although the line is online/);
  await expect(cause.getByRole('button', { name: 'Read now' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Last attempts' })).toContainText(/did not (answer|respond)/i);
  await clearFaults(fleet.headEnd, sn);

  // Mended: the same button on the same page reads the meter.
  await cause.getByRole('button', { name: 'Read now' }).click();
  await expect(run).toContainText('Read success', { timeout: READ_WITHIN_MS });
});

test('"why is the loss high" is answered two clicks from the dashboard', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await metersTakenOver(page, [sn]);
  const clicks = await countClicks(page);
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', { name: /Search/ }).fill('loss');
  await page.getByRole('option', { name: 'Line Loss' }).click();
  await page.getByRole('grid', { name: 'Line Loss' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/assets\/status\?node=transformer/);
  await expect(causes(page)).toBeVisible();
  for (const part of ['Loss and its parts', 'Suspected theft', 'Missing data', 'Unmetered'])
    await expect(page.getByRole('region', { name: part })).toBeVisible();
  expect(await clicks()).toBe(2);
});

test('the supply of a customer is found by its number and shows its meter, bills and replacements', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await metersTakenOver(page, [sn]);
  const [stored] = (await askAs<{ items: { customerNo: string | null }[] }>(page, `/asset/meter?search=${sn}`)).items;
  const no = stored?.customerNo ?? '';
  expect(no).not.toBe('');
  await searchByMouse(page, no, new RegExp(no));
  await expect(page).toHaveURL(/assets\/status\?customer=/);
  await expect(page.getByRole('region', { name: `Causes of ${sn}` })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Meters' }).getByRole('link')).toHaveCount(1);
  for (const part of ['Bills', 'Meter replacements']) await expect(page.getByRole('region', { name: part })).toBeVisible();
});

test('a supply is disconnected and connected from the status of its meter, by the guarded dialog, and its clock is synchronized', async ({
  browser,
}) => {
  const page = await fleet.open(browser, 'dashboard');
  await metersTakenOver(page, [sn]);
  await giveProof(page, PASSWORD);
  const relayOf = async () => (await (await askControl(fleet.headEnd, `/relay/${sn}`)).json()) as { state: string; orders: number }; // as: what the control API says
  await searchByMouse(page, sn, new RegExp(sn.slice(-4)));
  const run = page.getByRole('dialog').filter({ has: page.getByText(/^#\d+ · /) });
  const head = page
    .getByRole('banner')
    .filter({ hasText: sn.slice(0, 4) })
    .or(page.locator('header[data-health]'));
  const order = async (verb: 'Disconnect' | 'Connect', state: string) => {
    await head.getByRole('button', { name: verb, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Unpaid');
    await dialog.getByLabel('Work order').fill('WO-7');
    await dialog.getByRole('button', { name: `${verb} 1 customer` }).click();
    await expect(run).toContainText('sent, confirmed by read-back', { timeout: READ_WITHIN_MS });
    expect((await relayOf()).state).toBe(state);
    await page.keyboard.press('Escape');
  };

  // The state is read before anything is switched.
  await head.getByRole('button', { name: 'Read relay state' }).click();
  await expect(run).toContainText('Connected', { timeout: READ_WITHIN_MS });
  await page.keyboard.press('Escape');
  await order('Disconnect', 'disconnected');
  await expect(causes(page).locator('[data-cause="supply_off"]').getByRole('button', { name: 'Connect' })).toBeVisible();
  await order('Connect', 'connected');
  expect((await relayOf()).orders).toBe(2);

  await head.getByRole('button', { name: 'Synchronize' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Drifted');
  await dialog.getByRole('button', { name: 'Synchronize' }).click();
  await expect(run).toContainText('Round trip', { timeout: READ_WITHIN_MS });
});
