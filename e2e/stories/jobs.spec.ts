import { expect, test } from '@playwright/test';
import { addFirmware } from '../support/add-firmware.ts';
import { addPerson } from '../support/add-person.ts';
import { choose } from '../support/choose.ts';
import { countClicks } from '../support/count-clicks.ts';
import { enrol } from '../support/enrol.ts';
import { readFleet } from '../support/ground-truth.ts';
import { askControl, PASSWORD } from '../support/head-end.ts';
import { openResult } from '../support/open-result.ts';
import { giveProof, signIn, tryToSignIn } from '../support/sign-in.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { askAs, metersTakenOver } from '../support/taken-over.ts';

const READ_WITHIN_MS = 90_000;
let sns: string[] = [];
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  const { meters, truth } = await readFleet(headEnd);
  const problem = new Set(Object.values(truth.problems).flat());
  sns = meters.filter((one) => !one.isMaster && !problem.has(one.sn) && !problem.has(one.dcuSn)).map(({ sn }) => sn);
  expect(sns.length).toBeGreaterThan(3);
});
// Every job begins at the dashboard; typing is not counted.
test.describe.configure({ timeout: 120_000 });
test.use({ actionTimeout: 15_000 });

test('job a: a meter without a reading since yesterday is explained and read again, in at most 4 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const [sn = ''] = sns;
  await metersTakenOver(page, [sn]);
  const clicks = await countClicks(page);
  await openResult(page, sn, new RegExp(sn.slice(-4)));
  await expect(page.getByRole('region', { name: 'Causes' })).toBeVisible();
  await page.getByRole('button', { name: 'Read now' }).first().click();
  await expect(page.getByRole('dialog', { name: /^Read .* now$/ })).toContainText('Read success', { timeout: READ_WITHIN_MS });
  expect(await clicks()).toBeLessThanOrEqual(4);
});

test('job b: three meters are read and their values exported, in at most 6 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const three = sns.slice(0, 3);
  await metersTakenOver(page, three);
  const clicks = await countClicks(page);
  await openResult(page, 'On-Demand Reading');
  await page.getByRole('button', { name: 'Paste SNs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste SNs' });
  await dialog.getByRole('textbox').fill(three.join('\n'));
  await dialog.getByRole('button', { name: 'Add meters' }).click();
  await page.getByRole('button', { name: 'Start reading' }).click();
  await expect(page.locator('[data-count="read_success"] [data-value]')).toHaveAttribute('data-value', '3', { timeout: READ_WITHIN_MS });
  const file = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Export/ })
    .first()
    .click();
  expect((await file).suggestedFilename()).toMatch(/\.(csv|xlsx)$/);
  expect(await clicks()).toBeLessThanOrEqual(6);
});

test('job c: a supply is disconnected and confirmed by read-back, in at most 8 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const sn = sns[1] ?? '';
  await metersTakenOver(page, [sn]);
  await giveProof(page, PASSWORD);
  const clicks = await countClicks(page);
  await openResult(page, sn, new RegExp(sn.slice(-4)));
  const head = page.locator('header[data-health]');
  const run = page.getByRole('dialog').filter({ has: page.getByText(/^#\d+ · /) });
  await head.getByRole('button', { name: 'Read relay state' }).click();
  await expect(run).toContainText('Connected', { timeout: READ_WITHIN_MS });
  await run.getByRole('button', { name: 'Close' }).click();
  await head.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Disconnect supply/ });
  await dialog.getByLabel('Reason').fill('Unpaid');
  await dialog.getByLabel('Work order').fill('WO-7');
  await dialog.getByRole('button', { name: 'Disconnect 1 customer' }).click();
  await expect(run).toContainText('sent, confirmed by read-back', { timeout: READ_WITHIN_MS });
  expect(((await (await askControl(fleet.headEnd, `/relay/${sn}`)).json()) as { state: string }).state).toBe('disconnected'); // as: what the control API says
  expect(await clicks()).toBeLessThanOrEqual(8);
});

test('job e: a plan at 02:30 except on Sundays is made in at most 15 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await openResult(page, 'Collect Plan');
  await page.getByRole('button', { name: 'Add plan' }).click();
  const form = page.getByRole('dialog', { name: 'Add plan' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Not on Sundays');
  await form.getByRole('button', { name: 'Build…' }).click();
  const builder = page.getByRole('dialog').filter({ has: page.getByRole('tablist', { name: 'Schedule' }) });
  await builder.getByRole('tab', { name: /^Hour/ }).click();
  const hour = (number: string) => builder.getByRole('group').getByRole('button', { name: number, exact: true });
  await hour('00').click();
  await hour('02').click();
  await builder.getByRole('tab', { name: /^Day/ }).click();
  await builder.locator('[data-mode="4"] input[type="radio"]').check();
  await builder.getByRole('button', { name: 'Sun', exact: true }).click();
  await builder.getByRole('button', { name: 'All other weekdays instead' }).click();
  await expect(builder.locator('[data-part="expression"]')).toHaveText('0 30 2 ? * MON,TUE,WED,THU,FRI,SAT *');
  await builder.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('row', { name: /Not on Sundays/ })).toContainText('02:30');
  expect(await clicks()).toBeLessThanOrEqual(15);
});

test('job f: the loss of a transformer is explained in at most 3 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await openResult(page, 'Line Loss');
  await page.getByRole('grid', { name: 'Line Loss' }).getByRole('link').first().click();
  await expect(page.getByRole('region', { name: 'Loss and its parts' })).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(3);
});

test('job h: who changed a role is answered in at most 3 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await giveProof(page, PASSWORD);
  const status = await page.evaluate(async () => {
    const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
    const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
    return (await fetch('/api/manager/role', { method: 'POST', headers, body: JSON.stringify({ code: 'NEW_ROLE', name: 'New role' }) }))
      .status;
  });
  expect(status).toBe(201);
  const clicks = await countClicks(page);
  await openResult(page, 'Audit', /Audit log/);
  await page.getByRole('row', { name: /Role Added/ }).click();
  await expect(page.getByRole('complementary')).toContainText('NEW_ROLE');
  expect(await clicks()).toBeLessThanOrEqual(3);
});

test('job j: the alarms with most weight are listed by cause in at most 3 clicks, with what to do in one more', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const clicks = await countClicks(page);
  await openResult(page, 'Meter Event');
  await page.getByText('By cause', { exact: true }).click();
  const causes = page.getByRole('grid', { name: 'By cause' });
  await expect(causes).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(3);
  await expect(causes.getByRole('columnheader', { name: /^Weight/ })).toHaveAttribute('aria-sort', 'descending');
});

test('job k: a value on the screen is shown as the octets it came from, in at most 2 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const [sn = ''] = sns;
  await metersTakenOver(page, [sn]);
  await openResult(page, sn, new RegExp(sn.slice(-4)));
  await page.getByRole('button', { name: 'Read now' }).first().click();
  const run = page.getByRole('dialog', { name: /^Read .* now$/ });
  await expect(run).toContainText('Read success', { timeout: READ_WITHIN_MS });
  const clicks = await countClicks(page);
  await run.getByRole('button', { name: 'Frames' }).click();
  const frames = run.getByRole('list', { name: 'Frames' });
  await expect(frames.getByRole('button', { name: /^Received/, expanded: true }).first()).toBeVisible();
  await expect(frames).toContainText('On the wire');
  expect(await clicks()).toBeLessThanOrEqual(2);
});

test('job l: a second factor is set up, and a recovery code replaces a lost phone, in at most 7 clicks', async ({ browser }) => {
  const admin = await fleet.open(browser, 'dashboard');
  const person = { username: 'fay.factor', password: 'Lamp-And-Key-77' };
  await addPerson(admin, fleet.headEnd, { ...person, name: 'Fay Factor', role: 'OPERATOR' });
  const page = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await signIn(page, fleet.headEnd, person);
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: /User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Set up: Second factor' }).click();
  const { codes } = await enrol(page, page.getByRole('dialog', { name: 'Second factor' }), person.password);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await expect(page.getByText('On: sign-in asks for a code from your phone')).toBeVisible();
  const setUp = await clicks();
  // The clicks of the sign-in by password are those of any sign-in.
  await tryToSignIn(page, fleet.headEnd, person);
  const more = await countClicks(page);
  await page.getByRole('button', { name: /Use a recovery code/ }).click();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  const before = await more();
  await page.getByLabel('Recovery code').press('Enter');
  await expect(page).toHaveURL(/\/hes\/dashboard/);
  expect(setUp + before).toBeLessThanOrEqual(7);
  await page.context().close();
});

test('job g: firmware is uploaded, approved by another user, and sent to the fleet, in at most 22 clicks', async ({ browser }) => {
  const approver = await fleet.open(browser, 'dashboard');
  const person = { username: 'fern.ware', password: 'Block-By-Block-42' };
  await addPerson(approver, fleet.headEnd, { ...person, name: 'Fern Ware', role: 'FW_ENGINEER' });
  await metersTakenOver(approver, sns);
  const page = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await signIn(page, fleet.headEnd, person);
  const clicks = await countClicks(page);
  await openResult(page, 'Firmware Upgrade');
  await page.getByRole('button', { name: 'Add firmware' }).first().click();
  const types = ['Single-phase PLC meter', 'Three-phase PLC meter'];
  await addFirmware(page, fleet.headEnd, page.getByRole('dialog', { name: 'Add firmware' }), { version: 'HES-MP 9.1.0', types });

  const approvals = await countClicks(approver);
  await openResult(approver, 'Firmware Upgrade');
  await approver.getByRole('row', { name: /PLC meter/ }).click();
  await approver.getByRole('complementary').getByRole('button', { name: 'Approve' }).click();
  await approver.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await expect(approver.getByRole('row', { name: /PLC meter/ })).toContainText('Approved');

  await page.getByRole('row', { name: /PLC meter/ }).click();
  await page.getByRole('complementary').getByRole('link', { name: 'Start upgrade' }).click();
  await page.getByRole('textbox', { name: 'SNs' }).fill(sns.join('\n'));
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Name *').fill('Autumn round');
  await page.getByLabel('Reason *').fill('Recommended by the factory');
  const startButton = page.getByRole('button', { name: /Start upgrade of/ });
  await expect(startButton).not.toHaveClass(/ant-btn-loading/);
  const leaveOut = page.getByRole('checkbox', { name: /Leave out/ });
  if (await leaveOut.isVisible()) await leaveOut.check();
  await startButton.click();
  await expect(page).toHaveURL(/upgrade-detail\?jobId=\d+/);
  expect((await clicks()) + (await approvals())).toBeLessThanOrEqual(22);
  const complete = page.getByRole('group', { name: 'States' }).locator('[data-state="complete"]');
  await expect(complete).not.toHaveAttribute('data-count', '0', { timeout: READ_WITHIN_MS });
  await page.context().close();
});

test('job i: a user who sees one substation is added with role and area in at most 8 clicks', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  await metersTakenOver(page, sns);
  const person = { username: 'mia.area', password: 'Owl-And-Lamp-77' };
  const clicks = await countClicks(page);
  await openResult(page, 'User Management');
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog', { name: 'Add user' });
  await form.getByLabel('User name').fill(person.username);
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Mia Area');
  await form.getByRole('textbox', { name: 'Password', exact: true }).fill(person.password);
  await choose(page, form.getByRole('combobox', { name: 'Role' }), '(OPERATOR)');
  await form.getByRole('checkbox', { name: /Only chosen levels/ }).check();
  await form.getByRole('textbox', { name: 'Level or transformer' }).fill('Transformer 1');
  await form
    .getByRole('checkbox', { name: /Transformer 1\b/ })
    .first()
    .click();
  const chosen = form.getByRole('list', { name: 'Chosen nodes' }).getByRole('listitem');
  await expect(chosen).toHaveCount(1);
  await expect(chosen).toContainText('Transformer 1');
  const meters = Number(/([\d,]+) meters/.exec(await chosen.innerText())?.[1]);
  expect(meters).toBeGreaterThan(0);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog', { name: `Password of ${person.username}` })).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(8);

  const { items } = await askAs<{ items: { roles: { id: string; code: string }[] }[] }>(page, `/manager/user?username=${person.username}`);
  const [role] = items[0]?.roles ?? [];
  expect(role?.code).toBe('OPERATOR_A');
  const { area } = await askAs<{ area: unknown }>(page, `/manager/role/${role?.id ?? ''}/permission`);
  expect(area).toMatchObject({ kind: 'nodes', nodes: [{ title: 'Transformer 1', meters }] });
});
