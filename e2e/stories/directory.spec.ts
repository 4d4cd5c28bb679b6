import { expect, test } from '@playwright/test';
import { selfSigned } from '../../apps/server/src/platform/certificate.ts';
import { BASE, groupDn, SERVICE, slapdProgram, startDirectory, type TestDirectory } from '../../apps/server/test/slapd.ts';
import { ageRights } from '../support/age-rights.ts';
import { choose } from '../support/choose.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { fillSignIn, signIn } from '../support/sign-in.ts';

const DAY_MS = 86_400_000;
const anna = { username: 'anna', password: 'Of-The-Directory-7' };

test.skip(slapdProgram === undefined, 'slapd is not installed');

let headEnd: HeadEnd;
let directory: TestDirectory;
let ca: string;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  const { cert, key } = selfSigned(['127.0.0.1'], Date.now(), Date.now() + DAY_MS);
  ca = cert;
  directory = await startDirectory({ cert, key });
  await directory.addPerson({ uid: anna.username, name: 'Anna Works', password: anna.password });
  await directory.setMembers('operators', [anna.username]);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12', HES_DELIVERY_NETWORKS: '127.0.0.1' } });
  await ageRights(headEnd);
});
test.afterAll(async () => {
  await directory.close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

test('a directory is added and tested, and its users sign in by the form until they leave it', async ({ browser, page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/system/system-management/identity-providers`);
  await page.getByRole('button', { name: 'Add provider' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add identity provider' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Grid Works');
  await choose(page, form.getByRole('combobox', { name: 'Kind' }), 'Directory (LDAP)');
  await form.getByRole('checkbox', { name: /sign-in page has a button/ }).check();
  await form.getByRole('textbox', { name: 'Servers' }).fill(directory.ldaps);
  await form.getByRole('textbox', { name: 'Account that searches (DN)' }).fill(SERVICE.dn);
  await form.getByRole('textbox', { name: 'Password of this account' }).fill(SERVICE.password);
  await form.getByRole('textbox', { name: 'Base of persons (DN)' }).fill(BASE);
  await form.getByRole('textbox', { name: 'Attribute of the user name' }).fill('uid');
  await form.getByRole('textbox', { name: 'Attribute of the groups' }).fill('memberOf');
  await form.getByRole('textbox', { name: /Authority|authority/ }).fill(ca);
  await form.getByRole('button', { name: 'Add group' }).click();
  await form.getByRole('textbox', { name: 'Group, group 1' }).fill(groupDn('operators'));
  await form.getByRole('combobox', { name: 'Roles, group 1' }).click();
  await page.getByTitle(/\(OPERATOR\)/).click();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /Grid Works/ })).toContainText('Offered');
  await page.getByRole('button', { name: 'Actions for Grid Works' }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  const tested = page.getByRole('dialog', { name: 'Test Grid Works' });
  await tested.getByRole('button', { name: 'Test now' }).click();
  await expect(tested.getByText('The bind was accepted, and the search base exists')).toBeVisible();

  const own = await (await browser.newContext()).newPage();
  await own.goto(`${headEnd.address}/hes/login`);
  await own.getByRole('button', { name: 'Log in with Grid Works' }).click();
  await expect(own.getByText('Enter your user name and password of Grid Works.')).toBeVisible();
  await fillSignIn(own, { ...anna, password: 'Wrong-One-77' });
  await own.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(own.getByRole('alert')).toContainText('User name or password is wrong');
  await own.reload();
  await own.getByRole('button', { name: 'Log in with Grid Works' }).click();
  await fillSignIn(own, anna);
  await own.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(own).toHaveURL(/\/hes\/dashboard/);
  await expect(own.getByRole('button', { name: /User menu/ })).toContainText('Anna Works');
});
