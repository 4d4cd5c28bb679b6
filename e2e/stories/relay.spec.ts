import { expect, test } from '@playwright/test';
import { createUser } from '../support/create-user.ts';
import { askControl, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { confirmAs, signIn } from '../support/sign-in.ts';

const second = { username: 'second.person', password: 'Two-Keys-2026', name: 'Sam Second', role: 'ADMIN' };
const SUPPLIES = 11;

let headEnd: HeadEnd;

test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const at = (query = ''): string => `${headEnd.address}/hes/action/relay-control${query}`;

/** The true state of a meter's relay, and its number of executed commands. */
const relayOf = async (sn: string) => (await (await askControl(headEnd, `/relay/${sn}`)).json()) as { state: string; orders: number };

test('S-022 S-084: eleven supplies are disconnected after dual approval, each by one command, and confirmed by read-back', async ({
  browser,
  page,
}) => {
  await signIn(page, headEnd);
  await createUser(page, headEnd, second);
  await page.goto(at('?size=20'));
  const boxes = page.locator('tbody').getByRole('checkbox');
  for (let row = 0; row < SUPPLIES; row++) await boxes.nth(row).check();
  const sns = (await page.locator('tbody tr').allInnerTexts())
    .slice(0, SUPPLIES)
    .map((text) => (/\d{4} \d{4} \d{4}/.exec(text)?.[0] ?? '').replaceAll(' ', ''));
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  await page.route('**/api/action/relay/preview', async (route) => {
    await told;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const dialog = page.getByRole('dialog');
  // The count is never zero: before the affected customers are known, it is that of the selection.
  await expect(dialog).toContainText(`Disconnect ${SUPPLIES} customers`);
  tell();
  await expect(dialog.getByText(/awaits approval by a second person/)).toBeVisible();
  await dialog.getByLabel('Reason').fill('Unpaid');
  await dialog.getByLabel('Work order').fill('WO-11');
  const button = dialog.getByRole('button', { name: /^Disconnect \d+ customers/ });
  const count = Number(/\d+/.exec((await button.innerText()) ?? '')?.[0]);
  await dialog.getByLabel(/^Type DISCONNECT/).fill(`disconnect ${count}`);
  await button.click();
  // The dialog contains the same texts; without it they belong to the command.
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(/awaits approval by a second person/)).toBeVisible();
  expect((await relayOf(sns[0] ?? '')).orders).toBe(0);

  const other = await (await browser.newContext()).newPage();
  await signIn(other, headEnd, { ...second, proves: false });
  await other.goto(at('?tab=approvals'));
  await expect(other.getByRole('row', { name: /WO-11/ })).toContainText('Waiting');
  await other.getByRole('button', { name: 'Approve' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await confirmAs(other, second.password);
  await expect(other.getByRole('row', { name: /WO-11/ })).toContainText('Approved');

  await expect(page.getByText('sent, confirmed by read-back').first()).toBeVisible();
  // Head, counters, filters, rows and pane describe the command, and none of them a reading.
  const run = page.getByRole('region', { name: 'Disconnection' });
  await expect(run.getByText('Disconnected, confirmed by read-back')).toBeVisible();
  await expect(run.getByText('Finished', { exact: true })).toBeVisible({ timeout: 60_000 });
  const results = page.getByRole('region', { name: 'Results' });
  await results.locator('tr[data-row]').first().click();
  await expect(page.getByRole('region', { name: 'Selected meter' })).toContainText('Disconnected, confirmed by read-back');
  await expect(results.getByRole('radio', { name: /^Not disconnected/ })).toHaveCount(1);
  for (const word of ['Read success', 'Read fail', 'Reading', 'continues if you close this tab'])
    await expect(page.getByRole('main').getByText(word, { exact: false })).toHaveCount(0);
  await expect(run.getByText(/ended \d\d:\d\d:\d\d/)).toBeVisible();
  await expect.poll(async () => (await relayOf(sns[0] ?? '')).state).toBe('disconnected');
  for (const sn of sns) expect((await relayOf(sn)).orders).toBeLessThanOrEqual(1);
  await page.goto(at('?tab=approvals'));
  await expect(page.getByRole('row', { name: /WO-11/ })).toContainText('Sam Second');

  // The log names meter, customer and DCU; the notification reports the end and result of the run.
  await page.goto(at('?tab=log'));
  const line = page.getByRole('row', { name: /WO-11/ }).first();
  await expect(line).toContainText(/C\d{6}/);
  await expect(line).toContainText('Confirmed');
  await page.getByRole('button', { name: /^Notices/ }).click();
  const notice = page.getByRole('region', { name: 'Notices' }).getByRole('listitem').filter({ hasText: 'Disconnection #' });
  await expect(notice).toContainText(`${count} of ${count} finished`);
  await expect(notice).not.toContainText('done');
});

test('S-084: supplies are found by pasted serial numbers, and limits are raised only with dual approval', async ({ browser, page }) => {
  await signIn(page, headEnd);
  await page.goto(at());
  const first = page.locator('tbody tr').first();
  await expect(first).toHaveText(/\d{4} \d{4} \d{4}/);
  const sn = (/\d{4} \d{4} \d{4}/.exec(await first.innerText())?.[0] ?? '').replaceAll(' ', '');
  await page.getByRole('button', { name: 'Paste SNs' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(sn);
  await page.getByRole('dialog').getByRole('button', { name: 'Show these' }).click();
  await expect(page.getByText('1 pasted serial number')).toBeVisible();
  await expect(page.locator('tbody tr')).toHaveCount(1);

  await page.getByRole('button', { name: 'Limits' }).click();
  const limits = page.getByRole('dialog', { name: 'Limits of relay control' });
  await limits.getByLabel('Supplies an hour').fill('60');
  await limits.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/requested higher limits; a second approver is required/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0);

  const other = await (await browser.newContext()).newPage();
  await signIn(other, headEnd, second);
  await other.goto(at());
  await other.getByRole('button', { name: 'Approve' }).click();
  const dialog = other.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(other.getByText(/Higher limits take effect/)).toBeVisible();
  await expect(other.getByText(/of 50 supplies switched/)).toBeVisible();
});

test('S-084: states read by a run are shown on return, never older ones, and the selection is kept', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(at('?size=20'));
  const row = page.locator('tbody tr').last();
  await expect(row).toContainText('Not read');
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Read state' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Connected' }).first()).toBeVisible();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/api\/action\/relay\?/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Back to the relays' }).click();
  await expect(page.getByRole('heading', { name: 'Relay Control' })).toBeVisible();
  await expect(page.getByText('Not read', { exact: true }).and(page.locator('tbody *'))).toHaveCount(0);
  answer();
  await expect(row).toContainText('Connected');
  await expect(row.getByRole('checkbox')).toBeChecked();
});
