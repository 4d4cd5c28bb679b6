import { expect, test, type Page } from '@playwright/test';
import { setUpSmallFleet } from '../support/small-fleet.ts';

const fleet = setUpSmallFleet();
test.describe.configure({ timeout: 240_000 });

/** Lists with columns of low rank and a pane. */
const LISTS = [
  'assets/dcu',
  'assets/dcu-type-management',
  'assets/meter-type-management',
  'assets/supplier-management',
  'assets/transformer',
  'assets/meter-asset-discovery',
  'meter/collect-plan',
  'meter/obis-management',
  'system/system-management/user-management',
  'system/system-management/audit',
];

const table = (page: Page) => page.locator('main').getByRole('grid').filter({ visible: true }).last();
const rows = (page: Page) => table(page).locator('tbody tr[data-row]');

/** The columns that the chooser offers, and whether each is checked. */
async function choicesOf(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Columns and density' }).filter({ visible: true }).click();
  const chooser = page.getByRole('group', { name: 'Columns and density' });
  await expect(chooser).toBeVisible();
  const choices = await chooser
    .getByRole('checkbox')
    .evaluateAll((boxes) => boxes.map((box) => `${box.closest('label')?.textContent} ${(box as HTMLInputElement).checked}`));
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  await expect(chooser).toBeHidden();
  return choices;
}

test('an open pane leaves all columns to the chooser and to files', async ({ browser }) => {
  for (const path of LISTS) {
    await test.step(path, async () => {
      const page = await fleet.open(browser, path, { width: 1366, height: 768 });
      await expect(rows(page).first()).toBeVisible();
      const before = await choicesOf(page);
      await rows(page).first().locator('td').nth(1).click();
      await expect(page).toHaveURL(/[?&]sel=/);
      expect(await choicesOf(page), path).toEqual(before);
      await page.context().close();
    });
  }
});

test('J and Esc work in the list of stations, whose filters can be cleared and which can be refreshed', async ({ browser }) => {
  const page = await fleet.open(browser, 'system/debug/sta-model?dcuId=1');
  await expect(page.getByRole('button', { name: 'Refresh' }).filter({ visible: true })).toBeVisible();
  await rows(page).first().click();
  const selected = () => new URL(page.url()).searchParams.get('sel');
  await expect(rows(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('j');
  await expect.poll(selected).toBe(await rows(page).nth(1).getAttribute('data-row'));
  await page.keyboard.press('Escape');
  await expect.poll(selected).toBeNull();
  const filter = page.getByRole('textbox', { name: /MAC/ });
  await filter.fill('nothing');
  await filter.press('Enter');
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await expect(filter).toHaveValue('');
});

test('clearing the filters of objects empties the filter of the class', async ({ browser }) => {
  const page = await fleet.open(browser, 'meter/obis-management');
  const filter = page.getByRole('textbox', { name: 'Class' });
  await filter.fill('7');
  await filter.press('Enter');
  await expect(page).toHaveURL(/classId=7/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(filter).toHaveValue('');
  await expect(page).not.toHaveURL(/classId/);
});

test('a form whose details cannot be read says so, and opens after a retry', async ({ browser }) => {
  const page = await fleet.open(browser, 'assets/dcu');
  let isBroken = true;
  await page.route(/\/api\/asset\/dcu\/\d+$/, (route) =>
    isBroken ? route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'Out of order' } }) : route.continue(),
  );
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('500');
  isBroken = false;
  await drawer.getByRole('button', { name: 'Try again' }).click();
  await expect(drawer.getByRole('button', { name: 'Save' })).toBeVisible();
});

test('the map keeps the view that the user chose when the window changes', async ({ browser }) => {
  const page = await fleet.open(browser, 'assets/transformer?view=map');
  const map = page.getByRole('application');
  await expect(map.locator('.leaflet-marker-icon').first()).toBeVisible();
  const scale = map.locator('.leaflet-control-scale-line');
  const whole = await scale.textContent();
  for (let press = 0; press < 4; press += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(scale).not.toHaveText(whole ?? '');
  const chosen = await scale.textContent();
  const widthPx = () => map.evaluate((box) => box.clientWidth);
  const before = await widthPx();
  await page.setViewportSize({ width: 1900, height: 1060 });
  await expect.poll(widthPx).not.toBe(before);
  await expect(scale).toHaveText(chosen ?? '');
  // The library would give each marker a layer of its own.
  for (const style of await map
    .locator('.leaflet-marker-icon')
    .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).style.transform)))
    expect(style).toMatch(/^translate\(/);
});
