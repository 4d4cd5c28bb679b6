import { expect, test, type Browser, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { signIn } from './support/sign-in.ts';

let headEnd: HeadEnd;
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(150_000);
  headEnd = await start();
  const page = await browser.newPage();
  await signIn(page, headEnd);
  signedIn = await page.context().storageState();
  await page.close();
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

// An open console would continue its requests and slow down the other tests.
test.afterEach(async ({ browser }) => {
  for (const context of browser.contexts()) await context.close();
});

const at = (path: string): string => `${headEnd.address}/hes${path}`;

/** A signed-in page before its first navigation, which lets a test intercept its requests. */
async function pageOf(browser: Browser, size = { width: 1920, height: 1080 }): Promise<Page> {
  return (await browser.newContext({ storageState: signedIn, viewport: size })).newPage();
}

const ready = (page: Page) => expect(page.getByRole('contentinfo').or(page.locator('footer')).first()).toBeVisible();

test('S-482 S-498: all calls go to the API, all assets come from /hes/, and no other host is contacted', async ({ browser }) => {
  const page = await pageOf(browser);
  const paths = new Set<string>();
  page.on('request', (request) => request.url().startsWith('data:') || paths.add(request.url().replace(headEnd.address, '')));
  await page.goto(at('/system/system-management/user-management'));
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  expect([...paths].filter((path) => !path.startsWith('/hes/') && !path.startsWith('/api/'))).toEqual([]);
  expect([...paths].filter((path) => path.startsWith('/hes/assets/')).length).toBeGreaterThan(3);
});

/** A list whose session ends while another of its calls is pending, with the dialog about it. */
async function sessionEnds(browser: Browser): Promise<{ page: Page; dialog: Locator; abandoned: string[] }> {
  const page = await pageOf(browser);
  await page.addInitScript(() => localStorage.setItem('SYS_LOCALE', 'zh-CN'));
  let ended = false;
  const abandoned: string[] = [];
  page.on('requestfailed', (request) => abandoned.push(new URL(request.url()).pathname));
  await page.route('**/api/**', async (route) => {
    const path = new URL(route.request().url()).pathname;
    // One call stays pending; from a moment on all others are refused, including the token refresh.
    if (path === '/api/asset/dcu/facets') return;
    if (ended) await route.fulfill({ status: path.includes('oauth2') ? 400 : 401, json: { detail: 'no' } });
    else await route.continue();
  });
  const underWay = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/asset/dcu/facets');
  await page.goto(at('/assets/dcu?page=2'));
  await ready(page);
  await underWay;
  ended = true;
  const dialog = page.getByRole('dialog');
  // While the list is loading, the button spins and is inactive.
  const refresh = page.getByRole('button', { name: '刷新' }).first();
  await expect(refresh).not.toHaveClass(/ant-btn-loading/);
  await refresh.dispatchEvent('click');
  await expect(dialog).toBeVisible();
  return { page, dialog, abandoned };
}

test('S-503 S-504 S-505 S-506: the end of a session is reported once, in a dialog, and aborts pending calls', async ({ browser }) => {
  const { dialog, abandoned } = await sessionEnds(browser);
  await expect(dialog).toContainText('登录已过期');
  await expect(dialog).toContainText('请重新登录');
  await expect(dialog).toHaveCount(1);
  await expect.poll(() => abandoned).toContain('/api/asset/dcu/facets');
});

test('S-350 S-507 S-508: the button of that dialog signs out and opens the sign-in, which returns to the page', async ({ browser }) => {
  const { page, dialog } = await sessionEnds(browser);
  await page.unroute('**/api/**');
  await dialog.getByRole('button', { name: '确定' }).click();
  await expect(page).toHaveURL(/\/hes\/login/);
  expect(new URL(page.url()).searchParams.get('redirect')).toBe('/assets/dcu?page=2');
  expect(await page.evaluate(() => localStorage.getItem('HES_USER'))).toBeNull();
});

test('S-042 S-043: a long load shows a cover, and closing the cover aborts the request with a message', async ({ browser }) => {
  const page = await pageOf(browser);
  await page.route('**/api/manager/user?**', () => new Promise(() => undefined));
  const abandoned = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/manager/user?'));
  await page.goto(at('/system/system-management/user-management'));
  await expect(page.getByText('Loading User Management')).toBeVisible();
  await page.getByRole('button', { name: 'Stop loading' }).click();
  await abandoned;
  await expect(page.getByText('Loading User Management')).toHaveCount(0);
  await expect(page.getByText('Loading was stopped')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('S-515: a chunk that fails to load raises a preload error, which the page reports', async ({ browser }) => {
  const page = await pageOf(browser);
  await page.addInitScript(() => addEventListener('vite:preloadError', () => (document.documentElement.dataset['preload'] = 'failed')));
  await page.goto(at('/dashboard'));
  await ready(page);
  await page.route('**/hes/assets/*', (route) => route.abort());
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Role Management');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-preload', 'failed');
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeVisible();
  await expect(page.getByText('The head-end does not answer.')).toBeVisible();
});

test('a first visit stays far below the rate limit, even with three windows', async ({ browser }) => {
  const context = await browser.newContext({ storageState: signedIn });
  const calls: number[] = [];
  context.on('response', (response) => new URL(response.url()).pathname.startsWith('/api/') && calls.push(response.status()));
  const pages = await Promise.all([1, 2, 3].map(() => context.newPage()));
  await Promise.all(pages.map((page) => page.goto(at('/dashboard'))));
  for (const page of pages) await expect(page.locator('footer').getByText('Live', { exact: true })).toBeVisible();
  // A burst of 60 calls is per user, regardless of the number of windows.
  expect([calls.length > 10, calls.length <= 60, calls.includes(429)]).toEqual([true, true, false]);
});

/** From now on the server has another console without the chunks that this one has not loaded yet. Ends with the next page load. */
async function updateConsole(page: Page): Promise<void> {
  const parts = '**/hes/assets/*';
  await page.route(parts, (route) => route.fulfill({ status: 404, json: { code: 'NOT_FOUND' } }));
  await page.route(/\/hes\/(?!assets\/)[^.]*$/, async (route) => {
    await page.unroute(parts);
    await route.continue();
  });
}

async function openBySearch(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(title);
  await page.keyboard.press('Enter');
}

test('a page of a console that was updated meanwhile reloads automatically where no input is unsaved', async ({ browser }) => {
  const page = await pageOf(browser);
  await page.goto(at('/dashboard'));
  await ready(page);
  await updateConsole(page);
  const reloaded = page.waitForRequest((request) => request.isNavigationRequest());
  await openBySearch(page, 'Role Management');
  await reloaded;
  await expect(page.getByRole('row', { name: /ADMIN/ }).first()).toBeVisible();
});

test('unsaved input elsewhere keeps an updated console from reloading: a message appears, and the draft stays', async ({ browser }) => {
  const page = await pageOf(browser);
  await page.addInitScript(() => localStorage.setItem('SYS_LOCALE', 'zh-CN'));
  await page.goto(at('/assets/supplier-management'));
  const add = page.getByRole('button', { name: '新增供应商' });
  await add.click();
  const name = page.getByRole('dialog').getByLabel('名称');
  await name.fill('Never saved');
  await updateConsole(page);
  const loadings: string[] = [];
  page.on('request', (request) => request.isNavigationRequest() && loadings.push(request.url()));
  await page.evaluate(() => window.history.pushState(null, '', '/hes/system/system-management/role-management'));
  await page.evaluate(() => window.dispatchEvent(new PopStateEvent('popstate')));
  await expect(page.getByRole('heading', { name: '控制台已更新' })).toBeVisible();
  expect(loadings).toEqual([]);
  await page.goBack();
  await add.click();
  await expect(name).toHaveValue('Never saved');
  await expect(page.getByRole('alert').getByText('控制台已更新')).toBeVisible();
});

test('a restored link to an updated console announces the update before a page is missing', async ({ browser }) => {
  const page = await pageOf(browser);
  let drop: () => Promise<void> = () => Promise.resolve();
  await page.routeWebSocket(/\/websocket/, (socket) => {
    drop = () => socket.close();
    socket.connectToServer();
  });
  await page.goto(at('/dashboard'));
  const status = page.locator('footer');
  await expect(status.getByText('Live', { exact: true })).toBeVisible();
  await updateConsole(page);
  await drop();
  const banner = page.getByRole('alert').filter({ hasText: 'The console has been updated' });
  await expect(banner).toBeVisible();
  await banner.getByRole('button', { name: 'Reload the page' }).click();
  await expect(status.getByText('Live', { exact: true })).toBeVisible();
  await expect(banner).toHaveCount(0);
});

test('a console whose code fails to load reports it in the language of the user', async ({ browser }) => {
  const page = await pageOf(browser);
  await page.addInitScript(() => localStorage.setItem('SYS_LOCALE', 'zh-CN'));
  await page.route('**/hes/assets/console*.js', (route) => route.abort());
  await page.goto(at('/assets/dcu'));
  await expect(page.getByRole('heading', { name: '页面无法显示' })).toBeVisible();
  await page.unroute('**/hes/assets/console*.js');
  await page.getByRole('button', { name: '重新加载页面' }).click();
  await ready(page);
});

test('S-362 S-367 S-496: the live link opens with the token, reports its loss, and reconnects', async ({ browser }) => {
  const page = await pageOf(browser);
  const urls: string[] = [];
  let drop: () => Promise<void> = () => Promise.resolve();
  await page.routeWebSocket(/\/websocket/, (socket) => {
    urls.push(socket.url());
    drop = () => socket.close();
    socket.connectToServer();
  });
  await page.clock.install();
  await page.goto(at('/dashboard'));
  const status = page.locator('footer');
  await expect(status.getByText('Live', { exact: true })).toBeVisible();
  // The ticket is a sub-protocol, because URLs appear in the logs of proxies.
  expect(urls[0]).toMatch(/\/websocket$/);
  await page.clock.pauseAt(Date.now() + 60_000);
  await drop();
  await expect(status.getByText(/Live link lost, reconnecting in 10 s/)).toBeVisible();
  await page.clock.runFor(9000);
  expect(urls).toHaveLength(1);
  await page.clock.runFor(1500);
  await expect.poll(() => urls.length).toBe(2);
  await page.clock.resume();
  await expect(status.getByText('Live', { exact: true })).toBeVisible();
});

test('a lost link is reported above the page, with the age of the shown data', async ({ browser }) => {
  const page = await pageOf(browser);
  let refuses = false;
  let refused = 0;
  let drop: () => Promise<void> = () => Promise.resolve();
  await page.routeWebSocket(/\/websocket/, (socket) => {
    if (refuses) {
      refused += 1;
      return void socket.close();
    }
    drop = () => socket.close();
    return void socket.connectToServer();
  });
  await page.clock.install();
  await page.goto(at('/dashboard'));
  await expect(page.locator('footer').getByText('Live', { exact: true })).toBeVisible();
  // With the clock stopped and its one attempt refused, the link cannot reconnect between the alert and the press.
  await page.clock.pauseAt(Date.now() + 60_000);
  refuses = true;
  await drop();
  await page.clock.runFor(12_000);
  await expect(page.getByRole('alert').filter({ hasText: /Live link lost \d+ s ago/ })).toBeVisible();
  await expect.poll(() => refused).toBe(1);
  refuses = false;
  await page.getByRole('alert').getByRole('button', { name: 'Reconnect now' }).click();
  await page.clock.resume();
  await expect(page.getByRole('alert').filter({ hasText: 'Live link lost' })).toHaveCount(0);
});

test.describe('at every scale', () => {
  for (const width of [1366, 1920, 2560]) {
    const k = width / 1920;
    test(`S-040 S-041 S-522: the stage of 1920 fits a window of ${width}, and popups are aligned`, async ({ browser }) => {
      const page = await pageOf(browser, { width, height: Math.round(1080 * k) });
      await page.goto(at('/assets/dcu'));
      await ready(page);
      const stage = await page.locator('#root').boundingBox();
      expect(Math.abs((stage?.width ?? 0) - width)).toBeLessThan(1);
      expect(Math.abs(((await page.locator('header').first().boundingBox())?.height ?? 0) - 60 * k)).toBeLessThanOrEqual(0.5);
      expect(
        await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]),
      ).toEqual([0, 0]);

      const opener = page.getByRole('button', { name: 'Language' });
      await opener.click();
      const popup = page.locator('.ant-dropdown:not(.ant-dropdown-hidden)');
      await expect(popup).toBeVisible();
      const from = await opener.boundingBox();
      await expect
        .poll(async () => Math.round((await popup.boundingBox())?.y ?? 0) - Math.round((from?.y ?? 0) + (from?.height ?? 0)))
        .toBeLessThanOrEqual(Math.ceil(8 * k));
      const box = await popup.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      await page.keyboard.press('Escape');
    });
  }

  for (const width of [1366, 2560]) {
    test(`the slider follows the pointer in a window of ${width}`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(at('/login'));
      const handle = page.getByRole('slider');
      const before = await handle.boundingBox();
      if (!before) throw new Error('the slider is not on the page');
      const middle = [before.x + before.width / 2, before.y + before.height / 2] as const;
      await page.mouse.move(...middle);
      await page.mouse.down();
      await page.mouse.move(middle[0] + 80, middle[1], { steps: 4 });
      const moved = ((await handle.boundingBox())?.x ?? 0) - before.x;
      expect(Math.abs(moved - 80)).toBeLessThanOrEqual(2);
      await page.mouse.up();
    });
  }

  test('S-523 S-525: a new size is applied after 200 ms and animated for 300 ms', async ({ browser }) => {
    const page = await pageOf(browser);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(at('/assets/dcu'));
    await ready(page);
    const height = () =>
      page
        .locator('header')
        .first()
        .evaluate((header) => header.getBoundingClientRect().height);
    const seen = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const animate = document.body.animate.bind(document.body);
          document.body.animate = (frames, options) => {
            resolve(typeof options === 'object' ? Number(options.duration) : 0);
            return animate(frames, options);
          };
        }),
    );
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    // The delay starts with the resize event, which may be late on a busy machine.
    const told = page.evaluate(() => new Promise<void>((resolve) => addEventListener('resize', () => resolve(), { once: true })));
    await page.setViewportSize({ width: 1366, height: 768 });
    await told;
    await page.clock.runFor(120);
    expect(await height()).toBe(60);
    await page.clock.runFor(100);
    expect(await seen).toBe(300);
    await expect.poll(height).toBeCloseTo((60 * 1366) / 1920, 0);
  });
});
