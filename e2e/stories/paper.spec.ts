import { expect, test, type Page } from '@playwright/test';
import { town as townOf } from '../support/ground-truth.ts';
import { cutOnPaper, layOutOnPaper, PAPER, printed } from '../support/paper.ts';
import { smallTown } from '../support/small-town.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const A4_LYING_PT = { width: 842, height: 595 };
/** A browser shrinks what is wider than its sheet, to two thirds at most; letters of six points are small enough. */
const MOST_SHRUNK = 1.25;
const READ_WITHIN_MS = 90_000;
/** Of what is around every page on the screen. */
const CONSOLE_WORDS = ['Searchmodules', 'CtrlK', 'DCUsonline', 'Dashboard'];
const DARK_AND_NARROW = { width: 1366, height: 768 };

const meters: string[] = [];
const town = smallTown(async (headEnd) => {
  await expect(() => townOf(headEnd)).toPass({ timeout: READ_WITHIN_MS });
  meters.push(...(await townOf(headEnd)).meters.map(({ sn }) => sn).slice(0, 4));
});

async function openDark(browser: Parameters<typeof town.open>[0], path: string): Promise<Page> {
  const page = await town.open(browser, path, DARK_AND_NARROW);
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  return page;
}

/** What every print says, however the window is: which page, by whom, when, and on which of how many sheets. */
async function expectPrint(page: Page, title: string, words: readonly string[]): Promise<string> {
  const sheets = await printed(page);
  const all = sheets.map(({ text }) => text).join('');
  for (const { widthPt, heightPt } of sheets) expect({ width: Math.round(widthPt), height: Math.round(heightPt) }).toEqual(A4_LYING_PT);
  for (const [at, { text }] of sheets.entries()) expect(text).toContain(`${at + 1}/${sheets.length}`);
  for (const word of [`Head-EndSystem·${title.replaceAll(' ', '')}`, 'Administrator·', ...words])
    expect(all, `${word} is on paper`).toContain(word.replaceAll(' ', ''));
  expect(all).toMatch(/\d{4}-\d\d-\d\d\d\d:\d\d:\d\d/);
  for (const word of CONSOLE_WORDS) expect(all, `${word} is not`).not.toContain(word);
  // What the screen wears is worn again.
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  return all;
}

/** On a sheet: light, and every word whole. */
async function expectWhole(page: Page): Promise<void> {
  await layOutOnPaper(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PAPER.width * MOST_SHRUNK);
  expect(await cutOnPaper(page)).toEqual([]);
}

test('a list comes on paper with its filters and all of its rows, light and whole', async ({ browser }) => {
  const page = await openDark(browser, 'assets/dcu?search=DCU27');
  const rows = page.locator('tr[data-row]');
  await expect(rows).toHaveCount(3);
  const words = await expectPrint(page, 'DCU', ['DCU27000001', 'DCU27000002', 'DCU27000003']);
  // Once for each of them, and what was looked for.
  expect(words.match(/DCU27/g)).toHaveLength(4);
  // A filter that is not set, and no column in a narrow window.
  expect(words).not.toContain('Supplier');
  await expectWhole(page);
});

test('an analysis comes on paper with its period and all of its columns', async ({ browser }) => {
  const page = await openDark(browser, 'meter-management/mdms/electric-bill');
  const heads = await page.getByRole('columnheader').allInnerTexts();
  expect(heads.length).toBeGreaterThan(10);
  await expectPrint(page, 'Electricity Bill', ['By Meter', ...heads.map((head) => head.replaceAll(/\s/g, ''))]);
  await expectWhole(page);
});

test('a run comes on paper with every device of it', async ({ browser }) => {
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

test('charts come on paper light and inside of their panel, however dark and narrow the window is', async ({ browser }) => {
  const page = await town.open(browser, 'dashboard', DARK_AND_NARROW);
  // A day of load that stands still, so that two pictures of it are one.
  await page.route('**/api/dashboard/summary*', async (route) => {
    const answer = (await (await route.fetch()).json()) as { load: { today: { at: string }[]; yesterday: { at: string }[] } }; // as: the contract's answer
    const rising = (slots: { at: string }[]) => slots.map(({ at }, slot) => ({ at, kw: slot }));
    await route.fulfill({ json: { ...answer, load: { today: rising(answer.load.today), yesterday: rising(answer.load.yesterday) } } });
  });
  await page.reload();
  const canvas = page.locator('.uplot canvas').first();
  const picture = () => canvas.evaluate((drawn) => (drawn as HTMLCanvasElement).toDataURL()); // as: that is what was asked for
  await canvas.waitFor();
  await page.evaluate(() => document.fonts.ready);
  const light = await picture();
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect.poll(picture).not.toBe(light);
  const dark = await picture();
  // In the moment in which the browser looks: nothing is drawn later for paper.
  const onPaper = await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    return document.querySelector<HTMLCanvasElement>('.uplot canvas')?.toDataURL();
  });
  expect(onPaper).not.toBe(dark);
  await expect.poll(picture).toBe(light);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await expect.poll(picture).toBe(dark);

  await layOutOnPaper(page);
  // It is drawn anew for the size of the window.
  const isWhole = () =>
    canvas.evaluate((drawn) => {
      const [own, box] = [drawn.getBoundingClientRect(), (drawn.closest('section') ?? drawn).getBoundingClientRect()];
      return (
        own.width > 1 && own.left >= box.left - 1 && own.right <= box.right + 1 && own.top >= box.top - 1 && own.bottom <= box.bottom + 1
      );
    });
  await expect.poll(isWhole).toBe(true);
});
