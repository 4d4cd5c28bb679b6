import { expect, test, type Page } from '@playwright/test';
import { PASSWORD, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn, tryToSignIn } from '../support/sign-in.ts';

let headEnd: HeadEnd;
test.beforeAll(async () => {
  const started = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' } });
  // Keys are bound to a name; an address of digits has none.
  headEnd = { ...started, address: started.address.replace('127.0.0.1', 'localhost') };
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** A security key with PIN in the browser. Returns what changes whether its user confirms. */
async function plugIn(page: Page): Promise<(isConfirmed: boolean) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async (isUserVerified) => void (await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }));
}

async function openKeys(page: Page) {
  await page.getByRole('button', { name: /User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await page
    .getByRole('dialog', { name: 'Profile' })
    .getByRole('button', { name: /: Second factor$/ })
    .click();
  return page.getByRole('dialog', { name: 'Second factor' });
}

test('a security key is added, signs in, gives own proof, and is removed', async ({ page }) => {
  const confirm = await plugIn(page);
  await signIn(page, headEnd);
  const dialog = await openKeys(page);
  await dialog.getByRole('button', { name: 'Add security key' }).click();
  await dialog.getByLabel('Name of the key').fill('Blue key');
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Add security key' }).click();
  await expect(page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await expect(page.getByText('On: sign-in asks for')).toBeVisible();
  await page.getByRole('dialog', { name: 'Profile' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();

  await tryToSignIn(page, headEnd, { username: 'admin', password: PASSWORD });
  await confirm(false);
  await page.getByRole('button', { name: 'Use security key' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'No security key answered' })).toBeVisible();
  await confirm(true);
  await page.getByRole('button', { name: 'Use security key' }).click();
  await expect(page).toHaveURL(/\/hes\/dashboard/);

  const manage = await openKeys(page);
  await expect(manage.getByRole('listitem')).toContainText('Last used');
  await manage.getByRole('button', { name: 'Remove key Blue key' }).click();
  await manage.getByLabel('Your password').fill(PASSWORD);
  await manage.getByRole('button', { name: 'Remove key', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await question.getByRole('button', { name: 'Use security key' }).click();
  await expect(page.getByText('Security key removed')).toBeVisible();
  await expect(page.getByText('On: sign-in asks for')).toHaveCount(0);
});
