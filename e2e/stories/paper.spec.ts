import { expect, test, type Page } from '@playwright/test';
import { readFleet } from '../support/ground-truth.ts';
import { cutOnPaper, layOutOnPaper, PAPER, printed } from '../support/paper.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const A4_LYING_PT = { width: 842, height: 595 };
/** A browser scales a page that is wider than its sheet down to two thirds at most; letters of six points are the minimum. */
const MOST_SHRUNK = 1.25;
const READ_WITHIN_MS = 90_000;
/** Texts of the console frame on every screen page. */
const CONSOLE_WORDS = ['Searchmodules', 'CtrlK', 'DCUsonline', 'Dashboard'];
const DARK_AND_NARROW = { width: 1366, height: 768 };

const meters: string[] = [];
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  meters.push(...(await readFleet(headEnd)).meters.map(({ sn }) => sn).slice(0, 4));
});

async function openDark(browser: Parameters<typeof fleet.open>[0], path: string): Promise<Page> {
  const page = await fleet.open(browser, path, DARK_AND_NARROW);
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  return page;
}

/** Every print shows, independent of the window: the page, the user, the time, and the sheet with the number of sheets. */
async function expectPrint(page: Page, title: string, words: readonly string[]): Promise<string> {
  const sheets = await printed(page);
  const all = sheets.map(({ text }) => text).join('');
  for (const { widthPt, heightPt } of sheets) expect({ width: Math.round(widthPt), height: Math.round(heightPt) }).toEqual(A4_LYING_PT);
  for (const [at, { text }] of sheets.entries()) expect(text).toContain(`${at + 1}/${sheets.length}`);
  for (const word of [`Head-EndSystem·${title.replaceAll(' ', '')}`, 'Administrator·', ...words])
    expect(all, `${word} is on paper`).toContain(word.replaceAll(' ', ''));
  expect(all).toMatch(/\d{4}-\d\d-\d\d\d\d:\d\d:\d\d/);
  for (const word of CONSOLE_WORDS) expect(all, `${word} is not`).not.toContain(word);
  // The screen theme is restored.
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  return all;
}

/** Checks the print layout: light, with complete words. */
async function expectWhole(page: Page): Promise<void> {
  await layOutOnPaper(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PAPER.width * MOST_SHRUNK);
  expect(await cutOnPaper(page)).toEqual([]);
}

test('a list is printed with its filters and all rows, light and complete', async ({ browser }) => {
  const page = await openDark(browser, 'assets/dcu?search=DCU27');
  const rows = page.locator('tr[data-row]');
  await expect(rows).toHaveCount(3);
  const words = await expectPrint(page, 'DCU', ['DCU27000001', 'DCU27000002', 'DCU27000003']);
  // Once for each row, and once as search text.
  expect(words.match(/DCU27/g)).toHaveLength(4);
  // An unset filter is not printed, nor is a column of low rank in a narrow window.
  expect(words).not.toContain('Supplier');
  await expectWhole(page);
});

test('an analysis is printed with its period and all columns', async ({ browser }) => {
  const page = await openDark(browser, 'meter-management/mdms/electric-bill');
  const heads = await page.getByRole('columnheader').allInnerTexts();
  expect(heads.length).toBeGreaterThan(10);
  await expectPrint(page, 'Electricity Bill', ['By meter', ...heads.map((head) => head.replaceAll(/\s/g, ''))]);
  await expectWhole(page);
});

test('a run is printed with every device', async ({ browser }) => {
  const page = await openDark(browser, 'action/on-demand-reading');
  await metersTakenOver(page, meters);
  await page.getByRole('button', { name: 'Paste SNs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste SNs' });
  await dialog.getByRole('textbox').fill(meters.join('\n'));
  await dialog.getByRole('button', { name: 'Add meters' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Start reading' }).click();
  await expect(page.getByTestId('run-done')).toHaveAttribute('data-value', String(meters.length), { timeout: READ_WITHIN_MS });
  await expectPrint(page, 'On-Demand Reading', meters);
  await expectWhole(page);
});

test('charts are printed light and within their panel, for any theme and width of the window', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard', DARK_AND_NARROW);
  // A fixed load day makes two pictures equal.
  await page.route('**/api/dashboard/summary*', async (route) => {
    const answer = (await (await route.fetch()).json()) as { load: { today: { at: string }[]; yesterday: { at: string }[] } }; // as: the contract's answer
    const rising = (slots: { at: string }[]) => slots.map(({ at }, slot) => ({ at, kw: slot }));
    await route.fulfill({ json: { ...answer, load: { today: rising(answer.load.today), yesterday: rising(answer.load.yesterday) } } });
  });
  await page.reload();
  const canvas = page.locator('.uplot canvas').first();
  const picture = () => canvas.evaluate((drawn) => (drawn as HTMLCanvasElement).toDataURL()); // as: the locator selects a canvas
  await canvas.waitFor();
  await page.evaluate(() => document.fonts.ready);
  const light = await picture();
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect.poll(picture).not.toBe(light);
  const dark = await picture();
  // Checked in the moment of printing: nothing is drawn later for paper.
  const onPaper = await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    return document.querySelector<HTMLCanvasElement>('.uplot canvas')?.toDataURL();
  });
  expect(onPaper).not.toBe(dark);
  await expect.poll(picture).toBe(light);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await expect.poll(picture).toBe(dark);

  await layOutOnPaper(page);
  // The chart is redrawn for the size of the window.
  const isWhole = () =>
    canvas.evaluate((drawn) => {
      const [own, box] = [drawn.getBoundingClientRect(), (drawn.closest('section') ?? drawn).getBoundingClientRect()];
      return (
        own.width > 1 && own.left >= box.left - 1 && own.right <= box.right + 1 && own.top >= box.top - 1 && own.bottom <= box.bottom + 1
      );
    });
  await expect.poll(isWhole).toBe(true);
});
