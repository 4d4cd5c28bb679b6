import { expect, test, type Page } from '@playwright/test';
import { readFleet } from '../support/ground-truth.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { askAs, metersTakenOver } from '../support/taken-over.ts';

const PHONE = { width: 390, height: 844 };
const READ_WITHIN_MS = 90_000;
/** A red pixel; the console draws it again as JPEG. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
const NEW_SN = 'FIELD0000001';

let sn = '';
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  const { meters, truth } = await readFleet(headEnd);
  const problem = new Set(Object.values(truth.problems).flat());
  sn = meters.find((one) => !one.isMaster && !problem.has(one.sn) && !problem.has(one.dcuSn))?.sn ?? '';
});
test.describe.configure({ timeout: 240_000 });

/** Puts a new meter of the type of another one into the warehouse. */
const addToWarehouse = (page: Page, typeId: string) =>
  page.evaluate(
    async ([fresh, meterTypeId]) => {
      const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: what the console stored
      const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ sn: fresh, meterTypeId, communicationMode: 'plc' });
      return (await fetch('/api/asset/meter', { method: 'POST', headers, body })).status;
    },
    [NEW_SN, typeId] as const,
  );

test('on a phone a meter is found by its number, read, and replaced with both register values and a photo', async ({ browser }) => {
  const page = await fleet.open(browser, 'assets/status', PHONE);
  await metersTakenOver(page, [sn]);
  const [stored] = (await askAs<{ items: { id: string; meterTypeId: string }[] }>(page, `/asset/meter?search=${sn}`)).items;
  expect(await addToWarehouse(page, stored?.meterTypeId ?? '')).toBe(201);

  const field = page.getByRole('textbox', { name: 'Serial number' });
  await field.fill(sn);
  await field.press('Enter');
  await expect(page).toHaveURL(/node=meter/);
  await expect(page.getByRole('region', { name: 'Causes' })).toBeVisible();
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  const read = page.getByRole('button', { name: 'Read now' }).first();
  expect((await read.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.screenshot({ path: 'test-results/field-work.png', fullPage: true });

  await read.click();
  const run = page.getByRole('dialog', { name: /^Read .* now$/ });
  await expect(run).toContainText('Read success', { timeout: READ_WITHIN_MS });
  await run.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Replace meter' }).click();
  const form = page.getByRole('dialog', { name: /^Replace / });
  await form.getByLabel('Last value').fill('812.5');
  await form.getByRole('textbox', { name: 'New meter' }).fill(NEW_SN);
  await form.locator('input[type=file]').setInputFiles({ name: 'display.png', mimeType: 'image/png', buffer: PNG });
  await page.screenshot({ path: 'test-results/field-exchange.png' });
  expect(await overflow()).toBeLessThanOrEqual(0);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${sn} replaced by ${NEW_SN}`)).toBeVisible();
  await expect(page.locator('header[data-health]')).toContainText('FIEL');

  interface Replaced {
    replacements: { id: string; newSn: string; finalKwh: number; initialKwh: number; hasPhoto: boolean }[];
  }
  const { replacements } = await askAs<Replaced>(page, `/asset/meter/${stored?.id ?? ''}/asset`);
  expect(replacements).toMatchObject([{ newSn: NEW_SN, finalKwh: 812.5, initialKwh: 0, hasPhoto: true }]);
  const { items } = await askAs<{ items: { action: string }[] }>(page, '/manager/audit?size=5');
  expect(items.map(({ action }) => action)).toContain('exchange_photo_added');
});
