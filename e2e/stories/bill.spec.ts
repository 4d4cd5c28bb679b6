import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { dailyOf, readFleet } from '../support/ground-truth.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';
import { askAs, metersTakenOver } from '../support/taken-over.ts';

/** Time to read a week of freezes and calculate a period after the start on a busy machine. */
const DATA_WITHIN_MS = 180_000;
const CALCULATED_WITHIN_MS = 20_000;
/** Share of the DCUs that must be online: some are always offline. */
const MOST_OF_FLEET = 0.8;

let headEnd: HeadEnd;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** Local calendar days of the fleet, counted back from today. */
const dayOf = (timeZone: string, back: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(Date.now() - back * 86_400_000);

test('S-028 S-081: a period is calculated, equals the registers to 0.01 kWh, shows its balance, and yields a statement', async ({
  page,
}) => {
  test.setTimeout(300_000);
  // The control API of the simulator starts shortly after the console.
  let known: Awaited<ReturnType<typeof readFleet>> | undefined;
  await expect(async () => {
    known = await readFleet(headEnd);
  }).toPass({ timeout: DATA_WITHIN_MS });
  const { timeZone = '', meters = [], truth } = known ?? {};
  const problem = new Set(Object.values(truth?.problems ?? {}).flat());
  const meter = meters.find((one) => !one.isMaster && !one.isGenerator && !problem.has(one.sn) && !problem.has(one.dcuSn));
  if (meter === undefined) throw new Error('the fleet has no ordinary meter');
  const [from, to] = [dayOf(timeZone, 3), dayOf(timeZone, 1)];
  await signIn(page, headEnd);
  const address = `${headEnd.address}/hes/meter-management/mdms/electric-bill?kind=custom&from=${from}&to=${to}`;

  // The freezes of a week are collected automatically after the start.
  await metersTakenOver(page, [meter.sn]);
  const [stored] = (await askAs<{ items: { id: string }[] }>(page, `/asset/meter?search=${meter.sn}`)).items;
  const freezes = `/reading/daily?from=${from}&to=${dayOf(timeZone, 0)}&meterId=${stored?.id ?? ''}`;
  await expect.poll(async () => (await askAs<{ items: object[] }>(page, freezes)).items.length, { timeout: DATA_WITHIN_MS }).toBe(4);
  // The whole fleet is calculated: the sums below cover all meters.
  const ofDay = `/reading/daily?from=${from}&to=${from}&size=1`;
  await expect
    .poll(async () => (await askAs<{ total: number }>(page, ofDay)).total, { timeout: DATA_WITHIN_MS })
    .toBeGreaterThan(meters.length * MOST_OF_FLEET);
  const line = page.getByRole('grid', { name: 'By meter' }).locator('tr[data-row]').first();
  await page.goto(`${address}&search=${meter.sn}`);
  await page
    .getByRole('button', { name: /^(Calculate|Recalculate)$/ })
    .first()
    .click();
  await expect(line).toContainText('Complete', { timeout: CALCULATED_WITHIN_MS });

  const [opening, closing] = await Promise.all([dailyOf(headEnd, meter.sn, from), dailyOf(headEnd, meter.sn, dayOf(timeZone, 0))]);
  const used = (closing.ePlus - opening.ePlus) / 1000;
  const shown = await line.locator('td[data-field="plus"]').getAttribute('data-value');
  expect(Math.abs(Number(shown) - used)).toBeLessThan(0.01);

  await line.click();
  const pane = page.getByRole('complementary').filter({ hasText: 'Registers' });
  await expect(pane.getByText('By day')).toBeVisible();
  const [file] = await Promise.all([page.waitForEvent('download'), pane.getByRole('button', { name: 'Statement (PDF)' }).click()]);
  expect(file.suggestedFilename()).toBe(`${meter.sn}-${from}-${to}.pdf`);
  expect(readFileSync(await file.path(), 'latin1')).toMatch(/^%PDF-1\./);

  // A separate limit, which applies to the day from now on.
  await pane.getByRole('button', { name: 'Limits' }).click();
  const limits = page.getByRole('dialog', { name: `Limits of ${meter.sn}` });
  await limits.getByLabel('Upper limit (kWh a day)').fill('0.5');
  await limits.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Limits saved')).toBeVisible();

  // The user who calculated must not approve.
  await pane.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('dialog')).toContainText('Another user has to decide');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await page.goto(`${address}&tab=anomalies&search=${meter.sn}`);
  const found = `/analysis/anomaly?from=${from}&to=${to}&search=${meter.sn}`;
  await expect
    .poll(async () => (await askAs<{ items: object[] }>(page, found)).items.length, { timeout: DATA_WITHIN_MS })
    .toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('grid', { name: 'Anomalies' }).locator('tr[data-row]').first()).toContainText('Upper limit');

  // Sums by tariff equal those by meter.
  await page.goto(`${address}&tab=trend&view=table`);
  await expect(page.getByRole('grid', { name: 'Consumption by day' }).locator('td[data-field="plusT1"]').first()).not.toHaveAttribute(
    'data-value',
    '',
  );
  // The greatest loss is at the transformer with theft, and its row links to the lines it consists of.
  const thief = meters.find(({ sn }) => sn === truth?.problems['thefts']?.[0]);
  const worst = page.getByRole('grid', { name: 'By transformer' }).locator('tr[data-row]').first().getByRole('link');
  await expect(async () => {
    await page.goto(`${address}&tab=balance`);
    await expect(worst).toHaveAttribute('title', `By meter: ${thief?.transformerCode}`, { timeout: 5000 });
  }).toPass({ timeout: DATA_WITHIN_MS });
  await worst.click();
  await expect(page.getByRole('grid', { name: 'By meter' }).locator('tr[data-row]').first()).toContainText('Master');

  // Missing freezes are read again.
  await page.goto(`${address}&status=missing`);
  await page.getByRole('button', { name: 'Read the missing' }).click();
  await page.getByRole('button', { name: 'Follow the task' }).click();
  await expect(page).toHaveURL(/\/action\/on-demand-reading\?task=\d+$/);
});

test('S-437: more than 31 days are refused with the text of the specification', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/meter-management/mdms/electric-bill?kind=custom&from=2026-01-01&to=2026-02-01`);
  await expect(page.getByRole('alert')).toHaveText('The Time Range Cannot Exceed 31 Days!');
});
