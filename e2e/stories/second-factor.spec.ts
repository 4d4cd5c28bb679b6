import { readFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { codeOf } from '../support/authenticator.ts';
import { choose } from '../support/choose.ts';
import { createUser } from '../support/create-user.ts';
import { enrol, wrongCode } from '../support/enrol.ts';
import { PASSWORD, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn, tryToSignIn } from '../support/sign-in.ts';

const operator = { username: 'olga.operator', password: 'Lamp-And-Key-77', name: 'Olga Operator', role: 'OPERATOR' };

let headEnd: HeadEnd;

test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const at = (path: string): string => `${headEnd.address}/hes${path}`;

const keep = (page: Page) => page.getByRole('button', { name: 'I have saved them' }).click();

/** By keyboard: the menu has the focus as soon as it is laid out. */
async function openProfile(page: Page): Promise<void> {
  await page.getByRole('button', { name: /User menu/ }).press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Profile' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Profile' })).toBeVisible();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/hes\/login/);
}

test('a second factor is set up in the profile, is required at sign-in with a code or a recovery code, and serves as own proof', async ({
  page,
}) => {
  await signIn(page, headEnd);
  await openProfile(page);
  await page.getByRole('button', { name: 'Set up: Second factor' }).click();
  const { key, codes } = await enrol(page, page.getByRole('dialog', { name: 'Second factor' }), PASSWORD);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = readFileSync(await (await download).path(), 'utf8');
  for (const code of codes) expect(file).toContain(code);
  await keep(page);
  await expect(page.getByText('On: sign-in asks for a code from your phone')).toBeVisible();
  await page.getByRole('dialog', { name: 'Profile' }).getByRole('button', { name: 'Cancel' }).click();
  await page.goto(at('/system/system-management/user-management?hasSecondFactor=true'));
  await expect(page.getByRole('row', { name: /admin/ })).toContainText('On');
  await signOut(page);

  // By keyboard alone; after a wrong code the password is not requested again.
  await tryToSignIn(page, headEnd, { username: 'admin', password: PASSWORD });
  const code = page.getByLabel('Code of your authenticator app');
  await expect(code).toBeFocused();
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Please enter the code')).toBeVisible();
  await page.keyboard.type(wrongCode(key));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'The code is wrong' })).toBeVisible();
  await expect(code).toHaveValue('');
  // The code of this interval may have been used for the setup.
  await code.fill(codeOf(key, 1));
  await code.press('Enter');
  await expect(page).toHaveURL(/\/hes\/dashboard/);
  await signOut(page);

  await tryToSignIn(page, headEnd, { username: 'admin', password: PASSWORD });
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByLabel(/^User name$/)).toBeVisible();
  for (const [recovery, isTaken] of [
    [codes[0] ?? '', true],
    [codes[0] ?? '', false],
  ] as const) {
    await tryToSignIn(page, headEnd, { username: 'admin', password: PASSWORD });
    await page.getByRole('button', { name: /Use a recovery code/ }).click();
    await page.getByLabel('Recovery code').fill(recovery.toLowerCase());
    await page.getByLabel('Recovery code').press('Enter');
    if (isTaken) {
      await expect(page).toHaveURL(/\/hes\/dashboard/);
      await signOut(page);
    } else await expect(page.getByRole('alert').filter({ hasText: 'The code is wrong' })).toBeVisible();
  }
  await page.getByLabel('Recovery code').fill(codes[1] ?? '');
  await page.getByLabel('Recovery code').press('Enter');
  await expect(page).toHaveURL(/\/hes\/dashboard/);

  await page.goto(at('/action/relay-control?size=20'));
  const disconnect = async (row: number) => {
    await page.locator('tbody').getByRole('checkbox').nth(row).check();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Unpaid');
    await dialog.getByLabel('Work order').fill(`WO-${row}`);
    return { dialog, send: () => dialog.getByRole('button', { name: /^Disconnect \d+/ }).click() };
  };
  const first = await disconnect(0);
  await first.send();
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expect(question.getByLabel('Your password')).toHaveCount(0);
  const proof = question.getByLabel('Code of your app, or a recovery code');
  const confirm = question.getByRole('button', { name: 'Confirm' });
  await confirm.click();
  await expect(question.getByText('Please enter', { exact: true })).toBeVisible();
  await proof.fill(wrongCode(key));
  await confirm.click();
  await expect(question.getByRole('alert').filter({ hasText: 'The code is wrong' })).toBeVisible();
  await expect(proof).toHaveValue('');
  await proof.fill(codes[2] ?? '');
  await confirm.click();
  await expect(first.dialog).toHaveCount(0);
  await page.goto(at('/action/relay-control?size=20'));
  // The own proof is still valid: the second command does not request it.
  const next = await disconnect(1);
  await next.send();
  await expect(next.dialog).toHaveCount(0);

  // Remove the second factor: later tests sign in with the password only.
  await openProfile(page);
  await page.getByRole('button', { name: 'Manage: Second factor' }).click();
  const manage = page.getByRole('dialog', { name: 'Second factor' });
  await expect(manage.getByText('7', { exact: true })).toBeVisible();
  await manage.getByLabel('Your password').fill(PASSWORD);
  await manage.getByLabel('Code of your app, or a recovery code').fill(codes[3] ?? '');
  await manage.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Second factor removed')).toBeVisible();
});

test('a user who needs a second factor must set it up first, and again after an administrator has reset it', async ({ browser, page }) => {
  await signIn(page, headEnd);
  await createUser(page, headEnd, operator);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, headEnd, operator);

  await page.goto(at('/system/system-management/settings'));
  await choose(page, page.getByRole('combobox', { name: 'Second factor required for' }), 'Users who may switch, approve or administer');
  await page.getByRole('button', { name: 'Save: Second factor' }).click();
  // The rule also applies to the administrator who set it, and to users with a running session.
  const { codes } = await enrol(page, page.getByRole('dialog', { name: 'Second factor' }), PASSWORD);
  await keep(page);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Save: Second factor' })).toBeVisible();

  const forced = other.getByRole('dialog', { name: 'Second factor' });
  await expect(forced.getByText('Your account needs a second factor.')).toBeVisible();
  await other.keyboard.press('Escape');
  await expect(forced).toBeVisible();
  await expect(forced.getByRole('button', { name: 'Close' })).toHaveCount(0);
  await enrol(other, forced, operator.password);
  await other.keyboard.press('Escape');
  await keep(other);
  await expect(other.getByRole('dialog')).toHaveCount(0);
  await other.goto(at('/assets/dcu'));
  await expect(other.getByRole('row').nth(1)).toBeVisible();

  await page.goto(at('/system/system-management/user-management'));
  await page.getByRole('button', { name: `Actions for ${operator.username}` }).click();
  await page.getByRole('menuitem', { name: 'Reset second factor' }).click();
  const question = page.getByRole('dialog', { name: /Reset the second factor of olga.operator/ });
  await question.getByRole('button', { name: 'Reset second factor' }).click();
  await expect(question.getByText('Please enter the reason')).toBeVisible();
  await question.getByLabel('Reason').fill('Phone lost on site');
  await question.getByRole('button', { name: 'Reset second factor' }).click();
  const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await asked.getByLabel('Code of your app, or a recovery code').fill(codes[0] ?? '');
  await asked.getByRole('button', { name: 'Confirm' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByRole('row', { name: /Olga Operator/ })).toContainText('Off');
  await expect(other.getByText('Login Expired')).toBeVisible();

  await tryToSignIn(other, headEnd, operator);
  await expect(forced.getByText('Your account needs a second factor.')).toBeVisible();
  await forced.getByRole('button', { name: 'Log out' }).click();
  await expect(other).toHaveURL(/\/hes\/login/);

  await page.goto(at('/system/system-management/audit'));
  await page.getByRole('row', { name: /Second Factor Reset/ }).click();
  await expect(page.getByRole('complementary')).toContainText('Phone lost on site');
});
