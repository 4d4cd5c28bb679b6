import { expect, test } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

let headEnd: HeadEnd;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '2x8' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const CARDS = [
  'Communication freshness',
  'Abnormal events',
  'Signal strength',
  'Completeness',
  'Archives',
  'Electricity anomalies',
  'Running tasks',
  'DCUs online, 24 h',
  'Upgrades running',
  'DCUs with most gaps today',
  'Transformers with most line loss',
];

test('S-065 S-066: every card exists, links to its members, can be exported, and fails independently', async ({ page }) => {
  await page.route('**/api/dashboard/archives*', (route) =>
    route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'No archives today' } }),
  );
  await signIn(page, headEnd);
  for (const name of CARDS) await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  const archives = page.getByRole('region', { name: 'Archives', exact: true });
  await expect(archives.getByRole('alert')).toContainText('No archives today');
  await page.unroute('**/api/dashboard/archives*');
  await archives.getByRole('button', { name: 'Try again' }).click();
  await expect(archives.getByRole('link')).toHaveCount(4);

  const [numbers] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save numbers as CSV: Archives' }).click(),
  ]);
  expect(numbers.suggestedFilename()).toBe('Archives.csv');
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as picture: Archives' }).click(),
  ]);
  expect(picture.suggestedFilename()).toBe('Archives.png');

  await archives.getByRole('link', { name: /^Bound Not distributed/ }).click();
  await expect(page).toHaveURL(/archives-dispatch\?bindState=bound&dispatchState=not_distributed/);
});

test('while the head-end answers slowly, the window and then each card show their outlines instead of nothing', async ({ page }) => {
  await signIn(page, headEnd);
  const held: { url: string; go: () => Promise<void> }[] = [];
  let holds = /\/api\/(white|manager|dashboard|upgrade)\//;
  await page.route('**/api/**', (route) => {
    const call = { url: route.request().url(), go: () => route.continue() };
    if (!holds.test(call.url)) return call.go();
    held.push(call);
  });
  const release = () => Promise.all(held.splice(0).map((call) => (holds.test(call.url) ? held.push(call) : call.go())));
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByRole('status', { name: 'Loading' }).first()).toBeVisible();

  holds = /\/api\/(dashboard|upgrade)\//;
  await release();
  const cards = page.getByRole('region');
  await expect(cards.filter({ visible: true })).toHaveCount(CARDS.length + 4);
  for (const card of await cards.all()) await expect(card.locator('[data-skeleton]').first()).toBeVisible();

  holds = /nothing/;
  await release();
  await expect(page.getByRole('region', { name: 'Archives', exact: true }).getByRole('link')).toHaveCount(4);
  await expect(page.locator('[data-skeleton]')).toHaveCount(0);
});

test('another day is selected, and its numbers link to that day', async ({ page }) => {
  await signIn(page, headEnd);
  const date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const day = page.getByLabel('Day', { exact: true });
  await day.fill(date);
  await day.press('Enter');
  await expect(page).toHaveURL(new RegExp(`date=${date}`));
  await expect(page.getByRole('region', { name: `DCUs with most gaps on ${date}`, exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open event list' })).toHaveAttribute('href', new RegExp(`from=${date}&to=${date}`));
  await page.getByRole('link', { name: new RegExp(`of \\d+ on ${date}|nothing expected yet`) }).click();
  await expect(page).toHaveURL(new RegExp(`auto-meter-reading\\?tab=daily&from=${date}&to=${date}`));
});
