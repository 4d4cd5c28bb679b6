import { expect, test, type Locator, type Page } from '@playwright/test';
import { setUpSmallFleet } from '../support/small-fleet.ts';

const fleet = setUpSmallFleet(async ({ address }) => {
  await expect.poll(async () => (await fetch(`${address}/api/health`)).status, { timeout: 30_000 }).toBe(200);
});

/** Tolerance of positions, in pixels of the window. */
const NEAR_PX = 2;
const HEIGHT_OF_WIDTH = 0.5625;
const REST_WITHIN_MS = 20_000;

const boxOf = async (of: Locator) => {
  const box = await of.boundingBox();
  if (!box) throw new Error(`not on the page: ${String(of)}`);
  return box;
};

/** The box of a popup that is open, no longer animated, and inside the window; a drawer before its animation is also still. */
async function boxAtRest(page: Page, popup: Locator) {
  await expect(popup).toBeVisible();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  let before = '';
  await expect(async () => {
    const box = await boxOf(popup);
    const last = before;
    before = JSON.stringify(box);
    expect(before).toBe(last);
    expect(box.x).toBeGreaterThanOrEqual(-1);
    expect(box.y).toBeGreaterThanOrEqual(-1);
    expect(box.x + box.width).toBeLessThanOrEqual(width + 1);
    expect(box.y + box.height).toBeLessThanOrEqual(height + 1);
  }).toPass({ timeout: REST_WITHIN_MS });
  return boxOf(popup);
}

const near = (value: number, wanted: number, what: string, most = NEAR_PX) =>
  expect(Math.abs(value - wanted), `${what}: ${value} instead of ${wanted}`).toBeLessThanOrEqual(most);

/** Seven stations in the format of the server. */
function smallNetwork(): object {
  const nodes = Array.from({ length: 7 }, (_, at) => ({
    mac: `E8F20A00000${at}`,
    nodeId: at + 2,
    sn: `27000000000${at}`,
    meterId: String(at + 1),
    parentMac: at < 3 ? null : `E8F20A00000${at - 3}`,
    level: at < 3 ? 1 : 2,
    role: at < 4 ? 'pco' : 'sta',
    phase: (['a', 'b', 'c'] as const)[at % 3],
    link: 'plc',
    signalValue: 20,
    signalUnit: 'dB',
    signal: 'good',
    upPct: 90,
    downPct: 88,
    onlineSince: null,
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    isOnline: true,
    lastCommAt: null,
    freshness: 'h24',
    softwareVersion: null,
    longitude: 121 + at / 1000,
    latitude: 31 + at / 1000,
  }));
  const stats = { online: 7, total: 7, meanLevel: 1.5, maxLevel: 2, successPct: 90, parentChanges24h: 0 };
  const dcu = { dcuId: '1', sn: 'DCU27000001', transformerName: null, longitude: 121, latitude: 31, onlineStatus: 'online' };
  return { ...dcu, takenAt: '2026-01-01T00:00:00.000Z', activeTaskId: null, stats, nodes };
}

for (const width of [1366, 2560]) {
  const k = width / 1920;
  const size = { width, height: Math.round(width * HEIGHT_OF_WIDTH) };

  test(`S-041: popups of every kind are aligned in a window of ${width}`, async ({ browser }) => {
    const page = await fleet.open(browser, 'system/system-management/user-management', size);
    const filter = page.locator('.ant-select').filter({ has: page.getByRole('combobox', { name: 'Role' }) });
    const from = await boxOf(filter);
    await filter.click();
    const list = await boxAtRest(page, page.locator('.ant-select-dropdown:visible'));
    near(list.x, from.x, 'list of a select');
    near(list.width, from.width, 'width of the list', 4);
    await page.keyboard.press('Escape');

    const columns = page.getByRole('button', { name: 'Columns and density' });
    await columns.click();
    const popover = await boxAtRest(page, page.locator('.ant-popover:visible').first());
    const opener = await boxOf(columns);
    near(popover.x + popover.width, opener.x + opener.width, 'popover', Math.ceil(14 * k));
    await page.keyboard.press('Escape');
    await page.mouse.click(width / 2, size.height - 60 * k);

    const tab = page.getByRole('navigation', { name: 'Open pages' }).getByRole('button', { name: 'User Management', exact: true });
    const at = await boxOf(tab);
    await page.mouse.click(at.x + at.width / 2, at.y + at.height / 2, { button: 'right' });
    const menu = await boxAtRest(page, page.locator('.ant-dropdown:visible'));
    near(menu.x, at.x + at.width / 2, 'menu of a tab', 4);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Add user' }).click();
    const drawer = await boxAtRest(page, page.getByRole('dialog', { name: 'Add user' }).last());
    near(drawer.x + drawer.width, width, 'drawer');
    near(drawer.width, 720 * k, 'width of the drawer');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: /User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Edit password' }).click();
    const modal = await boxAtRest(page, page.getByRole('dialog', { name: 'Edit password' }));
    near(modal.width, 400 * k, 'width of the modal');
    near(modal.x + modal.width / 2, width / 2, 'middle of the modal', 8);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.goto(`${fleet.headEnd.address}/hes/system/system-management/audit`);
    const range = page.locator('.ant-picker-range');
    await range.click();
    const calendar = await boxAtRest(page, page.locator('.ant-picker-dropdown:visible'));
    const field = await boxOf(range);
    near(Math.min(Math.abs(calendar.x - field.x), Math.abs(calendar.x + calendar.width - field.x - field.width)), 0, 'calendar', 4);
  });

  test(`S-041: presses on a map, readings of a chart and moves in a network match the pointer, ${width} wide`, async ({ browser }) => {
    const page = await fleet.open(browser, 'assets/transformer', size);
    await page.getByRole('tree').getByRole('treeitem').first().click();
    await page.getByRole('button', { name: 'Add transformer' }).click();
    const map = page.getByRole('application', { name: 'Place on the map' });
    await map.scrollIntoViewIfNeeded();
    await boxAtRest(page, page.getByRole('dialog').last());
    const ground = await boxOf(map);
    const press = [ground.x + ground.width * 0.25, ground.y + ground.height * 0.25] as const;
    await page.mouse.click(...press);
    const pin = await boxOf(map.locator('[class*="pin"]'));
    near(pin.x + pin.width / 2, press[0], 'pin across');
    near(pin.y + pin.height / 2, press[1], 'pin down');

    await page.route('**/api/dashboard/summary*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { load: { today: { at: string }[]; yesterday: { at: string }[] } }; // as: the contract's answer
      const rising = (slots: { at: string }[]) => slots.map(({ at }, slot) => ({ at, kw: slot }));
      await route.fulfill({ json: { ...answer, load: { today: rising(answer.load.today), yesterday: rising(answer.load.yesterday) } } });
    });
    await page.goto(`${fleet.headEnd.address}/hes/dashboard`);
    const plot = page.locator('.u-over').first();
    // The plot is redrawn while cards around it load.
    await expect(() => plot.scrollIntoViewIfNeeded()).toPass();
    const over = await boxAtRest(page, plot);
    await page.mouse.move(over.x + over.width * 0.25, over.y + over.height * 0.5);
    const line = page.locator('.u-cursor-x').first();
    await expect(line).toBeVisible();
    // The line snaps to the nearest slot: its distance is at most half a slot.
    near((await boxOf(line)).x, over.x + over.width * 0.25, 'line of the chart', over.width / 192 + NEAR_PX);
    await expect(page.locator('.u-legend').first()).toContainText('06:00');

    await page.route(/\/api\/network\/topology\/1(\?|$)/, (route) => route.fulfill({ json: smallNetwork() }));
    await page.goto(`${fleet.headEnd.address}/hes/meter-management/network/network-topology?dcu=1&form=network`);
    const canvas = page.getByTestId('topology-canvas');
    await expect(canvas).toBeVisible();
    const ratio = await canvas.evaluate(
      (element: HTMLCanvasElement) => element.width / (element.getBoundingClientRect().width * devicePixelRatio),
    );
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.6);
    // The searched station is centred.
    const wanted = '270000000005';
    await page.getByLabel('Find SN').fill(wanted);
    await page.keyboard.press('Enter');
    const pane = page.getByRole('complementary', { name: wanted });
    await expect(pane).toBeVisible();
    const drawing = await boxOf(canvas);
    const middle = [drawing.x + drawing.width / 2, drawing.y + drawing.height / 2] as const;
    await page.mouse.move(...middle);
    await page.mouse.down();
    await page.mouse.move(middle[0] + 80, middle[1] + 40, { steps: 4 });
    await page.mouse.up();
    // The pane stays open: without it the drawing is wider and starts again.
    await canvas.focus();
    await page.keyboard.press('ArrowUp');
    await expect(pane).toHaveCount(0);
    await expect(page.getByRole('complementary', { name: '270000000002' })).toBeVisible();
    await page.mouse.click(middle[0] + 80, middle[1] + 40);
    await expect(pane).toBeVisible();
  });
}

test('the keyboard alone leads from the list of DCUs to the response of one', async ({ browser }) => {
  const page = await fleet.open(browser, 'dashboard');
  const { keyboard } = page;
  const tabTo = async (target: Locator) => {
    await expect(target).toBeVisible();
    for (let step = 0; step < 120 && !(await target.evaluate((element) => element === document.activeElement)); step += 1)
      await keyboard.press('Tab');
    await expect(target).toBeFocused();
  };
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await tabTo(menu.getByRole('button', { name: 'Assets' }));
  await keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Network', exact: true })).toBeFocused();
  await keyboard.press('Escape');
  await expect(menu.getByRole('button', { name: 'Assets' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Network', exact: true })).toBeFocused();
  for (let step = 0; step < 5; step += 1) await keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'DCU', exact: true })).toBeFocused();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'DCU', exact: true })).toBeVisible();
  await expect(page.locator('tr[data-row]').first()).toBeVisible();

  await keyboard.press('/');
  await keyboard.type('DCU27000001');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(/search=DCU27000001/);
  await expect(page.locator('tr[data-row]')).toHaveCount(1);
  await tabTo(page.locator('tr[data-row]').first());
  await keyboard.press('Enter');
  const pane = page.getByRole('complementary', { name: /DCU27000001/ });
  await tabTo(pane.getByRole('button', { name: 'Test link' }));
  await keyboard.press('Enter');
  const run = page.getByRole('dialog', { name: /Link test/ });
  await expect(run.getByText('Test passed')).toBeVisible({ timeout: 60_000 });
  await keyboard.press('Escape');
  await expect(run).toHaveCount(0);
});

test('a list does not jump when it is reloaded or shortened', async ({ browser }) => {
  const page = await fleet.open(browser, 'assets/dcu');
  await expect(page.locator('tr[data-row]')).toHaveCount(3);
  const shifts = await page.evaluateHandle(() => {
    const seen = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) seen.sum += entry.value; // as: shifts have a value
    }).observe({ type: 'layout-shift' });
    return seen;
  });
  const answered = () => page.waitForResponse((response) => new URL(response.url()).pathname === '/api/asset/dcu');
  const again = answered();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await again;
  const fewer = answered();
  await page.getByRole('button', { name: /^Past 24 hours/ }).click();
  await fewer;
  await expect(page).toHaveURL(/freshness=h24/);
  expect(await shifts.evaluate((seen) => seen.sum)).toBeLessThanOrEqual(0.02);
});

test('unsaved input is marked by a dot at its tab and confirmed before it is discarded', async ({ browser }) => {
  const page = await fleet.open(browser, 'system/system-management/user-management');
  const add = page.getByRole('button', { name: 'Add user' });
  const name = page.getByRole('dialog', { name: 'Add user' }).getByLabel('User name');
  const close = page.getByRole('button', { name: 'Close User Management' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await add.click();
  await name.fill('half.done');
  await page.keyboard.press('Alt+1');
  await expect(page).toHaveURL(/dashboard/);
  await expect(close).toHaveAttribute('title', 'Not saved yet: Add user');
  await close.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'User Management', exact: true }).click();
  await add.click();
  await expect(name).toHaveValue('half.done');
  await expect(page.getByText('Your unsaved input is restored')).toBeVisible();
  await page.getByRole('dialog', { name: 'Add user' }).getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(name).toHaveCount(0);
  await expect(close).not.toHaveAttribute('title');
});
