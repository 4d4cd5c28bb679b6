import { expect, test, type Page } from '@playwright/test';
import { holdTime, registersOf, readFleet } from '../support/ground-truth.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const FLEET_WITHIN_MS = 90_000;

let headEnd: HeadEnd;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const builder = (page: Page) => page.getByRole('dialog').filter({ has: page.getByRole('tablist', { name: 'Schedule' }) });
const expression = (page: Page) => builder(page).locator('[data-part="expression"]');
const tab = (page: Page, name: string) => builder(page).getByRole('tab', { name: new RegExp(`^${name}`) });
const mode = (page: Page, number: number) => builder(page).locator(`[data-mode="${number}"] input[type="radio"]`);

async function openBuilder(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Build…' }).click();
  await expect(builder(page)).toBeVisible();
}

test('S-079 S-370 S-408 S-409 S-410: the builder describes every mode of days, Close only closes, Save applies', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/meter/collect-plan`);
  await page.getByRole('button', { name: 'Add plan' }).click();
  const schedule = page.getByRole('textbox', { name: 'Schedule' });
  await expect(schedule).toHaveValue('0 30 0 * * ? *');

  await openBuilder(page);
  await tab(page, 'Day').click();
  const fields: [number, string][] = [
    [1, '0 30 0 * * ? *'],
    [2, '0 30 0 ? * 2/1 *'],
    [3, '0 30 0 1/1 * ? *'],
    [6, '0 30 0 L * ? *'],
    [7, '0 30 0 LW * ? *'],
    [8, '0 30 0 ? * 2L *'],
    [9, '0 30 0 L-1 * ? *'],
    [10, '0 30 0 15W * ? *'],
    [11, '0 30 0 ? * 2#1 *'],
  ];
  for (const [number, text] of fields) {
    await mode(page, number).check();
    await expect(expression(page)).toHaveText(text);
  }
  await expect(builder(page).locator('[data-part="sentence"]')).toHaveText('On the first Mon of the month, at 00:30');
  await expect(builder(page).locator('li[data-run]')).toHaveCount(10);
  await builder(page).getByRole('button', { name: 'Close' }).last().click();
  await expect(schedule).toHaveValue('0 30 0 * * ? *');

  await openBuilder(page);
  await tab(page, 'Day').click();
  await mode(page, 4).check();
  for (const day of ['Mon', 'Fri']) await builder(page).getByRole('button', { name: day, exact: true }).click();
  await builder(page).getByRole('button', { name: 'Save schedule' }).click();
  await expect(builder(page)).toBeHidden();
  await expect(schedule).toHaveValue('0 30 0 ? * MON,FRI *');

  await openBuilder(page);
  await tab(page, 'Day').click();
  await expect(mode(page, 4)).toBeChecked();
  await expect(builder(page).getByRole('button', { name: 'Fri', exact: true })).toHaveAttribute('aria-pressed', 'true');

  // A schedule without any run cannot be saved.
  await tab(page, 'Year').click();
  await mode(page, 3).check();
  await builder(page).getByRole('button', { name: '2018', exact: true }).click();
  await expect(builder(page).getByRole('alert')).toContainText('The schedule has no next run');
  await expect(builder(page).getByRole('button', { name: 'Save schedule' })).toBeDisabled();
  await builder(page).getByRole('button', { name: 'Close' }).last().click();

  // Once saved, the plan is started manually, and its run is followed in the pane.
  await page.getByRole('dialog', { name: 'Add plan' }).getByRole('textbox', { name: 'Name' }).fill('Weekend freeze');
  await expect(page.getByRole('region', { name: 'Estimated load' })).toContainText('Next runs');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const row = page.getByRole('row', { name: /Weekend freeze/ });
  await expect(row).toContainText('On Mon, Fri, at 00:30');
  await row.click();
  // The fleet may still be taken over: a plan without meters has no run.
  await expect(row.locator('[data-field="meters"]')).not.toHaveAttribute('data-value', '0', { timeout: FLEET_WITHIN_MS });
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect(page.getByText(/Run \d+ started/)).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Runs' }).getByRole('row')).toHaveCount(2);
});

test('S-078: an object of the dictionary is read from a meter and shows its values', async ({ page }) => {
  await signIn(page, headEnd);
  // The control API of the simulator starts shortly after the head-end.
  await expect(() => readFleet(headEnd)).toPass({ timeout: FLEET_WITHIN_MS });
  const { meters } = await readFleet(headEnd);
  await page.goto(`${headEnd.address}/hes/meter/obis-management?search=E_PLUS`);
  await page.getByRole('row', { name: /Total Active Energy \+/ }).click();
  await page.getByRole('button', { name: 'Test read' }).click();
  const drawer = page.getByRole('dialog', { name: /Test read/ });
  await drawer.getByRole('combobox', { name: 'Meter' }).fill(meters[0]?.sn.slice(0, 6) ?? '');
  await page.locator('.ant-select-item-option').filter({ hasNotText: 'offline' }).first().click();
  const sn = /\d{8,}/.exec((await drawer.locator('.ant-select').first().textContent()) ?? '')?.[0] ?? '';
  await holdTime(headEnd, true);
  await drawer.getByRole('button', { name: 'Read', exact: true }).click();
  const value = drawer.locator('dl [data-value]').first();
  await expect(value).toBeVisible({ timeout: 20_000 });
  const truth = await registersOf(headEnd, sn);
  expect(Math.round(Number(await value.getAttribute('data-value')))).toBe(Math.round(truth.ePlus));
  await holdTime(headEnd, false);
  await expect(drawer.getByRole('button', { name: /^Received/ }).first()).toBeVisible();
});
