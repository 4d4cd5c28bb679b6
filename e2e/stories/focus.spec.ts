import { expect, test, type Page } from '@playwright/test';
import { unseenFocus, watchRings } from '../support/focus-ring.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';

const TABS = 40;
const DRAWN_WITHIN_MS = 60_000;

const fleet = setUpSmallFleet();

const openUserForm = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Add user' }).click();
  await expect(page.getByRole('dialog', { name: 'Add user' }).getByLabel('User name')).toBeFocused();
};

/** One page of each kind. */
const TEMPLATES: { kind: string; path: string; prepare?: (page: Page) => Promise<void> }[] = [
  { kind: 'a list', path: 'assets/dcu' },
  { kind: 'a tree with a list', path: 'assets/archives-dispatch' },
  { kind: 'a form', path: 'system/system-management/user-management', prepare: openUserForm },
  { kind: 'a live operation', path: 'action/on-demand-reading' },
  { kind: 'an analysis', path: 'meter-management/mdms/electric-bill' },
  { kind: 'a topology', path: 'meter-management/network/network-topology?dcu=1&form=network' },
  { kind: 'steps', path: 'system/upgrade/firmware-upgrade?tab=new' },
  { kind: 'the overview', path: 'dashboard' },
];

/** Elements that every page shares are checked on the first page only. */
const known = new Set<string>();

for (const { kind, path, prepare } of TEMPLATES)
  test(`the focus is visible in each of ${TABS} steps, on a page that is ${kind}`, async ({ browser }) => {
    const page = await fleet.open(browser, path);
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible({ timeout: DRAWN_WITHIN_MS });
    await page.waitForLoadState('networkidle');
    // Late fonts would change the measured widths.
    await page.evaluate(() => document.fonts.ready);
    await prepare?.(page);
    await watchRings(page);
    const unseen: string[] = [];
    for (let step = 0; step < TABS; step++) {
      await page.keyboard.press('Tab');
      const problem = await unseenFocus(page, known);
      if (problem !== null) unseen.push(`step ${step}, ${problem}`);
    }
    expect(unseen).toEqual([]);
  });
