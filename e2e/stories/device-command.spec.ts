import { expect, test } from '@playwright/test';
import { readFleet } from '../support/ground-truth.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';
import { metersTakenOver } from '../support/taken-over.ts';

const FLEET_WITHIN_MS = 90_000;
const DONE_WITHIN_MS = 60_000;

let headEnd: HeadEnd;
let sn: string;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '2x6' } });
  await expect(() => readFleet(headEnd)).toPass({ timeout: FLEET_WITHIN_MS });
  const { meters } = await readFleet(headEnd);
  sn = meters.find((meter) => !meter.isMaster)?.sn ?? '';
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

test('a billing period is set, ended with a reason, and confirmed by read-back', async ({ page }) => {
  await signIn(page, headEnd);
  await metersTakenOver(page, [sn]);
  await page.goto(`${headEnd.address}/hes/action/device-command?command=billing_period_set`);
  await page.getByLabel('SN, name or transformer').fill(sn);
  await page
    .getByRole('tree', { name: 'Network nodes' })
    .getByText(sn.replaceAll(/(\d{4})(?=\d)/g, '$1 '))
    .click();
  await page.getByLabel('Day of month').fill('15');
  await page.getByLabel('Hour').fill('6');
  await page.getByRole('button', { name: 'Send command' }).click();
  await expect(page.getByRole('alert')).toContainText('A reason is required');
  await page.getByLabel('Reason', { exact: true }).fill('New contract');
  await page.getByRole('button', { name: 'Send command' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send command' }).click();
  const row = page.locator('tr[data-row]').first();
  await expect(row).toContainText('Set, confirmed by read-back', { timeout: DONE_WITHIN_MS });
  await expect(row).toContainText('*-*-15 06:00');

  await page.goto(`${headEnd.address}/hes/action/device-command?command=demand_reset`);
  await page.getByLabel('SN, name or transformer').fill(sn);
  await page
    .getByRole('tree', { name: 'Network nodes' })
    .getByText(sn.replaceAll(/(\d{4})(?=\d)/g, '$1 '))
    .click();
  await page.getByLabel('Reason', { exact: true }).fill('Meter was exchanged');
  await page.getByRole('button', { name: 'Send command' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send command' }).click();
  await expect(row).toContainText('Reset, confirmed by read-back', { timeout: DONE_WITHIN_MS });
  await row.click();
  await expect(page.getByRole('list', { name: 'Values that the device returned' })).toContainText('Billing periods');
});
