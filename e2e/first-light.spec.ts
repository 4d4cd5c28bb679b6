import { expect, test, type Locator, type Page } from '@playwright/test';
import { clearFaults, dailyOf, holdTime, loadProfileOf, registersOf, setFault, readFleet } from './support/ground-truth.ts';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { signIn } from './support/sign-in.ts';

const COLLECTED_WITHIN_MS = 120_000;
const READ_WITHIN_MS = 60_000;
const SLOT_MS = 900_000;
const DAY_MS = 86_400_000;

let headEnd: HeadEnd;
/** A three-phase customer with photovoltaics, so both directions carry energy, without problems nearby. */
let sn = '';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast' } });
  const { meters, truth } = await readFleet(headEnd);
  const troubled = new Set(Object.values(truth.problems).flat());
  const candidates = meters.filter(
    (meter) => meter.isGenerator && !meter.isMaster && !troubled.has(meter.sn) && !troubled.has(meter.dcuSn),
  );
  sn = (candidates.find(({ phase }) => phase === 'abc') ?? candidates[0])?.sn ?? '';
  expect(sn).not.toBe('');
});
// eslint-disable-next-line no-empty-pattern -- Playwright requires a pattern as the first argument
test.afterEach(async ({}, info) => {
  if (info.status !== info.expectedStatus) await info.attach('output of the head-end', { body: headEnd.output() });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** The number in a cell, as displayed: `1,236.125 kWh`. */
const shown = async (cell: Locator): Promise<number> => Number(/-?[\d,]+(?:\.\d+)?/.exec(await cell.innerText())?.[0].replaceAll(',', ''));

/** The number in Wh and W, with or without a kilo prefix on the page. */
const inBaseUnit = async (cell: Locator): Promise<number> =>
  / k(?:Wh|W|VA)$/.test((await cell.innerText()).trim()) ? Math.round((await shown(cell)) * 1000) : shown(cell);

const kilo = (value: number): number => value / 1000;

/** Local days of the utility: UTC+8 without summer time. */
const localDay = (ms: number): string => new Date(ms + 8 * 3_600_000).toISOString().slice(0, 10);
const localMidnight = (day: string): number => Date.parse(`${day}T00:00:00+08:00`);

async function openMeter(page: Page): Promise<string> {
  await page.goto(`${headEnd.address}/hes/meter/auto-meter-reading`);
  await page.getByLabel('SN, name or transformer').fill(sn);
  await page
    .getByRole('tree', { name: 'Network nodes' })
    .getByText(sn.replaceAll(/(\d{4})(?=\d)/g, '$1 '))
    .click();
  await expect(page).toHaveURL(/node=meter(?::|%3A)\d+/);
  return /node=(meter(?::|%3A)\d+)/.exec(page.url())?.[1] ?? '';
}

test('S-017 S-189: daily freezes on the page equal those of the meter', async ({ page }) => {
  await signIn(page, headEnd);
  await openMeter(page);
  const today = Date.now();
  const days = [0, 1, 2, 3, 4, 5, 6].map((back) => localDay(today - back * DAY_MS));
  for (const day of days) {
    const row = page.locator(`tr[data-row$=" ${day}"]`);
    await expect(row).toBeVisible({ timeout: COLLECTED_WITHIN_MS });
    const truth = await dailyOf(headEnd, sn, day);
    const wanted: Record<string, number | undefined> = { ePlus: truth.ePlus, eMinus: truth.eMinus };
    for (const tariff of [1, 2, 3, 4]) {
      wanted[`ePlusT${tariff}`] = truth.ePlusT[tariff - 1];
      wanted[`eMinusT${tariff}`] = truth.eMinusT[tariff - 1];
    }
    for (const [field, wh] of Object.entries(wanted)) {
      expect(await shown(row.locator(`td[data-field="${field}"]`)), `${field} of ${day}`).toBe(kilo(wh ?? NaN));
    }
  }
});

test('S-193: a day of load profile A on the page equals the captures of the meter', async ({ page }) => {
  await signIn(page, headEnd);
  const node = await openMeter(page);
  const yesterday = localDay(Date.now() - DAY_MS);
  await page.goto(`${headEnd.address}/hes/meter/auto-meter-reading?node=${node}&tab=lpa&from=${yesterday}&to=${yesterday}`);
  const rows = page.locator('tr[data-row]');
  await expect(rows).toHaveCount(96, { timeout: COLLECTED_WITHIN_MS });

  const from = localMidnight(yesterday);
  const truth = await loadProfileOf(headEnd, sn, from, from + DAY_MS - SLOT_MS);
  expect(truth).toHaveLength(96);
  expect(truth.some(({ pAvgMinus }) => pAvgMinus > 0)).toBe(true);
  const page96 = await rows.evaluateAll((list) =>
    list.map((row) => ({
      at: Date.parse((row.getAttribute('data-row') ?? '').split(' ')[1] ?? ''),
      values: Object.fromEntries(
        [...row.querySelectorAll<HTMLElement>('td[data-field]')].map((cell) => [
          cell.dataset['field'] ?? '',
          cell.innerText.replaceAll(',', ''),
        ]),
      ),
    })),
  );
  const asShown = truth.map((slot) => ({
    at: Date.parse(slot.at),
    ePlus: kilo(slot.ePlus),
    eMinus: kilo(slot.eMinus),
    pAvgPlus: kilo(slot.pAvgPlus),
    pAvgMinus: kilo(slot.pAvgMinus),
    sAvgPlus: kilo(slot.sAvgPlus),
    sAvgMinus: kilo(slot.sAvgMinus),
  }));
  const byTime = page96
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, values }) => ({
      at,
      ePlus: Number(values['ePlus']),
      eMinus: Number(values['eMinus']),
      pAvgPlus: Number(values['pAvgPlus']),
      pAvgMinus: Number(values['pAvgMinus']),
      sAvgPlus: Number(values['sAvgPlus']),
      sAvgMinus: Number(values['sAvgMinus']),
    }));
  expect(byTime).toEqual(asShown);
});

test('S-018 S-497: an on-demand read arrives over the live socket, equals the truth, and opens to its bytes', async ({ page }) => {
  const received: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => received.push(payload.toString())));
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/action/on-demand-reading`);
  await page.getByLabel('SN, name or transformer').fill(sn);
  const tree = page.getByRole('tree', { name: 'Network nodes' });
  await tree.getByText(sn.replaceAll(/(\d{4})(?=\d)/g, '$1 ')).click();
  await expect(tree.getByRole('treeitem').first()).toBeChecked();

  await holdTime(headEnd, true);
  // Slow enough that the console follows the task before it ends, under any load of the machine.
  await setFault(headEnd, { target: sn, kind: 'slow', delayMs: 1000 });
  const truth = await registersOf(headEnd, sn);
  await page.getByRole('button', { name: 'Start reading' }).click();
  const arrived = (text: string) => text.includes('"task.item"') && text.includes('"read_success"') && text.includes(sn);
  await expect.poll(() => received.some(arrived), { timeout: READ_WITHIN_MS }).toBe(true);
  await clearFaults(headEnd, sn);
  await holdTime(headEnd, false);

  await page.getByRole('grid', { name: 'Results' }).locator('tr[data-row]').click();
  const values = page.getByRole('list', { name: 'Values' });
  const wanted = { E_PLUS: truth.ePlus, E_MINUS: truth.eMinus, U1: truth.u[0], I1: truth.i[0], P_PLUS: truth.pPlus, PF: truth.pf };
  for (const [item, value] of Object.entries(wanted)) {
    expect(await inBaseUnit(values.locator(`[data-item="${item}"] b`)), item).toBe(value);
  }

  const importRow = values.locator('[data-item="E_PLUS"]');
  await expect(importRow).toHaveAttribute('title', /on the wire \d+/);
  const raw = /on the wire (\d+)/.exec((await importRow.getAttribute('title')) ?? '')?.[1] ?? '';
  const frames = page.getByRole('list', { name: 'Frames' });
  // Counting does not wait: the frames are loaded by a separate request, and closed ones have content.
  await expect(frames.locator('li[data-direction="up"]').first()).toBeVisible();
  await openAll(frames.getByRole('button', { name: /^Received/, expanded: false }));
  await openAll(frames.getByRole('button', { name: /^Show fields of/, expanded: false }));
  const answer = frames.locator('li[data-direction="up"]').filter({ hasText: 'Deciphered' }).filter({ hasText: raw });
  await expect(answer).toHaveCount(1);
  await expect(frames.locator('li[data-direction="down"]').first()).toContainText(/00 01 00 01/);
});

/** Opens collapsed elements until none is left; opening one may reveal others. */
async function openAll(closed: Locator): Promise<void> {
  while ((await closed.count()) > 0) await closed.first().click();
}
