import { expect, test, type Locator, type Page } from '@playwright/test';
import { selfSigned } from '../../apps/server/src/platform/certificate.ts';
import { CLIENT, startIssuer, type Issuer } from '../../apps/server/test/oidc-issuer.ts';
import { BASE, SERVICE, slapdProgram, startDirectory, type TestDirectory } from '../../apps/server/test/slapd.ts';
import { ageRights } from '../support/age-rights.ts';
import { callApi } from '../support/call-api.ts';
import { PASSWORD, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { giveProof, signIn } from '../support/sign-in.ts';

const DAY_MS = 86_400_000;
const PROVIDERS = '/hes/system/system-management/identity-providers';
const RULES = '/hes/system/system-management/alarms?tab=rules';
const { cert, key } = selfSigned(['127.0.0.1'], Date.now(), Date.now() + DAY_MS);

test.describe.configure({ mode: 'serial' });
let headEnd: HeadEnd;
let issuer: Issuer;
let directory: TestDirectory | undefined;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12', HES_DELIVERY_NETWORKS: '127.0.0.1' } });
  issuer = await startIssuer({ redirectUri: `${headEnd.address}/hes/login` });
  if (slapdProgram !== undefined) directory = await startDirectory({ cert, key });
  await ageRights(headEnd);
  page = await browser.newPage();
  await signIn(page, headEnd);
  await addRule();
});
test.afterAll(async () => {
  await directory?.close();
  await issuer.close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** A rule for the alarms of the head-end, whose only channel reaches no receiver. */
async function addRule(): Promise<void> {
  const channel = { name: 'chat', kind: 'webhook', url: 'http://127.0.0.1:9/alarms', template: '{"text":"{{title}}"}' };
  const { id: channelId } = await callApi<{ id: string }>(page, 'POST', '/manager/alarm/channel', channel);
  const steps = [{ afterMinutes: 0, channelId, recipientIds: [] }];
  const rule = { name: 'Of the head-end', kind: 'alarm', sources: ['head_end'], levels: ['serious', 'warning'], gatherSeconds: 0, steps };
  await callApi(page, 'POST', '/manager/alarm/rule', rule);
}

const adminRole = async (): Promise<string | undefined> => {
  const { items } = await callApi<{ items: { id: string; code: string }[] }>(page, 'GET', '/manager/role?size=100');
  return items.find(({ code }) => code === 'ADMIN')?.id;
};

/** Opens an action of a row by its menu. */
async function choose(name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

const rowOf = (name: string): Locator => page.getByRole('row', { name: new RegExp(name) });

test('the test of a directory says in words of LDAP what it does and what came of it', async () => {
  test.skip(directory === undefined, 'slapd is not installed');
  const mapping = [{ group: `cn=staff,${BASE}`, roleIds: [await adminRole()] }];
  const bind = { bindDn: SERVICE.dn, secret: SERVICE.password, baseDn: BASE };
  const attributes = { usernameClaim: 'uid', groupsClaim: 'memberOf' };
  const fields = {
    name: 'Old Works',
    kind: 'ldap',
    isEnabled: false,
    servers: directory?.ldaps,
    ...bind,
    ...attributes,
    ca: cert,
    mapping,
  };
  await callApi(page, 'POST', '/manager/identity-provider', fields);
  await page.goto(`${headEnd.address}${PROVIDERS}`);
  await choose('Old Works', 'Test');
  const tested = page.getByRole('dialog', { name: 'Test Old Works' });
  await expect(tested).toContainText(
    `Connects to ${directory?.ldaps}, binds as ${SERVICE.dn} and reads the entry of the search base ${BASE}`,
  );
  await tested.getByRole('button', { name: 'Test now' }).click();
  await expect(tested.getByRole('status')).toContainText('The bind was accepted, and the search base exists');
  await directory?.stop();
  await tested.getByRole('button', { name: 'Test now' }).click();
  await expect(tested.getByRole('alert')).toContainText('Not reachable');
  await expect(tested.getByRole('status')).toHaveCount(0);
  await tested.getByRole('button', { name: 'Close' }).last().click();
});

/** An administrator signs in by the provider, so that passwords can be switched off but for those of `admin`. */
async function relyOnProvider(own: Page): Promise<void> {
  issuer.person = { sub: 'anna-1', username: 'anna', name: 'Anna Works', groups: ['admins'] };
  await own.goto(`${headEnd.address}/hes/login`);
  await own.getByRole('button', { name: 'Log in with Grid Works' }).click();
  await expect(own).toHaveURL(/\/hes\/dashboard/);
  await ageRights(headEnd);
  const { version } = await callApi<{ version: number }>(page, 'GET', '/manager/setting/localSignIn');
  const value = { allowed: 'emergency', emergencyUser: 'admin' };
  await callApi(page, 'PUT', '/manager/setting/localSignIn', { value, version });
}

test('switching off the last provider while passwords are off names the account that remains', async ({ browser }) => {
  const mapping = [{ group: 'admins', roleIds: [await adminRole()] }];
  const client = { clientId: CLIENT.id, secret: CLIENT.secret, issuer: issuer.address };
  await giveProof(page, PASSWORD);
  await callApi(page, 'POST', '/manager/identity-provider', { name: 'Grid Works', kind: 'oidc', isEnabled: true, ...client, mapping });
  const own = await browser.newContext();
  await relyOnProvider(await own.newPage());
  await own.close();
  // The emergency account signs in, which the head-end reports.
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}${PROVIDERS}`);
  await choose('Grid Works', 'Edit');
  const form = page.getByRole('dialog', { name: 'Change identity provider Grid Works' });
  await form.getByRole('checkbox', { name: /sign-in page has a button/ }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'Switch off the last identity provider?' });
  await expect(question).toContainText('only the emergency account admin could sign in');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await form.getByRole('button', { name: 'Save' }).click();
  await question.getByRole('button', { name: 'Switch off nevertheless' }).click();
  await expect(rowOf('Grid Works')).toContainText('Switched off');
});

test('pausing a rule says what becomes of its open alarms, and closes them', async () => {
  await page.goto(`${headEnd.address}${RULES}`);
  const row = rowOf('Of the head-end');
  await expect(row).toContainText('Running');
  const openOf = async () => (await callApi<{ items: { open: number }[] }>(page, 'GET', '/manager/alarm/rule')).items[0]?.open;
  await expect.poll(openOf).toBeGreaterThan(0);
  await choose('Of the head-end', 'Pause');
  const question = page.getByRole('dialog', { name: 'Pause rule Of the head-end?' });
  await expect(question).toContainText('Its open alarms are closed, and their messages that wait are not sent');
  await question.getByRole('button', { name: 'Pause' }).click();
  await expect(row).toContainText('Paused');
  expect(await openOf()).toBe(0);
  await page.goto(`${headEnd.address}/hes/system/system-management/alarms`);
  await expect(page.getByRole('row', { name: /Of the head-end/ }).first()).toContainText('Closed');
});
