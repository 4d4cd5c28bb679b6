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
let installedSn = '';
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  const { meters, truth } = await readFleet(headEnd);
  const problem = new Set(Object.values(truth.problems).flat());
  const fine = meters.filter((one) => !one.isMaster && !problem.has(one.sn) && !problem.has(one.dcuSn));
  [sn = '', installedSn = ''] = fine.map((one) => one.sn);
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

/** Calls the API as the user of a page. */
const change = (page: Page, method: string, path: string, body: object) =>
  page.evaluate(
    async ([how, address, content]) => {
      const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: what the console stored
      const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
      const order = { method: how, headers, body: JSON.stringify(content) };
      return (await fetch(`/api${address}`, order)).status;
    },
    [method, path, body] as const,
  );

test('on a phone a new meter is installed behind the nearest DCU with its first value and a photo, and read as proof', async ({
  browser,
}) => {
  const page = await fleet.open(browser, 'assets/status', PHONE);
  await page.context().grantPermissions(['geolocation']);
  await metersTakenOver(page, [installedSn]);
  const [stored] = (await askAs<{ items: { id: string; dcuSn: string }[] }>(page, `/asset/meter?search=${installedSn}`)).items;
  const id = stored?.id ?? '';
  // A meter of the fleet is unbound and returned, so that a real one is installed.
  const { items: records } = await askAs<{ items: { id: string; sn: string }[] }>(page, `/asset/archive?sn=${installedSn}&bindState=bound`);
  expect(await change(page, 'POST', '/asset/archive/unbind', { recordIds: records.map((record) => record.id) })).toBe(200);
  expect(await change(page, 'PUT', '/asset/meter/state', { ids: [id], state: 'in_warehouse', reason: 'For this story' })).toBe(200);
  const [dcu] = (await askAs<{ items: { longitude: number; latitude: number }[] }>(page, `/asset/dcu?search=${stored?.dcuSn ?? ''}`)).items;
  await page.context().setGeolocation({ longitude: dcu?.longitude ?? 0, latitude: dcu?.latitude ?? 0 });

  await page.getByRole('button', { name: 'Install meter' }).click();
  const form = page.getByRole('dialog', { name: 'Install meter' });
  await form.getByRole('textbox', { name: 'New meter' }).fill(installedSn);
  await expect(form.getByText('The nearest first')).toBeVisible();
  await form.getByRole('combobox', { name: 'DCU' }).click();
  const nearest = page.locator('.ant-select-dropdown:visible .ant-select-item-option').first();
  await expect(nearest).toContainText(stored?.dcuSn ?? '');
  await nearest.click();
  await form.getByLabel('First value').fill('3.25');
  await form.locator('input[type=file]').setInputFiles({ name: 'display.png', mimeType: 'image/png', buffer: PNG });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
  await page.screenshot({ path: 'test-results/field-install.png' });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(new RegExp(`node=meter(:|%3A)${id}`));
  const { installation } = await askAs<{ installation: object }>(page, `/asset/meter/${id}/asset`);
  expect(installation).toMatchObject({ initialKwh: 3.25, hasPhoto: true });
  const { items } = await askAs<{ items: { action: string }[] }>(page, '/manager/audit?size=5');
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['meter_installed', 'exchange_photo_added']));

  await page.getByRole('button', { name: 'Read now' }).first().click();
  const run = page.getByRole('dialog', { name: /^Read .* now$/ });
  await expect(run).toContainText('Read success', { timeout: READ_WITHIN_MS });
});

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
