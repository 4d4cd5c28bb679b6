import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test';
import { setUpSmallFleet } from '../support/small-fleet.ts';

/** More than one part, and more than four megabytes. */
const LINES = 24_000;
const WRONG_EVERY = 1000;
const TYPE = 'SM-1P';
const PARTS_WITHIN_MS = 120_000;

const folder = mkdtempSync(path.join(tmpdir(), 'hes-lists-'));

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const fleet = setUpSmallFleet();
const consoleAt = (browser: Browser, address: string): Promise<Page> => fleet.open(browser, `assets/${address}`);
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The page imports two lists: meters, and their keys. */
async function openImport(page: Page, what: 'Meters' | 'Keys'): Promise<Locator> {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('menuitem', { name: what, exact: true }).click();
  return page.getByRole('dialog', { name: `Import ${what}` });
}

function longList(name: string, prefix: string): string {
  const file = path.join(folder, name);
  const lines = Array.from({ length: LINES }, (_, at) => {
    const n = at + 1;
    const type = n % WRONG_EVERY === 0 ? 'NOBODY' : TYPE;
    return `${prefix}${String(n).padStart(8, '0')},${type},plc,A,C${n},"Customer ""${n}""",${'Street '.repeat(17)}${n % 977}`;
  });
  writeFileSync(file, ['sn,typeCode,communicationMode,phase,customerNo,customerName,address', ...lines].join('\n'));
  return file;
}

test('a list of any length is checked part by part, imported with progress, and each wrong line is reported', async ({ browser }) => {
  const page = await consoleAt(browser, 'meter-asset-discovery');
  const drawer = await openImport(page, 'Meters');
  await drawer.locator('input[type=file]').setInputFiles(longList('meters.csv', '7701'));
  await expect(drawer.getByRole('progressbar')).toBeVisible();
  const wrong = LINES / WRONG_EVERY;
  const right = LINES - wrong;
  const go = drawer.getByRole('button', { name: `Import ${right.toLocaleString('en-US')} lines` });
  await expect(go).toBeEnabled({ timeout: PARTS_WITHIN_MS });
  await expect(drawer.getByRole('row').filter({ hasText: 'There is no meter type NOBODY' })).toHaveCount(wrong);
  // A line of the second part, with its number in the whole list.
  await expect(drawer.getByRole('row').filter({ hasText: '24001' })).toBeVisible();
  await go.click();
  await expect(drawer.getByText(new RegExp(`${right.toLocaleString('en-US')} added, 0 updated, ${wrong} not imported`))).toBeVisible({
    timeout: PARTS_WITHIN_MS,
  });
  const saving = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Result file' }).click();
  const result = readFileSync(await (await saving).path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(result).toHaveLength(LINES + 1);
  expect(result.at(-1)).toMatch(/^24001,Not imported,.*NOBODY/);
  await page.goto(`${fleet.headEnd.address}/hes/assets/meter-asset-discovery?search=770100023999`);
  await expect(page.getByRole('row').filter({ hasText: '7701 0002 3999' })).toBeVisible();
});

test('a stopped import keeps the imported rows and reports it', async ({ browser }) => {
  const page = await consoleAt(browser, 'meter-asset-discovery');
  const drawer = await openImport(page, 'Meters');
  await drawer.locator('input[type=file]').setInputFiles(longList('others.csv', '7702'));
  const go = drawer.getByRole('button', { name: /^Import [\d,]+ lines$/ });
  await expect(go).toBeEnabled({ timeout: PARTS_WITHIN_MS });
  await go.click();
  await drawer.getByRole('button', { name: 'Stop' }).click();
  await expect(drawer.getByText('Stopped. Lines imported so far stay')).toBeVisible({ timeout: PARTS_WITHIN_MS });
});

test('keys come in a separate file and appear in no response', async ({ browser }) => {
  const page = await consoleAt(browser, 'meter-asset-discovery');
  const [ek, ak] = ['3f9c1e07a4d28b5566e1b09d7c42f8a1', 'b7d05c93e81f4a2670cf3d9e15a8642b'];
  const file = path.join(folder, 'keys.csv');
  writeFileSync(file, `SN,Encryption key,Authentication key\n770100000001,${ek},${ak}\n770100000002,${'00'.repeat(16)},${ek}\n`);
  const meters = await openImport(page, 'Meters');
  await meters.locator('input[type=file]').setInputFiles(file);
  await expect(meters.getByRole('alert')).toContainText('Import keys separately');
  await meters.getByRole('button', { name: 'Cancel' }).click();

  const drawer = await openImport(page, 'Keys');
  await expect(drawer.getByText('Keys are written and never shown again')).toBeVisible();
  await drawer.locator('input[type=file]').setInputFiles(file);
  await expect(drawer.getByRole('row').filter({ hasText: 'A key that can be guessed' })).toHaveCount(1);
  await expect(drawer.getByRole('columnheader', { name: 'Authentication key' })).toBeVisible();
  // The file does not contain these.
  await expect(drawer.getByRole('columnheader', { name: /Master key|Password/ })).toHaveCount(0);
  await drawer.getByRole('button', { name: 'Import 1 line', exact: true }).click();
  await expect(drawer.getByText('1 added, 0 updated, 1 not imported')).toBeVisible();
  const saving = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Result file' }).click();
  const result = readFileSync(await (await saving).path(), 'utf8');
  expect(result).toContain('770100000001');
  for (const secret of [ek, ak]) expect(`${result}${await page.content()}`).not.toContain(secret);

  await drawer.getByRole('button', { name: 'Another file' }).click();
  await drawer.locator('input[type=file]').setInputFiles({
    name: 'again.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`SN,Encryption key,Authentication key\n770100000001,${ek},${ak}\n`),
  });
  await expect(drawer.getByText('All data in this file is already stored')).toBeVisible();
});

test('rows selected on two pages are exported as one file, and the whole list remains selectable', async ({ browser }) => {
  const page = await fleet.open(browser, 'action/relay-control?size=20&sort=sn,asc');
  const sns: string[] = [];
  for (const next of ['1', '2']) {
    await page.getByRole('listitem', { name: next, exact: true }).click();
    await expect(page.getByRole('listitem', { name: next, exact: true })).toHaveClass(/active/);
    const row = page.locator('tr[data-row]').first();
    await expect(row.getByRole('checkbox')).not.toBeChecked();
    sns.push((await row.getByRole('checkbox').getAttribute('aria-label'))?.replace('Select ', '') ?? '');
    await row.getByRole('checkbox').check();
  }
  const linesOf = async (which: string) => {
    await page.getByRole('button', { name: 'Export 2 rows' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: new RegExp(`^CSV .* ${which}$`) }).click();
    return readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
      .slice(1);
  };
  const chosen = await linesOf('2 selected rows');
  expect(chosen).toHaveLength(2);
  for (const [at, sn] of sns.entries()) expect(chosen[at]).toContain(sn);
  expect((await linesOf('All rows of the filter')).length).toBeGreaterThan(20);
});

test('two users change a supplier: the later one sees both values and chooses', async ({ browser }) => {
  const [early, late] = await Promise.all([consoleAt(browser, 'supplier-management'), consoleAt(browser, 'supplier-management')]);
  const open = async (page: Page) => {
    // The pane shows the selected row, also after a reload.
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    if (!page.url().includes('sel=')) await page.getByRole('row').nth(1).click();
    await edit.click();
    return page.getByRole('dialog');
  };
  const [first, second] = [await open(early), await open(late)];
  await first.getByRole('textbox', { name: 'Contact' }).fill('Their contact');
  await second.getByRole('textbox', { name: 'Contact' }).fill('My contact');
  await second.getByRole('textbox', { name: 'Address' }).fill('My address');
  await first.getByRole('textbox', { name: 'Note' }).fill('Their note');
  await first.getByRole('button', { name: 'Save' }).click();
  await expect(first).toBeHidden();
  await second.getByRole('button', { name: 'Save' }).click();
  const conflict = second.getByRole('alert', { name: 'Another user saved first' });
  await expect(conflict.getByRole('row', { name: /Contact.*My contact.*Their contact/ })).toBeVisible();
  // Fields that only the other user changed show their value; fields that only this user changed keep this one.
  await expect(second.getByRole('textbox', { name: 'Note' })).toHaveValue('Their note');
  await expect(conflict.getByRole('radio', { name: 'Note: Theirs, saved' })).toBeChecked();
  await conflict.getByRole('radio', { name: 'Contact: Theirs, saved' }).check();
  await expect(second.getByRole('textbox', { name: 'Contact' })).toHaveValue('Their contact');
  await second.getByRole('button', { name: 'Save' }).click();
  await expect(second).toBeHidden();
  await late.reload();
  const again = await open(late);
  await expect(again.getByRole('textbox', { name: 'Contact' })).toHaveValue('Their contact');
  await expect(again.getByRole('textbox', { name: 'Address' })).toHaveValue('My address');
  await expect(again.getByRole('textbox', { name: 'Note' })).toHaveValue('Their note');
});

test('labels of selected meters are printed with bar codes of their numbers', async ({ browser }) => {
  const page = await consoleAt(browser, 'meter-asset-discovery');
  // Printing belongs to the browser: the test checks the page to be printed.
  await page.addInitScript(() => (window.print = () => undefined));
  await page.reload();
  await page
    .getByRole('checkbox', { name: /^Select \w+$/ })
    .first()
    .check();
  await page.getByRole('button', { name: 'Print SN labels' }).click();
  const sheet = page.frameLocator('iframe[title="Print SN labels"]');
  await expect(sheet.locator('article')).toHaveCount(1);
  await expect(sheet.locator('article b')).toHaveText(/^\w{6,}$/);
  expect(await sheet.locator('article rect').count()).toBeGreaterThan(20);
});

test('the list of transformers shows the last loss, and the dashboard map stays', async ({ browser }) => {
  const page = await consoleAt(browser, 'transformer');
  await expect(page.getByRole('columnheader', { name: 'Last loss' })).toBeVisible();
  await page.goto(`${fleet.headEnd.address}/hes/dashboard`);
  await expect(page.locator('.leaflet-marker-icon svg').first()).toBeVisible();
});
