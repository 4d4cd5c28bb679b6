import { expect, test, type Browser, type Page } from '@playwright/test';
import { clearFaults, setFault, readFleet } from '../support/ground-truth.ts';
import { settled } from '../support/settled.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const FLEET_WITHIN_MS = 90_000;
const READ_WITHIN_MS = 60_000;
/** Delay of each round trip: long enough to press a key between two meters. */
const SLOW_MS = 400;
/** Accepted layout shift, as a share of the window. */
const MOST_SHIFT = 0.02;

let sns: string[] = [];
const fleet = setUpSmallFleet(async (headEnd) => {
  await expect(() => readFleet(headEnd)).toPass({ timeout: FLEET_WITHIN_MS });
  const { meters } = await readFleet(headEnd);
  const [{ dcuSn } = { dcuSn: '' }] = meters;
  sns = meters.filter((meter) => meter.dcuSn === dcuSn).map(({ sn }) => sn);
  expect(sns.length).toBeGreaterThan(8);
});
test.describe.configure({ timeout: 240_000 });

async function order(page: Page, of: readonly string[]): Promise<void> {
  await metersTakenOver(page, of);
  await page.getByRole('button', { name: 'Paste SNs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste SNs' });
  await dialog.getByRole('textbox').fill(of.join('\n'));
  await dialog.getByRole('button', { name: 'Add meters' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Start reading' }).click();
  await expect(page).toHaveURL(/task=\d+/);
}

const numberOf = async (page: Page, state: string): Promise<number> =>
  Number(await page.locator(`[data-count="${state}"] [data-value]`).getAttribute('data-value'));
const doneOf = async (page: Page): Promise<number> => Number(await page.getByTestId('run-done').getAttribute('data-value'));

/** Opens a page and records every layout shift from the first paint on, with its elements. */
async function openWatched(
  browser: Browser,
  path: string,
): Promise<{ page: Page; shifts: () => Promise<{ sum: number; moved: string[] }> }> {
  const page = await fleet.open(browser, 'login');
  await page.addInitScript(() => {
    const seen = { sum: 0, moved: [] as string[] };
    (window as unknown as { shifts: typeof seen }).shifts = seen; // as: a place of the test
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Element | null }[] };
    new PerformanceObserver((list) => {
      // as: the entries of this type
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue;
        seen.sum += value;
        for (const { node } of sources) seen.moved.push(`${value.toFixed(4)} ${node?.nodeName} ${node?.textContent?.slice(0, 60)}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${fleet.headEnd.address}/hes/${path}`);
  await settled(page);
  return { page, shifts: () => page.evaluate(() => (window as unknown as { shifts: { sum: number; moved: string[] } }).shifts) }; // as: set above
}

test('a run is paused by P and by its button, resumes, asks for confirmation before it stops, and retries exactly the failed items', async ({
  browser,
}) => {
  const { headEnd } = fleet;
  const denied = sns.slice(-2);
  for (const sn of sns) await setFault(headEnd, { target: sn, kind: 'slow', delayMs: SLOW_MS });
  for (const sn of denied) await setFault(headEnd, { target: sn, kind: 'deny' });
  const page = await fleet.open(browser, 'action/on-demand-reading');
  const received: string[] = [];
  await order(page, sns);
  const run = page.url();
  await expect.poll(() => doneOf(page), { timeout: READ_WITHIN_MS }).toBeGreaterThan(0);
  await page.keyboard.press('p');
  const head = page.getByRole('region', { name: 'Register reading' });
  const stands = (state: string) => expect(head.getByText(state, { exact: true })).toBeVisible({ timeout: READ_WITHIN_MS });
  await stands('Paused');

  // The round trips in flight have ended; other tasks at the same DCU are served, and the paused run stands still meanwhile.
  await expect.poll(() => numberOf(page, 'reading'), { timeout: READ_WITHIN_MS }).toBe(0);
  const standing = { done: await doneOf(page), waiting: await numberOf(page, 'waiting') };
  expect(standing.waiting).toBeGreaterThan(0);
  const other = await fleet.open(browser, 'action/on-demand-reading');
  await order(other, sns.slice(0, 1));
  await expect.poll(() => doneOf(other), { timeout: READ_WITHIN_MS }).toBe(1);
  expect({ done: await doneOf(page), waiting: await numberOf(page, 'waiting') }).toEqual(standing);

  // Users who return, or watch from another window, see the pause; so does the tray.
  await other.goto(run);
  await expect(other.getByRole('region', { name: 'Register reading' }).getByText('Paused', { exact: true })).toBeVisible();
  await other.getByRole('button', { name: /1 paused/ }).click();
  await expect(other.getByRole('region', { name: /jobs/i }).getByText('Paused')).toBeVisible();
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Resume' }).click();
  await stands('Running');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await stands('Paused');
  await page.keyboard.press('s');
  await expect(page.getByText('Stop the items that have not started?')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Resume' }).click();
  for (const sn of sns.slice(0, -2)) await clearFaults(headEnd, sn);
  await stands('Partly failed');
  expect(await numberOf(page, 'read_fail')).toBe(2);

  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => received.push(payload.toString())));
  await page.reload();
  for (const sn of denied) await clearFaults(headEnd, sn);
  await page.getByRole('button', { name: 'Retry 2 failed' }).click();
  await stands('Finished');
  expect(await numberOf(page, 'read_success')).toBe(sns.length);
  const told = received.filter((frame) => frame.includes('"task.item"')).join('');
  expect(sns.filter((sn) => told.includes(sn)).toSorted()).toEqual(denied.toSorted());
});

test('dashboard and runs do not shift while they load and while data arrives', async ({ browser }) => {
  for (const sn of sns) await setFault(fleet.headEnd, { target: sn, kind: 'slow', delayMs: 50 });
  const orders = await fleet.open(browser, 'action/on-demand-reading');
  await order(orders, sns);
  const { pathname, search } = new URL(orders.url());
  const run = await openWatched(browser, `${pathname}${search}`.replace('/hes/', ''));
  await expect(run.page.getByRole('region', { name: 'Register reading' }).getByText('Finished', { exact: true })).toBeVisible({
    timeout: READ_WITHIN_MS,
  });
  for (const sn of sns) await clearFaults(fleet.headEnd, sn);
  const ofRun = await run.shifts();
  expect(ofRun.sum, ofRun.moved.join('\n')).toBeLessThanOrEqual(MOST_SHIFT);

  const dashboard = await openWatched(browser, 'dashboard');
  await dashboard.page.locator('canvas').first().waitFor();
  // The automatic refresh, a minute later.
  await dashboard.page.waitForResponse((response) => new URL(response.url()).pathname === '/api/dashboard/summary', { timeout: 90_000 });
  const ofDashboard = await dashboard.shifts();
  expect(ofDashboard.sum, ofDashboard.moved.join('\n')).toBeLessThanOrEqual(MOST_SHIFT);
});
