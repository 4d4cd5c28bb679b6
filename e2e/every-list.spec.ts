import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PAGE_PATH, type PageName } from '@hes/contract/page/paths.ts';
import { expect, test, type Page } from '@playwright/test';
import { shareHeadEnd } from './support/shared-head-end.ts';
import { settled } from './support/settled.ts';
import type { HeadEnd } from './support/head-end.ts';

const pagesFolder = path.resolve(import.meta.dirname, '../apps/web/src/pages');
/**
 * Text of the first row after the network of its DCU was read for the first time, some minutes after the start. That reading changes the
 * keys of the rows, which ends a selection; therefore these lists are tested last, and wait for it.
 */
const WHEN_READ: Readonly<Record<string, RegExp>> = { '/system/debug/sta-model': /^[0-9A-F]{12}/ };
const FIRST_READ_WITHIN_MS = 150_000;

/** The addresses of all declared lists. */
const LISTS = globSync('**/*list.tsx', { cwd: pagesFolder })
  .flatMap((file) => [
    ...readFileSync(path.join(pagesFolder, file), 'utf8').matchAll(
      /defineList\(\{.*?\n {2}path: PAGE_PATH\.(\w+),(?:\n {2}at: \{ (.*?) \})?/gs,
    ),
  ])
  .map(([, page, at = '']) => {
    const words = [...at.matchAll(/(\w+): '(\w*)'/g)].map(([, word, value]) => `${word}=${value}`);
    return PAGE_PATH[page as PageName] + (words.length === 0 ? '' : `?${words.join('&')}`); // as: the declaration compiles
  })
  .toSorted()
  .toSorted((left, right) => Number(left in WHEN_READ) - Number(right in WHEN_READ));

/** Lists of one object are shown when it is chosen. */
const SCOPES: Readonly<Record<string, string>> = {
  '/assets/archives-dispatch': '?dcuId=1',
  '/assets/archives-dispatch?node=': 'transformer:1',
  '/meter-management/mdms/phase-analysis?tab=anomalies': '&node=transformer:1',
  '/meter-management/mdms/phase-analysis?tab=anomalies&kind=energy': '&node=transformer:1',
  '/meter-management/mdms/phase-analysis?tab=identification': '&node=transformer:1',
  '/system/debug/dcu-log-management?view=history': '&node=dcu:1',
  '/meter/auto-meter-reading?view=gaps': '&node=level:1',
  '/system/debug/sta-model': '?dcuId=1',
};

/** Columns that draw the numbers of others, which files have instead. */
const DRAWN: ReadonlySet<string> = new Set(['Consumption and losses', 'Parts']);

let page: Page;
let headEnd: HeadEnd;
shareHeadEnd((shared) => ({ page, headEnd } = shared));

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const rows = () => page.locator('[data-list] [data-part="list"] tbody tr[data-row]');
const footer = () => page.locator('[data-list] footer').first();
const headings = async (): Promise<string[]> =>
  (await page.locator('[data-list] [data-part="list"] thead th:not([data-field="actions"], [data-field="select"])').allInnerTexts())
    .map((text) => text.trim())
    .filter((text) => text !== '');
const selected = () => new URL(page.url()).searchParams.get('sel');

for (const address of LISTS)
  test(`${address} counts, refreshes, steps by J and K, clears its filters, and exports the columns that it shows`, async () => {
    await page.goto(`${headEnd.address}/hes${address}${SCOPES[address] ?? ''}`);
    await settled(page);
    await expect(footer()).toBeVisible();
    const whenRead = WHEN_READ[address];
    if (whenRead !== undefined) await expect(rows().first()).toContainText(whenRead, { timeout: FIRST_READ_WITHIN_MS });

    await test.step('the footer counts the rows', async () => {
      const shown = await rows().count();
      await expect(footer()).toContainText(shown === 0 ? 'nothing to show' : new RegExp(`1–[\\d,]+ of [\\d,]+`));
    });

    await test.step('refresh reads the list again', async () => {
      const route = await page.locator('[data-list]').getAttribute('data-list');
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === `/api${route}`);
      await button('Refresh').click();
      expect((await answered).status()).toBe(200);
    });

    if ((await rows().count()) > 1 && (await page.locator('[data-list][data-details]').count()) > 0)
      await test.step('J and K step through the rows, and Esc closes the pane', async () => {
        await rows().first().click();
        await expect(rows().first()).toHaveAttribute('aria-selected', 'true');
        const first = selected();
        await page.keyboard.press('j');
        await expect(rows().nth(1)).toHaveAttribute('aria-selected', 'true');
        await page.keyboard.press('k');
        await expect(rows().first()).toHaveAttribute('aria-selected', 'true');
        expect(selected()).toBe(first);
        await page.keyboard.press('Escape');
        await expect.poll(selected).toBeNull();
      });

    await test.step('hidden columns are not exported, and the chooser brings them back', async () => {
      const before = await headings();
      await button('Columns and density').click();
      const chooser = page.getByRole('group', { name: 'Columns and density' });
      const [last = ''] = before.slice(-1);
      // The chooser names columns without their units.
      const title = last.replace(/ \((?:kWh|kW|%)\)$/, '');
      // The arrangement is saved and drawn again, which may take longer than `uncheck` waits.
      await chooser.getByRole('checkbox', { name: title, exact: true }).click();
      await expect.poll(headings).not.toContain(last);
      await page.keyboard.press('Escape');
      const isExportable = (await button('Export').count()) > 0;
      if (isExportable && (await rows().count()) > 0) {
        await button('Export').click();
        const download = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: 'CSV (UTF-8)' }).first().click();
        const file = readFileSync(await (await download).path(), 'utf8').replace(/^\uFEFF/, '');
        const [line = ''] = file.split('\r\n');
        // Whole heads: that of a hidden column may be part of another one, such as of one side of a comparison.
        expect(line.split(',')).not.toContain(last);
        for (const heading of await headings()) if (!DRAWN.has(heading)) expect(line).toContain(heading);
      }
      await button('Columns and density').click();
      await chooser.getByRole('button', { name: 'Restore defaults' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(headings).toContain(last);
    });

    await test.step('filters are cleared by one button', async () => {
      const field = page.getByRole('search').getByRole('textbox').first();
      if ((await field.count()) === 0) return;
      await field.fill('no such row');
      await field.press('Enter');
      await expect(page.getByText('Nothing matches these filters')).toBeVisible();
      await button('Clear filters').first().click();
      await expect(field).toHaveValue('');
      await expect(page.getByText('Nothing matches these filters')).toBeHidden();
    });
  });
