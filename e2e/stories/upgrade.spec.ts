import { expect, test, type Browser, type Page } from '@playwright/test';
import { addFirmware } from '../support/add-firmware.ts';
import { ageRights } from '../support/age-rights.ts';
import { askControl, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const VERSION = 'HES-MP 9.1.0';
const ENGINEER = { username: 'fern.ware', password: 'Block-By-Block-42' };
const TYPES = ['Single-phase PLC meter', 'Three-phase PLC meter'];
const DONE_WITHIN_MS = 60_000;

let headEnd: HeadEnd;
test.beforeAll(async () => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const at = (path: string) => `${headEnd.address}/hes${path}`;

/** Calls the API with the session of the user of the page. */
async function caller(page: Page) {
  const { access_token: token } = JSON.parse((await page.evaluate(() => localStorage.getItem('HES_TOKEN'))) ?? '{}');
  const headers = { authorization: `Bearer ${token}` };
  return async (method: 'get' | 'post', path: string, data?: object) => {
    const answer = await page.request[method](`${headEnd.address}/api${path}`, { headers, ...(data === undefined ? {} : { data }) });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  };
}

/** A second user: the one who uploads must not approve. */
async function addEngineer(page: Page): Promise<void> {
  const call = await caller(page);
  const roles = await call('get', '/manager/role?size=100');
  const roleIds = roles.items.filter((role: { code: string }) => role.code === 'FW_ENGINEER').map((role: { id: string }) => role.id);
  await call('post', '/manager/user', { ...ENGINEER, name: 'Fern Ware', roleIds, mustChangePassword: false });
  await ageRights(headEnd);
}

/** Meters that were read, a number of each type: some meters of the fleet do not respond. */
async function metersOfBothTypes(page: Page, ofEach: number): Promise<string[]> {
  const call = await caller(page);
  let found: string[][] = [];
  await expect
    .poll(
      async () => {
        const { items } = await call('get', '/asset/meter?size=500');
        found = TYPES.map((type) =>
          items.filter(
            (one: { meterTypeName: string; lastReadAt: string | null }) => one.meterTypeName === type && one.lastReadAt !== null,
          ),
        ).map((some) => some.map((one: { sn: string }) => one.sn).slice(0, ofEach));
        return found.map((some) => some.length);
      },
      { timeout: DONE_WITHIN_MS },
    )
    .toEqual([ofEach, ofEach]);
  return found.flat();
}

async function addTo(page: Page): Promise<void> {
  await page.goto(at('/system/upgrade/firmware-upgrade'));
  await page.getByRole('button', { name: 'Add firmware' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add firmware' });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toContainText('Upgrade file');
  await addFirmware(page, headEnd, form, { version: VERSION, types: TYPES });
}

async function secondPerson(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await signIn(page, headEnd, ENGINEER);
  return page;
}

test('S-027 S-089 S-090: a file is uploaded, approved by a second user, sent to meters and followed to its end', async ({
  browser,
  page,
}) => {
  test.setTimeout(300_000);
  await signIn(page, headEnd);
  await addEngineer(page);
  const engineer = await secondPerson(browser);
  const [one, two, three, four, five, six] = await metersOfBothTypes(page, 3);
  await addTo(engineer);

  // The library names its fields with the texts of the specification.
  const library = engineer.getByRole('grid', { name: 'Firmware library' });
  for (const head of [
    'Name',
    'Version',
    'Upgrade protocol',
    'Size',
    'Created time',
    'Manufacturer',
    'Upgrade file',
    'Upgrade reason',
    'File provider',
    'Block size (byte)',
  ])
    await expect(library.getByRole('columnheader', { name: head, exact: true })).toBeVisible();
  const row = library.getByRole('row', { name: /PLC meter/ });
  await expect(row).toContainText('plc-meter.bin');
  await expect(row).toContainText('Draft');

  // The uploader has no button to approve; another user has.
  await page.goto(at('/system/upgrade/firmware-upgrade'));
  await page.getByRole('row', { name: /PLC meter/ }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByRole('row', { name: /PLC meter/ })).toContainText('Approved');

  await engineer.goto(at('/system/upgrade/firmware-upgrade?tab=new'));
  await engineer.getByRole('row', { name: /PLC meter/ }).click();
  await engineer.getByRole('button', { name: 'Next' }).click();
  // The engineer has no preselection, and without targets the next step is disabled.
  await expect(engineer.getByRole('status').filter({ hasText: 'Choose a node of the network' })).toBeVisible();
  await expect(engineer.getByRole('button', { name: 'Next' })).toBeDisabled();
  await expect(engineer.getByRole('checkbox', { name: 'All devices in my area' })).not.toBeChecked();
  await engineer.getByRole('checkbox', { name: 'All devices in my area' }).check();
  await expect(engineer.getByText('Total', { exact: true })).toBeVisible();
  const figures = await Promise.all(
    ['Ready', 'Ready with warnings', 'Excluded', 'Total'].map(async (label) =>
      Number(
        await engineer
          .locator('dl > div')
          .filter({ has: engineer.getByText(label, { exact: true }) })
          .locator('[data-value]')
          .getAttribute('data-value'),
      ),
    ),
  );
  expect(figures.slice(0, 3).reduce((sum, count) => sum + count, 0)).toBe(figures[3]);
  // The report on the pasted meters takes long: the present report on all meters must not enable the start.
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  await engineer.route('**/api/upgrade/job/preflight', async (route) => {
    await told;
    await route.continue();
  });
  // Meters of two types in one upgrade, as pasted text.
  await engineer.getByRole('textbox', { name: 'SNs' }).fill([one, four, five].join('\n'));
  await engineer.keyboard.press('Tab');
  await engineer.getByRole('button', { name: 'Next' }).click();
  await expect(engineer.getByRole('radio', { name: 'Wait for approval' })).toBeChecked();
  await expect(engineer.getByRole('spinbutton', { name: 'Watch each ring for' })).toHaveValue('60');
  await engineer.getByRole('button', { name: 'Next' }).click();
  await engineer.getByLabel('Name *').fill('Autumn round');
  await engineer.getByLabel('Reason *').fill('Recommended by the factory');
  const startButton = engineer.getByRole('button', { name: /Start upgrade of/ });
  await expect(startButton).toHaveClass(/ant-btn-loading/);
  tell();
  // The same report names refused and ready meters.
  await expect(startButton).not.toHaveClass(/ant-btn-loading/);
  const leaveOut = engineer.getByRole('checkbox', { name: /Leave out/ });
  if (await leaveOut.isVisible()) {
    await expect(engineer.getByText('Please Select Valid Data!').first()).toBeVisible();
    await leaveOut.check();
  }
  await engineer.getByRole('button', { name: /^Start upgrade of/ }).click();
  await expect(engineer).toHaveURL(/upgrade-detail\?jobId=\d+/);

  const records = engineer.getByRole('grid', { name: 'Upgrade Detail' });
  for (const head of ['Type', 'Time', 'Status', 'Old version', 'New version', 'Check result', 'Process'])
    await expect(records.getByRole('columnheader', { name: head, exact: true })).toHaveCount(1);
  // The first ring is one device: it passes all states before the others begin.
  const rail = engineer.getByRole('group', { name: 'States' });
  await expect(rail.locator('[data-state]')).toHaveCount(20);
  await expect(rail.locator('[data-state="complete"]')).not.toHaveAttribute('data-count', '0', { timeout: DONE_WITHIN_MS });
  await rail.locator('[data-state="complete"]').click();
  await expect(engineer).toHaveURL(/status=complete/);
  await records.getByRole('row').nth(1).click();
  const pane = engineer.getByRole('complementary');
  await expect(pane.getByRole('img', { name: 'Block map' })).toBeVisible();
  for (const state of [
    'check_version',
    'download_file',
    'enable_translate',
    'translating',
    'check_image',
    'activate_image',
    'update_success',
  ])
    await expect(pane.locator(`li[data-to="${state}"]`).first()).toBeVisible();
  // Completed steps are checked; no spinner is left.
  await expect(pane.locator('li[data-to] svg[data-shape="arc"]')).toHaveCount(0);
  await expect(pane.locator('li[data-to="translating"] svg').first()).toHaveAttribute('data-shape', 'tick');
  await expect(pane.getByText('Checks after the upgrade')).toBeVisible();

  // A ring of both types, in which one meter rejects the image: the upgrade halts, shows the reason, and continues on command.
  await askControl(headEnd, '/fault', { method: 'POST', body: JSON.stringify({ target: two, kind: 'bad_image', count: 1 }) });
  const call = await caller(engineer);
  const { firmwareId } = await call('get', `/upgrade/job/${new URL(engineer.url()).searchParams.get('jobId')}`);
  const { jobId } = await call('post', '/upgrade/job', {
    name: 'Both types',
    firmwareId,
    selection: { sns: [two, three, six] },
    rings: [{ unit: 'devices', size: 2 }],
    continueBy: 'itself',
    watchMinutes: 0,
    reason: 'One is wrong',
  });
  await engineer.goto(at(`/system/upgrade/upgrade-detail?jobId=${jobId}`));
  const halted = engineer.getByRole('alert').filter({ hasText: 'Too many upgrades failed' });
  await expect(halted).toBeVisible({ timeout: DONE_WITHIN_MS });
  await expect(engineer.getByText('Halted', { exact: false }).first()).toBeVisible();
  await engineer.getByRole('button', { name: 'Resume' }).click();
  await expect(halted).toBeHidden();
  await expect(rail.locator('[data-state="complete"]')).toHaveAttribute('data-count', '2', { timeout: DONE_WITHIN_MS });
  await expect(rail.locator('[data-state="error"]')).toHaveAttribute('data-count', '1');
  await expect(engineer.getByRole('group', { name: 'One cell per meter' }).getByRole('button')).toHaveCount(3);

  // The failure is described, and all failed meters are retried together.
  await expect(records.getByRole('row').filter({ hasText: 'The verification of the image by the device failed' })).toHaveCount(1);
  await engineer.getByRole('button', { name: 'Retry 1 failed' }).click();
  await engineer.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
  await expect(rail.locator('[data-state="complete"]')).toHaveAttribute('data-count', '3', { timeout: DONE_WITHIN_MS });
});
