import { expect, test, type Browser, type Page } from '@playwright/test';
import { createUser } from '../support/create-user.ts';
import { signIn } from '../support/sign-in.ts';
import type { HeadEnd } from '../support/head-end.ts';
import { shareHeadEnd } from '../support/shared-head-end.ts';

let headEnd: HeadEnd;
let page: Page;
shareHeadEnd((shared) => ({ headEnd, page } = shared));

const openRoles = () => page.goto(`${headEnd.address}/hes/system/system-management/role-management`);
const PLACE = 'Mill Lane substation';
const PASSWORD = 'Owl-And-Lamp-77';

/** Adds a role; its permissions open automatically. */
async function addRole(code: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add role' }).click();
  await page.getByLabel('Code', { exact: false }).last().fill(code);
  await page.getByLabel('Name', { exact: false }).last().fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Network area' })).toBeVisible();
}

const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
const chosen = () => page.getByRole('list', { name: 'Chosen nodes' }).getByRole('listitem');
async function openRole(code: string): Promise<void> {
  await page
    .getByRole('row', { name: new RegExp(code) })
    .getByText(code)
    .click();
  await page.getByRole('complementary', { name: code }).getByRole('button', { name: 'Permissions' }).click();
}

async function signedIn(browser: Browser, username: string): Promise<Page> {
  const own = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await signIn(own, headEnd, { username, password: PASSWORD });
  return own;
}

test('a role limited to one substation stores exactly that area, and its user sees only its meters', async ({ browser }) => {
  await openRoles();
  await addRole('MILL_LANE', 'Mill Lane operator');
  await page.getByRole('checkbox', { name: 'View on DCU', exact: true }).check();
  await page.getByRole('checkbox', { name: 'View on Meter Asset Discovery', exact: true }).check();
  await page.getByRole('tab', { name: 'Network area' }).click();
  // Before any input there is no error.
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveCount(0);
  for (const radio of await page.getByRole('radio').all()) await expect(radio).not.toBeChecked();
  await page.getByRole('radio', { name: /Only chosen levels and transformers/ }).check();
  await save();
  await expect(page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Select at least one level or transformer' })).toBeVisible();

  await page.getByRole('textbox', { name: 'Level or transformer' }).fill(PLACE);
  const hit = page.getByRole('tree').getByRole('treeitem').filter({ hasText: PLACE });
  await expect(hit).toHaveCount(1);
  const meters = Number(/(\d+)$/.exec((await hit.innerText()).trim())?.[1]);
  expect(meters).toBeGreaterThan(0);
  await page
    .getByRole('dialog')
    .getByRole('checkbox', { name: new RegExp(PLACE) })
    .click();
  await expect(chosen()).toHaveText([new RegExp(`${PLACE}.*${meters} meters`)]);
  await save();
  await expect(page.getByRole('row', { name: /MILL_LANE/ }).locator('[data-field="area"]')).toHaveText('1 node');

  await openRole('MILL_LANE');
  await page.getByRole('tab', { name: 'Network area' }).click();
  await expect(chosen()).toHaveCount(1);
  await expect(chosen()).toContainText(PLACE);
  // The company above is half checked, as it was not selected itself.
  await expect(hit).toHaveAttribute('aria-checked', 'true');
  await expect(page.getByRole('tree').getByRole('treeitem').first()).toHaveAttribute('aria-checked', 'mixed');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await createUser(page, headEnd, { username: 'mill.lane', password: PASSWORD, name: 'Milly Lane', role: 'MILL_LANE' });
  const own = await signedIn(browser, 'mill.lane');
  await expect(
    own
      .getByRole('link', { name: /^Meters/ })
      .locator('[data-value]')
      .first(),
  ).toHaveAttribute('data-value', String(meters));
  await own.goto(`${headEnd.address}/hes/assets/dcu`);
  const dcus = own.locator('tbody [data-field="transformer"]');
  await expect(dcus).not.toHaveCount(0);
  for (const dcu of await dcus.all()) await expect(dcu).toHaveText(PLACE);
  await own.goto(`${headEnd.address}/hes/assets/meter-asset-discovery`);
  await expect(own.getByText(new RegExp(`of ${meters}\\b`)).first()).toBeVisible();
});

test('a role without an area shows an empty dashboard with the reason', async ({ browser }) => {
  await openRoles();
  await addRole('NOTHING_YET', 'Nothing Yet');
  await page.getByRole('tab', { name: 'Network area' }).click();
  await page.getByRole('radio', { name: /^None/ }).check();
  await save();
  await expect(page.getByRole('row', { name: /NOTHING_YET/ }).locator('[data-field="area"]')).toHaveText('None');
  await createUser(page, headEnd, { username: 'no.area', password: PASSWORD, name: 'Nora Area', role: 'NOTHING_YET' });
  const own = await signedIn(browser, 'no.area');
  await expect(own.getByText('No network area has been assigned to your role Nothing Yet')).toBeVisible();
  await expect(own.getByText(/Ask an administrator/)).toBeVisible();
  await expect(own.getByRole('link', { name: /^Meters/ })).toHaveCount(0);
});
