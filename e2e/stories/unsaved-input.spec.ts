import { expect, test, type Page } from '@playwright/test';
import { setUpSmallFleet } from '../support/small-fleet.ts';

const fleet = setUpSmallFleet();
test.describe.configure({ timeout: 180_000 });

/** Calls the API with the session of the page, as another user would meanwhile. */
async function call(page: Page, method: 'get' | 'post' | 'put', path: string, data?: object) {
  const { access_token: token } = JSON.parse((await page.evaluate(() => localStorage.getItem('HES_TOKEN'))) ?? '{}');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await page.request[method](`${fleet.headEnd.address}/api${path}`, { headers, ...(data === undefined ? {} : { data }) });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}

/** Shows the dashboard, and returns to the page, without loading the console again. */
async function leaveAndReturn(page: Page, title: string): Promise<void> {
  const tabs = page.getByRole('navigation', { name: 'Open pages' });
  await tabs.getByRole('button', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL(/dashboard/);
  await tabs.getByRole('button', { name: title, exact: true }).click();
}

test('values of DCU parameters stay while another DCU and another page are shown, and a template is replaced only on request', async ({
  browser,
}) => {
  const page = await fleet.open(browser, 'action/dcu-configuration');
  const dcus = page.locator('main li button[aria-pressed]');
  const depth = page.getByRole('textbox', { name: 'Cache depth' });
  await dcus.nth(0).click();
  await depth.fill('21');
  await dcus.nth(1).click();
  await expect(depth).not.toHaveValue('21');
  await leaveAndReturn(page, 'DCU Configuration');
  await dcus.nth(0).click();
  await expect(depth).toHaveValue('21');

  const dialog = page.getByRole('dialog', { name: 'Save as template' });
  const saveAs = async (name: string, button: string) => {
    await page.getByRole('button', { name: 'Save as template' }).click();
    await dialog.getByLabel('Template name').fill(name);
    await dialog.getByRole('button', { name: button, exact: true }).click();
  };
  await saveAs('', 'Save');
  await expect(dialog).toContainText('Please enter a name');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await saveAs('Rural', 'Save');
  await expect(dialog).toBeHidden();
  await depth.fill('14');
  await saveAs('rural', 'Replace');
  await expect(dialog).toBeHidden();
  const { items } = await call(page, 'get', '/action/dcu-template');
  expect(items).toMatchObject([{ name: 'Rural', values: { depth_days: '14' }, version: 2 }]);
});

test('a setting that another user saves first keeps what was typed, and shows both', async ({ browser }) => {
  const page = await fleet.open(browser, 'system/system-management/settings');
  const card = page.locator('form').filter({ has: page.getByRole('button', { name: /^Save: .*Freshness/i }) });
  const first = card.getByRole('spinbutton').first();
  await first.fill('10');
  await leaveAndReturn(page, 'Settings');
  await expect(first).toHaveValue('10');
  await call(page, 'put', '/manager/setting/freshness', { value: { hours: [12, 40, 70] }, version: 0 });
  await expect(first).toHaveValue('10');
  await card.getByRole('button', { name: /^Save/ }).click();
  const conflict = card.getByRole('alert', { name: 'Another user saved first' });
  await expect(conflict).toContainText('12');
  await expect(first).toHaveValue('10');
  await card.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const { items } = await call(page, 'get', '/manager/setting');
  expect(items.find((row: { key: string }) => row.key === 'freshness').value.hours[0]).toBe(10);
});

test('a template of meters stays edited while other tabs are shown, and takes the version of another user', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const made = await call(page, 'post', '/reading/obis/template', { name: 'Ours', keys: ['U1', 'I1'] });
  await page.goto(`${fleet.headEnd.address}/hes/meter/obis-management?tab=templates&template=${made.id}`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const view = (title: string) => page.locator('.ant-segmented-item').filter({ hasText: title });
  await name.fill('Ours, longer');
  await view('Objects').click();
  await expect(name).toHaveCount(0);
  await view('Templates').click();
  await page.getByRole('button', { name: /^Ours/ }).click();
  await expect(name).toHaveValue('Ours, longer');
  await call(page, 'put', `/reading/obis/template/${made.id}`, { name: 'Theirs', keys: ['U1'], version: made.version });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('alert', { name: 'Another user saved first' });
  await conflict.getByRole('radio', { name: 'Name: Theirs, saved' }).check();
  await expect(name).toHaveValue('Theirs');
});

test('a plan that another user saves first can be saved after a choice per field', async ({ browser }) => {
  const page = await fleet.open(browser, 'meter/collect-plan');
  const { items } = await call(page, 'get', '/reading/plan?size=50');
  const [plan] = items;
  await page.getByRole('button', { name: `Actions for ${plan.name}` }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await call(page, 'put', `/reading/plan/${plan.id}`, { ...plan, name: 'Theirs', priority: 7 });
  await drawer.getByRole('button', { name: 'Save' }).click();
  const conflict = drawer.getByRole('alert', { name: 'Another user saved first' });
  await expect(conflict.getByRole('row', { name: /Name/ })).toContainText('Theirs');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toBeHidden();
  expect(await call(page, 'get', `/reading/plan/${plan.id}`)).toMatchObject({ name: 'Mine', priority: 7 });
});
