import { expect, test, type Page } from '@playwright/test';
import { choose } from './support/choose.ts';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { signIn, tryToSignIn } from './support/sign-in.ts';

const THROWN_OUT_WITHIN_MS = 5000;
const REASON = 'Left The Company';
const reader = { username: 'night.reader', password: 'Owl-And-Lamp-77', name: 'Nora Night' };
const clerk = { username: 'day.clerk', password: 'Owl-And-Lamp-78', name: 'Dora Day' };

let headEnd: HeadEnd;

test.beforeAll(async () => {
  headEnd = await start();
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const management = (page: string): string => `${headEnd.address}/hes/system/system-management/${page}-management`;

interface Role {
  code: string;
  name: string;
}
const NIGHT_READER: Role = { code: 'NIGHT_READER', name: 'Night Reader' };

/** A role with the rights to view DCUs and read meters only. */
async function createRole(page: Page, { code, name }: Role): Promise<void> {
  await page.goto(management('role'));
  await page.getByRole('button', { name: 'Add role' }).click();
  await page.getByLabel('Code', { exact: false }).last().fill(code.toLowerCase().replace('_', ' '));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('Name is required');
  await page.getByLabel('Name', { exact: false }).last().fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('checkbox', { name: 'View on DCU', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Execute on On-Demand Reading', exact: true }).check();
  await expect(page.getByRole('checkbox', { name: 'View on On-Demand Reading', exact: true })).toBeChecked();
  await comeBack(page);
  await expect(page.getByRole('checkbox', { name: 'Execute on On-Demand Reading', exact: true })).toBeChecked();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Choose a network area before you save.' })).toBeVisible();
  await page.getByRole('radio', { name: 'The whole network' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('row', { name: new RegExp(code) }).locator('[data-field="modules"]')).toHaveText('2');
}

/** Simulates a short network outage, after which the console reloads all visible data. */
async function comeBack(page: Page): Promise<void> {
  const again = page.waitForResponse((response) => response.url().endsWith('/permission'));
  await page.evaluate(() => ['offline', 'online'].forEach((event) => dispatchEvent(new Event(event))));
  await again;
}

interface Person {
  username: string;
  password: string;
  name: string;
}

async function createUser(page: Page, who: Person, role: string | RegExp): Promise<void> {
  await page.goto(management('user'));
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('User name').fill(who.username);
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(who.name);
  await form.getByLabel('Phone').fill('twelve');
  await choose(page, form.getByRole('combobox', { name: 'Role' }), role);
  await form.getByRole('textbox', { name: 'Password', exact: true }).fill(who.password);
  await form.getByRole('checkbox', { name: /At the next sign-in/ }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('Phone Number Is Not Valid').last()).toBeVisible();
  await form.getByLabel('Phone').fill('+65 9123 4567');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('This is shown once.')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('row', { name: new RegExp(who.name) })).toBeVisible();
}

test('S-031 S-161 S-474: the page of roles adds one with its rights and its area', async ({ page }) => {
  await signIn(page, headEnd);
  await createRole(page, { code: 'DAY_READER', name: 'Day Reader' });
});

test('S-030 S-163 S-476: the page of users adds one, who then signs in', async ({ browser, page }) => {
  await signIn(page, headEnd);
  await createUser(page, clerk, /\(OPERATOR\)$/);
  await signIn(await (await browser.newContext()).newPage(), headEnd, clerk);
});

test('S-032 S-162 S-475: the page of modules adds one, shows it in the menu, renames and deletes it', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(management('module'));
  await page.getByRole('button', { name: 'Actions for DCU', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Add peer' }).click();
  const form = page
    .getByRole('dialog')
    .or(page.getByRole('complementary'))
    .filter({ has: page.getByLabel('English name') });
  await form.getByLabel('English name').fill('Tea Kitchens');
  await form.getByLabel('Chinese name').fill('茶水间');
  await form.getByLabel('Path').fill('/assets/tea');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /Tea Kitchens/ });
  await expect(row).toContainText('/assets/tea');
  const lower = row.getByRole('button', { name: 'Move down: Tea Kitchens' });
  await expect(lower).toBeDisabled();
  await row.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(lower).toBeEnabled();
  await lower.click();
  await expect(lower).toBeDisabled();
  await page.getByRole('button', { name: 'Collapse Assets' }).click();
  await expect(row).toBeHidden();
  await page.getByRole('textbox', { name: 'Name or path' }).fill('/assets/tea');
  await page.keyboard.press('Enter');
  await expect(row).toHaveAttribute('aria-level', '2');
  await expect(page.locator('tr[data-row]')).toHaveCount(2);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'Expand Assets' }).click();
  await page.reload();
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('button', { name: 'Assets' }).click();
  await expect(page.getByRole('menuitem', { name: 'Tea Kitchens' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for Tea Kitchens' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await form.getByLabel('English name').fill('Coffee Corners');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /Coffee Corners/ })).toBeVisible();
  await page.getByRole('button', { name: 'Actions for Coffee Corners' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete module' }).click();
  await expect(page.getByRole('row', { name: /Coffee Corners/ })).toHaveCount(0);
});

test('S-102 S-103 S-480 S-481: a user opens only the pages that the role allows, and is signed out when locked', async ({
  browser,
  page,
}) => {
  await signIn(page, headEnd);
  await createRole(page, NIGHT_READER);
  await createUser(page, reader, `${NIGHT_READER.name} (${NIGHT_READER.code})`);

  const other = await (await browser.newContext()).newPage();
  await signIn(other, headEnd, reader);
  const menu = other.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('button')).toHaveText(['Assets', 'Action']);
  await menu.getByRole('button', { name: 'Assets' }).click();
  await expect(other.getByRole('menuitem')).toHaveText(['DCU']);
  await other.goto(management('user'));
  await expect(other).toHaveURL(/\/hes\/403/);
  // Menu and search stay.
  await expect(other.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await other.goto(`${headEnd.address}/hes/assets/dcu`);
  await expect(other.getByRole('heading', { name: 'DCU', exact: true })).toBeVisible();

  await page.getByRole('button', { name: `Actions for ${reader.username}` }).click();
  await page.getByRole('menuitem', { name: 'Lock' }).click();
  const question = page.getByRole('dialog');
  // Wait for the focus: before, the dialog is still growing under the pointer.
  await expect(question.getByLabel('Lock reason')).toBeFocused();
  await question.getByRole('button', { name: 'Lock user' }).click();
  await expect(question.getByText('Please enter lock reason')).toBeVisible();
  await question.getByLabel('Lock reason').fill(REASON);
  await question.getByRole('button', { name: 'Lock user' }).click();
  await expect(other.getByText('Login Expired')).toBeVisible({ timeout: THROWN_OUT_WITHIN_MS });
  await expect(page.getByRole('row', { name: /Nora Night/ })).toContainText(REASON);

  await tryToSignIn(other, headEnd, reader);
  await expect(other.getByText(REASON)).toBeVisible();

  await page.goto(management('role'));
  await page.getByRole('button', { name: 'Actions for NIGHT_READER' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog', { name: 'Are You Sure To Delete?' }).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('button', { name: 'Delete role' }).click();
  await expect(page.getByRole('alert')).toContainText('users who hold this role: 1');
});

test('a list of users is imported line by line, selected beyond the filter, and recorded in a verified log', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(management('user'));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Import Users' });
  const lines = [
    'User name,Name,Roles,Password',
    'ines,Ines,OPERATOR,Quiet-Lantern-8',
    'jon,Jon,NOBODY,Quiet-Lantern-8',
    'kim,Kim,AUDITOR,Quiet-Lantern-8',
  ];
  await drawer
    .locator('input[type=file]')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
  await expect(drawer.getByText('Roles: There is no role NOBODY')).toBeVisible();
  await drawer.getByRole('button', { name: 'Import 2 lines' }).click();
  await expect(drawer.getByText('2 added, 0 updated, 1 not imported')).toBeVisible();
  await drawer.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('checkbox', { name: 'Select ines' }).check();
  await expect(page.getByText('1 selected')).toBeVisible();

  await page.getByRole('button', { name: 'Audit log' }).click();
  await page.getByRole('row', { name: /List Imported/ }).click();
  await expect(page.getByRole('complementary')).toContainText('people.csv');
  await page.getByRole('button', { name: 'Verify' }).click();
  for (const log of ['Audit log', 'Log of commands to devices'])
    await expect(page.getByRole('region', { name: log }).getByText(/The log is whole: \d+ entries/)).toBeVisible();

  await page.goto(`${headEnd.address}/hes/system/system-management/settings`);
  const second = page.getByLabel('24–48 hours until');
  await second.fill('96');
  await second.blur();
  await expect(page.getByText('Each limit must be above the one before').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save: Communication freshness' })).toBeDisabled();
  await second.fill('60');
  await page.getByRole('button', { name: 'Save: Communication freshness' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
});
