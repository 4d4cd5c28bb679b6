import { expect, test, type Page } from '@playwright/test';
import { holdTime, registersOf, readFleet } from '../support/ground-truth.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn as enter } from '../support/sign-in.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const FLEET_WITHIN_MS = 90_000;
const READ_WITHIN_MS = 60_000;
const DAY_MS = 86_400_000;
const UTILITY_AHEAD_MS = 8 * 3_600_000;

let headEnd: HeadEnd;
let sn: string;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '2x6' } });
  await expect(() => readFleet(headEnd)).toPass({ timeout: FLEET_WITHIN_MS });
  const { meters } = await readFleet(headEnd);
  sn = meters.find((meter) => meter.phase === 'abc' && !meter.isMaster)?.sn ?? meters[0]?.sn ?? '';
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const spaced = (text: string): string => text.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
const tree = (page: Page) => page.getByRole('tree', { name: 'Network nodes' });

/** Signs in to a head-end that has taken over the meter. */
async function signIn(page: Page, at: HeadEnd): Promise<void> {
  await enter(page, at);
  await metersTakenOver(page, [sn]);
}

async function choose(page: Page): Promise<void> {
  await page.getByLabel('SN, name or transformer').fill(sn);
  await tree(page).getByText(spaced(sn)).click();
}

test('S-083 S-021: clocks are read, and those with a deviation are set with a reason', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/action/clock-synchronization?kind=meter&search=${sn}`);
  const box = page.getByRole('checkbox', { name: new RegExp(`^Select .*${sn.slice(-4)}`) });
  await box.check();
  await page.getByRole('button', { name: 'Read clock' }).click();
  await expect(page).toHaveURL(/task=\d+/);
  await expect(page.locator('tr[data-row]').first()).toContainText('Read success', { timeout: READ_WITHIN_MS });

  await page.getByRole('button', { name: 'Back to the clocks' }).click();
  await box.check();
  await page.getByRole('button', { name: 'Synchronize' }).click();
  const dialog = page.getByRole('dialog', { name: /^Synchronize 1 clock/ });
  await dialog.getByRole('button', { name: 'Synchronize' }).click();
  await expect(dialog).toContainText('Please enter the reason');
  await dialog.getByLabel('Reason').fill('Spring check');
  await dialog.getByRole('button', { name: 'Synchronize' }).click();
  await expect(page.locator('tr[data-row]').first()).toContainText('Synchronized', { timeout: READ_WITHIN_MS });
});

test('S-087: momentary values of a meter equal the truth and are shown with phasors', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/action/real-time-reading`);
  await choose(page);
  await holdTime(headEnd, true);
  const truth = await registersOf(headEnd, sn);
  await page.getByRole('button', { name: 'Read now' }).click();
  const card = page.getByRole('article', { name: sn });
  await expect(card).toHaveAttribute('data-fresh', 'true', { timeout: READ_WITHIN_MS });
  await holdTime(headEnd, false);
  await expect(card.getByRole('rowheader', { name: 'L1' }).locator('..')).toContainText((truth.u[0] ?? Number.NaN).toFixed(1));
  await expect(card.getByRole('img', { name: /^Phasor diagram/ })).toBeVisible();
});

test('S-088: logs of a meter are read on demand, and new entries appear among its events', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/action/event-reading`);
  await choose(page);
  await page.getByRole('button', { name: 'Read logs' }).click();
  const row = page.getByRole('grid', { name: 'Results' }).locator('tr[data-row]').first();
  await expect(row).toContainText('Read success', { timeout: READ_WITHIN_MS });
  await row.click();
  await expect(page.getByRole('link', { name: 'Open in Meter Event' }).or(page.getByText('No event in this range')).first()).toBeVisible();
});

test('S-017: missing data is shown by day and meter, and arrives after a refill', async ({ page }) => {
  await signIn(page, headEnd);
  // Before the look-back of all plans: the meter still holds the data, but no plan reads it.
  const [from, to] = [12, 11].map((back) => new Date(Date.now() + UTILITY_AHEAD_MS - back * DAY_MS).toISOString().slice(0, 10));
  await page.goto(`${headEnd.address}/hes/meter/auto-meter-reading?from=${from}&to=${to}`);
  await choose(page);
  const summary = page.getByRole('group', { name: 'Completeness' });
  await expect(summary).toContainText(/Expected 2\s*Got 0\s*Missing 2/);
  await page.getByRole('button', { name: 'Refill gaps' }).click();
  const drawer = page.getByRole('dialog', { name: /^Refill: Daily freeze/ });
  await drawer.getByRole('button', { name: 'Refill 1 meters' }).click({ timeout: READ_WITHIN_MS });
  await expect(drawer).toContainText('Succeeded', { timeout: READ_WITHIN_MS });
  await drawer.getByRole('button', { name: 'Close' }).first().click();
  await expect(page.getByRole('grid', { name: 'Daily freeze' }).locator('tr[data-row]')).toHaveCount(2, { timeout: READ_WITHIN_MS });
  await expect(page.locator('tr[data-row]').first()).toContainText('Refilled');
});

test('S-017: a missing day is listed with its reason and refilled from its row; so is the end of a month', async ({ page }) => {
  await signIn(page, headEnd);
  const day = new Date(Date.now() + UTILITY_AHEAD_MS - 16 * DAY_MS).toISOString().slice(0, 10);
  await page.goto(`${headEnd.address}/hes/meter/auto-meter-reading?from=${day}&to=${day}`);
  await choose(page);
  const refillOne = async (kind: string) => {
    const rows = page.getByRole('grid', { name: kind }).locator('tr[data-row]');
    await page.getByRole('button', { name: 'Refill gaps' }).click();
    const drawer = page.getByRole('dialog', { name: new RegExp(`^Refill: ${kind}`) });
    await expect(drawer.getByRole('button', { name: /^Refill \d+ meters/ })).toBeEnabled({ timeout: READ_WITHIN_MS });
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
    await page.getByRole('button', { name: 'Refresh' }).click();
    const missing = rows.filter({ hasText: 'Missing' }).first();
    await expect(missing).toBeVisible();
    const [freeze = ''] = (await missing.innerText()).match(/\d{4}-\d\d-\d\d/) ?? [];
    await missing.click();
    await page.getByRole('dialog', { name: 'Frames of this value' }).getByRole('button', { name: 'Refill gaps' }).click();
    await drawer.getByRole('button', { name: 'Refill 1 meters' }).click({ timeout: READ_WITHIN_MS });
    await expect(drawer).toContainText('Succeeded', { timeout: READ_WITHIN_MS });
    await page.keyboard.press('Escape');
    await expect(rows.filter({ hasText: freeze })).toContainText('Refilled', { timeout: READ_WITHIN_MS });
  };
  await refillOne('Daily freeze');
  await page.getByRole('tab', { name: 'Monthly billing' }).click();
  await expect(page.getByText('at most 12 months')).toBeVisible();
  await refillOne('Monthly billing');
});

test('S-017: a missing quarter-hour is listed with its reason and refilled from its row', async ({ page }) => {
  await signIn(page, headEnd);
  const day = new Date(Date.now() + UTILITY_AHEAD_MS - 14 * DAY_MS).toISOString().slice(0, 10);
  await page.goto(`${headEnd.address}/hes/meter/auto-meter-reading?tab=lpa&from=${day}&to=${day}`);
  await choose(page);
  await page.getByRole('button', { name: 'Refill gaps' }).click();
  const drawer = page.getByRole('dialog', { name: /^Refill: Load profile A/ });
  const order = drawer.getByRole('button', { name: 'Refill 1 meters' });
  await expect(order).toBeEnabled({ timeout: READ_WITHIN_MS });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Refresh' }).click();
  const rows = page.getByRole('grid', { name: 'Load profile A' }).locator('tr[data-row]');
  await expect(rows.first()).toContainText('Missing');
  await expect(rows.first()).toContainText('Waiting');
  await page.getByRole('button', { name: 'Refill gaps' }).click();
  await order.click({ timeout: READ_WITHIN_MS });
  await expect(drawer).toContainText('Succeeded', { timeout: READ_WITHIN_MS });
  await page.keyboard.press('Escape');
  await expect(rows.first()).toContainText('Refilled', { timeout: READ_WITHIN_MS });
  await expect(rows.first()).toContainText('Read success');
});
