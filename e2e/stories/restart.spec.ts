import { expect, test, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const CONNECTED_WITHIN_MS = 60_000;
/** Time within which a console finds its head-end again. */
const BACK_WITHIN_MS = 60_000;
const FLEET_ENV = { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x4' };

let headEnd: HeadEnd;

test.describe.configure({ timeout: 240_000 });
test.beforeAll(async () => {
  headEnd = await start({ env: FLEET_ENV });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const rows = (page: Page) => page.getByRole('grid').locator('tbody tr');
const withStatus = (page: Page, status: string) => rows(page).filter({ hasText: status });
const refresh = (page: Page) => page.getByRole('button', { name: 'Refresh' }).first();

test('stopping the head-end does not set its DCUs offline: they keep their last state and are unconfirmed after the restart', async ({
  page,
}) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/assets/dcu`);
  await expect
    .poll(async () => withStatus(page, 'Online').count(), { timeout: CONNECTED_WITHIN_MS, message: 'DCUs connect' })
    .toBeGreaterThanOrEqual(2);
  await expect(page.locator('footer').getByText('Live', { exact: true })).toBeVisible();
  const online = await withStatus(page, 'Online').count();
  const offline = await withStatus(page, 'Offline').count();

  await headEnd.stop();
  await expect(page.getByRole('alert').filter({ hasText: /The head-end has not answered since \d\d:\d\d:\d\d/ })).toBeVisible();
  await expect(page.getByRole('main')).toHaveAttribute('data-away', 'true');
  await expect(page.getByText(/last known at \d\d:\d\d:\d\d/)).toBeVisible();
  await expect(page.locator('footer').getByText('DCUs last known online')).toBeVisible();
  await expect(withStatus(page, 'Online')).toHaveCount(online);
  await expect(withStatus(page, 'Offline')).toHaveCount(offline);
  await refresh(page).click();
  await expect(page.getByText(/Cannot refresh: the head-end has not answered since/)).toBeVisible();
  await expect(withStatus(page, 'Online')).toHaveCount(online);

  // Without the simulator no DCU reconnects.
  headEnd = await start({ dataDir: headEnd.dataDir, env: { HES_DEMO: 'off', HES_PORT: String(headEnd.port) } });
  const banner = page.getByRole('alert').filter({ hasText: 'The head-end has not answered' });
  await expect(banner).toHaveCount(0, { timeout: BACK_WITHIN_MS });
  await expect(withStatus(page, 'Unconfirmed')).toHaveCount(online);
  await expect(withStatus(page, 'Offline')).toHaveCount(offline);
  await expect(page.getByRole('main')).not.toHaveAttribute('data-away');
});
