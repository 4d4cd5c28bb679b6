import { globSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import type { Locale } from '@hes/contract/core/text.ts';
import { readStatements } from '../tools/spec/statements.mjs';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { settled } from './support/settled.ts';
import { signIn } from './support/sign-in.ts';

const pagesFolder = path.resolve(import.meta.dirname, '../apps/web/src/pages');
const paths = globSync('**/page.tsx', { cwd: pagesFolder })
  .map((file) => `/${path.dirname(file)}`)
  .toSorted();
/** The number of the statement that declares this path as a page, as `S-000: `. */
const numberOf = (address: string): string => {
  const statement = readStatements().find(({ text }) => text === `${address} is a page` || text === `${address} is public`);
  return statement ? `${statement.number}: ` : '';
};
/** Widths from a laptop with the smallest text to the design width. */
const NARROW = { width: 1366, height: 768 };
const GRAVE = new Set(['serious', 'critical']);

let headEnd: HeadEnd;
let page: Page;
let complaints: string[];

test.describe.configure({ mode: 'default' });
test.beforeAll(async ({ browser }) => {
  test.setTimeout(150_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast' } });
  page = await (await browser.newContext({ viewport: NARROW })).newPage();
  await signIn(page, headEnd);
  complaints = complaintsOf(page);
});
test.afterAll(async () => {
  await page.context().close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});
test.beforeEach(() => void complaints.splice(0));

/** Errors that a browser reports while a page is open. */
function complaintsOf(watched: Page): string[] {
  const found: string[] = [];
  watched.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(`${message.type()}: ${message.text()}`);
  });
  watched.on('pageerror', (error) => found.push(`uncaught: ${error.message}`));
  watched.on('response', (response) => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`);
  });
  return found;
}

/** Buttons, tabs, table heads and menus with cut labels and without an ellipsis that has a title. */
const cutLabels = (): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, th, [role="tab"], label, h1, h2, nav a')]
      .filter((element) => element.offsetParent !== null && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 8)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible' && !element.title && !element.querySelector('[title]'))
      .map((element) => element.innerText.trim())
      .filter((text) => text !== ''),
  );

/** Checks the page in one theme and language: drawn, titled, no horizontal scrolling, no cut labels. */
async function looksRight(where: string): Promise<void> {
  await settled(page);
  await expect(page.locator('main, h1').first(), where).not.toBeEmpty();
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    `${where} scrolls sideways`,
  ).toBe(true);
  expect(await cutLabels(), `cut in ${where}`).toEqual([]);
  expect(complaints, where).toEqual([]);
}

/** Accessibility violations that axe reports as blocking. The first rows of a table stand for all: axe takes seconds for a hundred. */
async function barriers(): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .exclude('.leaflet-container')
    .exclude('tbody tr:nth-child(n + 9)')
    .analyze();
  return violations.filter(({ impact }) => impact && GRAVE.has(impact)).map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')}`);
}

/** Every language, with both themes. */
const LOOKS = [
  { locale: 'en-US', theme: 'light' },
  { locale: 'zh-CN', theme: 'dark' },
  { locale: 'es-ES', theme: 'light' },
] as const satisfies { locale: Locale; theme: string }[];
const [USUAL, OTHER] = LOOKS;
/** Barriers are of structure and colours, which the third language shares with the first. */
const PROBED = new Set<(typeof LOOKS)[number]>([USUAL, OTHER]);

const choose = (look: { locale: Locale; theme: string }): Promise<void> =>
  page.evaluate(({ locale, theme }) => {
    localStorage.setItem('SYS_LOCALE', locale);
    localStorage.setItem('SYS_THEME', theme);
  }, look);

for (const address of paths) {
  test(`${numberOf(address)}${address} opens in all languages and both themes, without accessibility violations and browser errors`, async () => {
    for (const look of LOOKS) {
      await choose(look);
      await page.goto(`${headEnd.address}/hes${address}`);
      await expect(page.locator('html')).toHaveAttribute('lang', look.locale);
      await expect(page.locator('html')).toHaveAttribute('data-theme', look.theme);
      await looksRight(`${address}, ${look.locale}, ${look.theme}`);
      if (PROBED.has(look)) expect(await barriers(), look.locale).toEqual([]);
    }
    await choose(USUAL);
  });
}

test('S-066: the dashboard is the start page, with the map and the fleet in one view', async () => {
  await page.goto(`${headEnd.address}/hes/`);
  await expect(page).toHaveURL(/\/hes\/dashboard$/);
  await expect(page.getByRole('button', { name: 'Zoom in' })).toBeVisible();
  for (const text of ['DCUs online', 'Communication freshness', 'Completeness']) await expect(page.getByText(text).first()).toBeVisible();
});

test('a serial number typed into the search leads to the status of the device', async () => {
  await page.goto(`${headEnd.address}/hes/dashboard`);
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('DCU26000001');
  await page.getByRole('option').first().click();
  await expect(page).toHaveURL(/\/assets\/status\?node=dcu%3A\d+/);
  await expect(page.getByRole('main').getByText('DCU26000001').first()).toBeVisible();
});

test('the keyboard alone suffices to sign in, find a page, filter its table, open a row and sign out', async ({ browser }) => {
  const own = await (await browser.newContext()).newPage();
  const { keyboard } = own;
  await own.goto(`${headEnd.address}/hes/login`);
  await expect(own.getByLabel('User name', { exact: true })).toBeFocused();
  await keyboard.type('admin');
  await keyboard.press('Tab');
  await keyboard.type('First-Light-2026');
  const tabTo = async (target: ReturnType<Page['locator']>) => {
    await expect(target).toBeVisible();
    for (let step = 0; step < 80 && !(await target.evaluate((element) => element === document.activeElement)); step += 1)
      await keyboard.press('Tab');
    await expect(target).toBeFocused();
  };
  await tabTo(own.getByRole('slider'));
  await keyboard.press('End');
  await tabTo(own.getByRole('checkbox', { name: /Service agreement/ }));
  await keyboard.press('Space');
  await tabTo(own.getByRole('button', { name: 'Log in' }));
  await expect(own.getByText('Verified')).toBeVisible();
  await keyboard.press('Enter');
  await expect(own.getByRole('navigation', { name: 'Main menu' })).toBeVisible();

  await keyboard.press('Control+k');
  await keyboard.type('user manage');
  await keyboard.press('Enter');
  await expect(own.getByRole('row', { name: /admin/ })).toBeVisible();
  await tabTo(own.getByRole('main').getByRole('textbox').first());
  await keyboard.type('adm');
  await keyboard.press('Enter');
  await expect(own).toHaveURL(/=adm/);
  await tabTo(own.getByRole('row', { name: /admin/ }).first());
  await keyboard.press('Enter');
  await expect(own.getByRole('complementary')).toBeVisible();
  await keyboard.press('Escape');
  await tabTo(own.getByRole('button', { name: /User menu/ }));
  await keyboard.press('Enter');
  // The menu has the focus as soon as it is laid out.
  await expect(own.getByRole('menuitem', { name: 'Profile' })).toBeFocused();
  await keyboard.press('ArrowUp');
  await expect(own.getByRole('menuitem', { name: 'Log out' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(own).toHaveURL(/\/hes\/login/);
  await own.context().close();
});
