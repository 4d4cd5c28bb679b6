import { expect, test, type Page } from '@playwright/test';
import { CLIENT, startIssuer, type Issuer } from '../../apps/server/test/oidc-issuer.ts';
import { ageRights } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

let headEnd: HeadEnd;
let issuer: Issuer;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12', HES_DELIVERY_NETWORKS: '127.0.0.1' } });
  issuer = await startIssuer({ redirectUri: `${headEnd.address}/hes/login` });
  await ageRights(headEnd);
});
test.afterAll(async () => {
  await issuer.close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const person = { sub: 'anna-1', username: 'anna', name: 'Anna Works', groups: ['grid-admins'] };

async function addProvider(page: Page): Promise<void> {
  await page.goto(`${headEnd.address}/hes/system/system-management/identity-providers`);
  await page.getByRole('button', { name: 'Add provider' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add identity provider' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Grid Works');
  await form.getByRole('checkbox', { name: /sign-in page has a button/ }).check();
  await form.getByRole('textbox', { name: 'Issuer' }).fill(issuer.address);
  await form.getByRole('textbox', { name: 'Client ID' }).fill(CLIENT.id);
  await form.getByRole('textbox', { name: 'Client secret' }).fill(CLIENT.secret);
  await form.getByRole('button', { name: 'Add group' }).click();
  await form.getByRole('textbox', { name: 'Group, group 1' }).fill('grid-admins');
  await form.getByRole('combobox', { name: 'Roles, group 1' }).click();
  await page.getByTitle(/\(ADMIN\)/).click();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /Grid Works/ })).toContainText('Offered');
}

test('a provider is added and tested, shows what claims give, signs a user in, and confirms dangerous actions', async ({
  browser,
  page,
}) => {
  test.setTimeout(240_000);
  await signIn(page, headEnd);
  await addProvider(page);

  await page.getByRole('button', { name: 'Actions for Grid Works' }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  const tested = page.getByRole('dialog', { name: 'Test Grid Works' });
  await tested.getByRole('button', { name: 'Test now' }).click();
  await expect(tested.getByText('Metadata and keys are valid')).toBeVisible();
  await tested.getByRole('button', { name: 'Close' }).last().click();

  await page.getByRole('button', { name: 'Actions for Grid Works' }).click();
  await page.getByRole('menuitem', { name: 'Roles that claims give' }).click();
  const preview = page.getByRole('dialog', { name: 'Roles that claims give at Grid Works' });
  await preview.getByLabel('Claims').fill(JSON.stringify({ sub: 'x', preferred_username: 'x.y', groups: ['grid-admins', 'choir'] }));
  await preview.getByRole('button', { name: 'Show roles' }).click();
  await expect(preview.getByText('choir (gives no role)')).toBeVisible();
  await expect(preview.getByText('whole network')).toBeVisible();

  const own = await (await browser.newContext()).newPage();
  issuer.person = { ...person, groups: [] };
  await own.goto(`${headEnd.address}/hes/login`);
  await own.getByRole('button', { name: 'Log In With Grid Works' }).click();
  await expect(own.getByRole('alert')).toContainText('is in no group that may use this system');
  await expect(own).toHaveURL(/\/hes\/login$/);

  issuer.person = person;
  await own.context().clearCookies();
  await own.goto(`${headEnd.address}/hes/login?redirect=${encodeURIComponent('/system/system-management/role-management')}`);
  await own.getByRole('button', { name: 'Log In With Grid Works' }).click();
  await expect(own).toHaveURL(/\/role-management/);
  await expect(own.getByRole('button', { name: /User menu/ })).toContainText('Anna Works');

  await ageRights(headEnd);
  await own.getByRole('button', { name: 'Add', exact: false }).first().click();
  const form = own.getByRole('dialog').first();
  await form.getByRole('textbox', { name: /Code/ }).fill('NIGHT_SHIFT');
  await form.getByRole('textbox', { name: /Name/ }).fill('Night shift');
  await form.getByRole('button', { name: 'Save' }).click();
  const question = own.getByRole('dialog', { name: 'Confirm that it is you' });
  const popup = own.waitForEvent('popup');
  await question.getByRole('button', { name: 'Confirm at the provider' }).click();
  await popup;
  await expect(question).toHaveCount(0);
  await expect(own.getByRole('dialog', { name: /Permissions of Night shift/ })).toBeVisible();
});
