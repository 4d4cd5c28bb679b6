import { expect, test, type Browser, type Page } from '@playwright/test';
import { choose } from '../support/choose.ts';
import { askControl } from '../support/head-end.ts';
import { setUpSmallFleet } from '../support/small-fleet.ts';
import { askAs } from '../support/taken-over.ts';

const CONNECTED_WITHIN_MS = 60_000;
const SENT_WITHIN_MS = 30_000;
/** DCUs of the test fleet; the last one is wired. */
const DCUS = 3;
const ARCHIVE_WORDS = ['HES only', 'DCU only', 'Parameters differ'];

/** Connected DCUs of the fleet. */
let dcuSns: string[] = [];

test.describe.configure({ mode: 'serial', timeout: 180_000 });

const fleet = setUpSmallFleet((headEnd) =>
  expect
    .poll(
      async () => {
        const answer = await askControl(headEnd, '/dcu');
        dcuSns = ((await answer.json()) as { connected: string[] }).connected.toSorted(); // as: the type of the response
        return dcuSns.length;
      },
      { timeout: CONNECTED_WITHIN_MS },
    )
    .toBeGreaterThanOrEqual(DCUS),
);
const consoleAt = (browser: Browser, path: string, viewport?: { width: number; height: number }): Promise<Page> =>
  fleet.open(browser, `assets/${path}`, viewport);

const grouped = (sn: string): string => (/^\d{6,}$/.test(sn) ? sn.replaceAll(/(\d{4})(?=\d)/g, '$1 ') : sn);
const rowOf = (page: Page, sn: string) => page.getByRole('row', { name: grouped(sn) }).first();
const tick = (page: Page, sn: string) => page.getByRole('checkbox', { name: `Select ${sn}`, exact: true }).check();

const pick = (page: Page, label: string, option: string | RegExp): Promise<void> =>
  choose(page, page.getByRole('dialog').getByRole('combobox', { name: new RegExp(`^${label}`) }), option);

/** Calls the control API of the simulator; a body makes it a POST. */
async function callControl<T>(path: string, body?: object): Promise<T> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await (await askControl(fleet.headEnd, `/${path}`, request)).json()) as T; // as: the type of the response
}
const drift = async (sn: string, change: object) => (await callControl<{ touched: string[] }>(`dcu/${sn}/drift`, change)).touched;

/** The record of a meter replacement, with the archive entry of the new meter. */
interface ReplacementRecord {
  final: { ePlus: number; ePlusT: number[] };
  initial: { ePlus: number };
  new: { sn: string; systemTitle: string; ek: string; ak: string };
}

test('S-006 S-073 S-438 S-446: a DCU is registered, changed, tested over its link and deleted in the list', async ({ browser }) => {
  const page = await consoleAt(browser, 'dcu');
  await page.getByRole('button', { name: 'Register DCU' }).click();
  const form = page.getByRole('dialog', { name: 'Register DCU' });
  await form.getByLabel('SN', { exact: false }).first().fill('x-1');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toContainText('6 to 32 letters and digits');
  await form.getByLabel('SN', { exact: false }).first().fill('handmade01');
  await pick(page, 'Type', /./);
  await form.getByLabel('Encryption key (EK)').fill('ABC');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toContainText('32 hexadecimal digits');
  await form.getByLabel('Encryption key (EK)').fill('6E1C8A40D95B27F3A2E47D10C8935FB6');
  await form.getByLabel('Authentication key (AK)').fill('6E1C8A40D95B27F3A2E47D10C8935FB6');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Registered.', { exact: false })).toBeVisible();
  const pane = page.getByRole('complementary', { name: 'DCU HANDMADE01' });
  await expect(pane.getByText('Never connected')).toBeVisible();
  // Without a connection the test is disabled, with the reason at the button.
  await expect(pane.getByRole('button', { name: 'Test link' })).toBeDisabled();
  await expect(pane.getByRole('button', { name: 'Test link' })).toHaveAttribute('title', 'The DCU has never connected');

  await page.getByRole('button', { name: 'Actions for HANDMADE01' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Are You Sure To Delete?' });
  await question.getByRole('button', { name: 'Delete 1 DCU' }).click();
  await expect(page.getByRole('button', { name: 'Actions for HANDMADE01' })).toHaveCount(0);

  const sn = dcuSns[0] ?? '';
  await rowOf(page, sn).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Test link' }).click();
  const run = page.getByRole('dialog', { name: `Link test ${sn}` });
  await expect(run.getByText('Test passed')).toBeVisible({ timeout: SENT_WITHIN_MS });
  await expect(run.getByRole('list', { name: 'Steps' }).getByRole('listitem')).toHaveCount(3);
  const link = run.getByRole('region', { name: 'Negotiated parameters' });
  for (const told of ['HLS-GMAC', 'Encrypted and authenticated', 'blockTransferGet', /\d+ octets/, /^[0-9A-F]{16}$/])
    await expect(link.getByText(told).first()).toBeVisible();
  await run.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: `Actions for ${sn}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await question.getByRole('button', { name: 'Delete 1 DCU' }).click();
  await expect(question.getByRole('alert')).toContainText(`DCU ${sn} still serves meters`);
});

test('S-006: the modem signal of each DCU is read, listed with the weakest first, found by its name and shown in the pane', async ({
  browser,
}) => {
  const page = await consoleAt(browser, 'dcu');
  const [mobile = ''] = dcuSns;
  const wired = dcuSns[2] ?? '';
  for (const sn of dcuSns) await tick(page, sn);
  await page.getByRole('button', { name: 'Read info' }).first().click();
  const run = page.getByRole('dialog', { name: 'DCU information' });
  await expect(run.getByText('Read success')).toHaveCount(dcuSns.length, { timeout: SENT_WITHIN_MS });
  await run.getByRole('button', { name: wired }).click();
  await expect(run.getByText('No modem')).toBeVisible();
  await run.getByRole('button', { name: mobile }).click();
  await expect(run.getByText('Registered', { exact: true })).toBeVisible();
  await run.getByRole('button', { name: 'Close' }).click();

  // The values are in the list as soon as the drawer is closed.
  await expect(rowOf(page, mobile)).toContainText('dBm');
  await expect(rowOf(page, wired)).toContainText('No modem');
  await page.getByRole('columnheader', { name: 'Signal (uplink)' }).click();
  await expect(page).toHaveURL(/sort=signal/);
  const figures = async () => {
    const cells = await page
      .locator('tbody td[data-value^="-"]')
      .evaluateAll((found) => found.map((cell) => Number(cell.dataset['value'])));
    return cells.length > 1 && cells.every((dbm, at) => at === 0 || dbm >= (cells[at - 1] ?? 0));
  };
  await expect.poll(figures).toBe(true);

  const word = await rowOf(page, mobile)
    .getByText(/^(Outstanding|Excellent|Good|Poor|Fail)$/)
    .textContent();
  await page.getByRole('combobox', { name: 'Signal (uplink)' }).click();
  await page
    .locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)')
    .getByText(word ?? '', { exact: true })
    .click();
  await expect(rowOf(page, wired)).toHaveCount(0);
  await rowOf(page, mobile).click();
  const pane = page.getByRole('complementary', { name: `DCU ${mobile}` });
  await expect(pane.getByText(/^Location area$/)).toBeVisible();
  await expect(pane.getByText(/ ago$/).first()).toBeVisible();
  await expect(pane.getByText('closer to 0 is stronger', { exact: false })).toBeVisible();
});

test('rows selected on one page stay selected on the next, and a command goes to the devices of both', async ({ browser }) => {
  const next = (page: Page) => page.getByRole('listitem', { name: 'Next Page' }).click();
  const dcus = await consoleAt(browser, 'dcu?size=2');
  await tick(dcus, dcuSns[0] ?? '');
  await next(dcus);
  await tick(dcus, dcuSns[2] ?? '');
  await expect(dcus.getByText('2 selected')).toBeVisible();
  await dcus.getByRole('button', { name: 'Read info' }).first().click();
  const run = dcus.getByRole('dialog', { name: 'DCU information' });
  await expect(run.getByText('Read success')).toHaveCount(2, { timeout: SENT_WITHIN_MS });
  for (const at of [0, 2]) await expect(run.getByRole('button', { name: dcuSns[at] ?? '' })).toBeVisible();

  const meters = await consoleAt(browser, 'meter-asset-discovery?size=20&isMaster=false');
  const marks = meters.getByRole('checkbox', { name: /^Select [A-Z0-9]+$/ });
  const first = (await marks.first().getAttribute('aria-label')) ?? '';
  await marks.first().check();
  await next(meters);
  await expect(meters.getByRole('checkbox', { name: first })).toHaveCount(0);
  await marks.first().check();
  await expect(meters.getByText('2 selected')).toBeVisible();
  await meters.getByRole('button', { name: 'Set master', exact: true }).click();
  await expect(meters.getByText('Changed: 2')).toBeVisible();
  await expect(meters.getByText('2 selected')).toHaveCount(0);

  await marks.first().check();
  await meters.getByRole('button', { name: /^Select all \d+ of this filter$/ }).click();
  await expect(meters.getByText(/^All \d+ of this filter are selected$/)).toBeVisible();
  await meters.getByRole('button', { name: 'Clear selection' }).click();
  await expect(meters.getByRole('checkbox', { checked: true })).toHaveCount(0);
});

test('S-074 S-236 S-295 S-296 S-447: an archive with drift is compared, its repair planned and executed, until both are equal', async ({
  browser,
}) => {
  const sn = dcuSns[0] ?? '';
  const page = await consoleAt(browser, 'archives-dispatch');
  // Without a node in its address, the page opens the first DCU.
  await expect(page).toHaveURL(/dcuId=\d+/);
  await page.getByLabel('SN, name or transformer').fill(sn);
  await page.getByRole('tree', { name: 'Network nodes' }).getByText(sn).click();
  const table = page.getByRole('grid', { name: 'Archive comparison' });
  const facet = (name: string) => page.getByRole('group', { name: 'Difference' }).getByRole('button', { name });
  const [phase] = await drift(sn, { kind: 'phase', place: 3 });
  const [added] = await drift(sn, { kind: 'add' });
  const [gone] = await drift(sn, { kind: 'remove', place: 6 });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  for (const word of ARCHIVE_WORDS) await expect(facet(word)).toBeVisible({ timeout: SENT_WITHIN_MS });
  await expect(rowOf(page, added ?? '')).toContainText('DCU only');
  await expect(rowOf(page, added ?? '')).toContainText('Pending delete');
  await expect(rowOf(page, gone ?? '')).toContainText('Pending distribution');
  await expect(rowOf(page, phase ?? '')).toContainText('Parameters differ');
  await expect(table.getByText('Not distributed').first()).toBeVisible();

  await page.getByRole('button', { name: 'Dispatch', exact: true }).click();
  await expect(page.getByText('Please Select Data!')).toBeVisible();
  await tick(page, added ?? '');
  await page.getByRole('button', { name: 'Unbind', exact: true }).click();
  await expect(page.getByText('Exist Data Not Bind!', { exact: false })).toBeVisible();
  await page.getByRole('checkbox', { name: `Select ${added ?? ''}`, exact: true }).uncheck();
  await tick(page, phase ?? '');
  await page.getByRole('button', { name: 'Delete from DCU' }).click();
  await expect(page.getByText('Exist Data Has Been Bound!', { exact: false })).toBeVisible();

  await page.getByRole('button', { name: 'Clear DCU archives' }).click();
  const question = page.getByRole('dialog', { name: 'Are You Sure To Clear?' });
  await expect(question.getByRole('button', { name: 'Clear DCU archives' })).toBeDisabled();
  await question.getByLabel('Type the SN of the DCU', { exact: false }).fill('NOT THE SERIAL NUMBER');
  await expect(question.getByText('This is not the SN of the DCU')).toBeVisible();
  await expect(question.getByRole('button', { name: 'Clear DCU archives' })).toBeDisabled();
  await question.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Repair plan' }).click();
  const plan = page.getByRole('dialog', { name: `Repair plan for ${sn}` });
  await expect(plan.getByText('A dry run: nothing has been sent yet.', { exact: false })).toBeVisible();
  await expect(plan.getByRole('row', { name: grouped(gone ?? '') })).toContainText('Insert');
  await expect(plan.getByRole('row', { name: grouped(phase ?? '') })).toContainText('Phase');
  await plan.getByRole('button', { name: 'Apply' }).click();
  await expect(rowOf(page, gone ?? '')).toContainText('Same', { timeout: SENT_WITHIN_MS });
  await expect(rowOf(page, phase ?? '')).toContainText('Same');
  await expect(
    rowOf(page, gone ?? '')
      .getByText('Distributed', { exact: true })
      .first(),
  ).toBeVisible();
  await expect(page.locator('[data-field="pending"]')).toHaveAttribute('data-value', '0');
  const { entries } = await callControl<{ entries: { sn: string }[] }>(`dcu/${sn}/archive`);
  expect(entries.map((entry) => entry.sn)).toContain(gone);
  expect(entries.map((entry) => entry.sn)).not.toContain(added);
});

test('S-075 S-288: a meter is added to the warehouse, found, and bound exactly once', async ({ browser }) => {
  const page = await consoleAt(browser, 'meter-asset-discovery');
  for (const head of ['SN', 'Is master', 'Supplier', 'Accuracy', 'Voltage', 'Current', 'Phase', 'Meter reading time', 'Reading rate'])
    await expect(page.getByRole('columnheader', { name: head, exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Add meter' }).click();
  const form = page.getByRole('dialog', { name: 'Add meter' });
  await form.getByLabel('SN', { exact: false }).first().fill('WAREHOUSE01');
  await pick(page, 'Type', /./);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Added to the warehouse')).toBeVisible();
  const pane = page.getByRole('complementary', { name: 'Meter WAREHOUSE01' });
  await expect(pane.getByText('In warehouse')).toBeVisible();
  await pane.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('group', { name: 'Inventory' }).getByRole('button', { name: 'In warehouse' }).click();
  await page.getByRole('button', { name: 'Actions for WAREHOUSE01' }).click();
  await page.getByRole('menuitem', { name: 'Bind to DCU' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bind 1 meter to a DCU' });
  await dialog.getByRole('combobox').click();
  await page
    .locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)')
    .getByTitle(new RegExp(dcuSns[1] ?? ''))
    .click();
  await dialog.getByRole('button', { name: 'Bind', exact: true }).click();
  await expect(page.getByText('Bound: 1')).toBeVisible();
  await page.getByRole('group', { name: 'Inventory' }).getByRole('button', { name: 'Installed' }).click();
  await expect(rowOf(page, 'WAREHOUSE01')).toContainText('Pending distribution');
  await tick(page, 'WAREHOUSE01');
  await page.getByRole('button', { name: 'Bind to DCU' }).click();
  await expect(page.getByText('Exist Data Has Been Bound!', { exact: false })).toBeVisible();
});

test('a search shows discovered meters as they appear, names missing data of a decision, and lets a replaced meter be exchanged', async ({
  browser,
}) => {
  const sn = dcuSns[1] ?? '';
  // A meter of this DCU was replaced this morning.
  const { entries } = await callControl<{ entries: { sn: string }[] }>(`dcu/${sn}/archive`);
  const old = entries[3]?.sn ?? '';
  const record = await callControl<ReplacementRecord>(`exchange/${old}`, {});
  const page = await consoleAt(browser, 'meter-asset-discovery?tab=search');
  await page.getByRole('button', { name: 'Start search' }).click();
  await expect(page.getByText('Please Select Node!')).toBeVisible();
  await page.getByLabel('SN, name or transformer').fill(sn);
  await page.getByRole('tree', { name: 'Network nodes' }).getByText(sn).click();
  const stop = page.getByRole('button', { name: `Stop ${sn}` });
  const onlineStatus = async () =>
    (await askAs<{ items: { onlineStatus: string }[] }>(page, `/asset/dcu?search=${sn}`)).items[0]?.onlineStatus;
  await expect.poll(onlineStatus, { timeout: 2 * SENT_WITHIN_MS }).toBe('online');
  await page.getByRole('button', { name: 'Start search' }).click();
  await expect(stop).toBeVisible({ timeout: SENT_WITHIN_MS });
  const found = page.getByRole('grid', { name: 'Discovery' }).locator('tbody tr');
  await expect(found.first()).toBeVisible({ timeout: SENT_WITHIN_MS });
  await expect(found.first()).toContainText('Bound here');
  await page.getByRole('button', { name: 'Add & bind' }).click();
  await expect(page.getByText('Please Select Data!')).toBeVisible();
  await found.first().getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Bind', exact: true }).click();
  await expect(page.getByText('Exist Data Has Been Bound!', { exact: false })).toBeVisible();
  await found.first().getByRole('checkbox').uncheck();
  const unknownMeter = found.filter({ hasText: grouped(record.new.sn) });
  await expect(unknownMeter).toContainText('Unknown meter', { timeout: SENT_WITHIN_MS });
  await page.getByRole('button', { name: `Stop ${sn}` }).click();
  await expect(page.getByText('Last search', { exact: false })).toBeVisible({ timeout: SENT_WITHIN_MS });

  // An unknown meter needs its keys first, then the readings of the replacement record.
  await unknownMeter.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Replaces…' }).click();
  const form = page.getByRole('dialog', { name: 'Add meter' });
  await expect(form.getByLabel('SN', { exact: false }).first()).toHaveValue(record.new.sn);
  await pick(page, 'Type', /./);
  await form.getByLabel('System title').fill(record.new.systemTitle);
  await form.getByLabel('Encryption key (EK)').fill(record.new.ek);
  await form.getByLabel('Authentication key (AK)').fill(record.new.ak);
  await form.getByRole('button', { name: 'Save' }).click();
  const replace = page.getByRole('dialog', { name: `Replace a meter by ${record.new.sn}` });
  await pick(page, 'Old meter', new RegExp(`^${old}`));
  await replace.getByRole('spinbutton', { name: 'Final reading (kWh)' }).fill(String(record.final.ePlus / 1000));
  await replace.getByRole('spinbutton', { name: 'Initial reading (kWh)' }).fill(String(record.initial.ePlus / 1000));
  await replace.getByRole('button', { name: 'Final reading (kWh): By tariff and export' }).click();
  for (const [k, wh] of record.final.ePlusT.entries()) await replace.getByLabel(`Final import T${k + 1} (kWh)`).fill(String(wh / 1000));
  await expect(replace.getByText('the tariffs add up to', { exact: false })).toHaveCount(0);
  await replace.getByLabel('Final import T4 (kWh)').fill('123456');
  await expect(replace.getByText('Import: the tariffs add up to', { exact: false })).toBeVisible();
  await replace.getByLabel('Final import T4 (kWh)').fill(String((record.final.ePlusT[3] ?? 0) / 1000));
  await replace.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${old} replaced by ${record.new.sn}`)).toBeVisible();
  await expect(unknownMeter).toContainText('Bound here');

  await page.getByRole('button', { name: 'Clear list' }).click();
  await expect(page.getByRole('dialog', { name: 'Are You Sure To Clear?' })).toBeVisible();
});
