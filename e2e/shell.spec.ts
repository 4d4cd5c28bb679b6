import { expect, test, type Browser, type BrowserContext, type Locator, type Page, type Request, type WebSocket } from '@playwright/test';
import { PASSWORD, removeDataDir, start, type HeadEnd } from './support/head-end.ts';
import { fillSignIn, signIn, tryToSignIn } from './support/sign-in.ts';

const NEW_PASSWORD = 'Second-Light-2027';

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

/** A signed-in console on a separate page. */
async function consoleAt(browser: Browser, path = '/dashboard'): Promise<Page> {
  const context = await browser.newContext({ storageState: signedIn, viewport: { width: 1920, height: 1080 } });
  const page = await context.newPage();
  await page.goto(at(path));
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  return page;
}

const tabNames = (page: Page) => page.getByRole('navigation', { name: 'Open pages' }).locator('[title]');
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Open pages' }).getByRole('button', { name, exact: true });

/** Opens the context menu of a tab and returns its enabled items. */
async function menuOf(page: Page, name: string): Promise<string[]> {
  await tab(page, name).click({ button: 'right' });
  const items = page.locator('.ant-dropdown:not(.ant-dropdown-hidden)').getByRole('menuitem');
  await expect(items).toHaveText(['Reload', 'Close current', 'Close left', 'Close right', 'Close others', 'Close all']);
  const free: string[] = [];
  for (const item of await items.all()) if ((await item.getAttribute('aria-disabled')) !== 'true') free.push(await item.innerText());
  return free;
}

/** Navigates by the search, without reloading the console. */
async function open(page: Page, name: string, label: string): Promise<void> {
  // Keys pressed before the shell is mounted are lost.
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(label);
  await page.getByRole('option', { name: label, exact: true }).click();
  await expect(tab(page, name)).toHaveAttribute('aria-current', 'page');
}

const choose = (page: Page, item: string) =>
  page.locator('.ant-dropdown:not(.ant-dropdown-hidden)').getByRole('menuitem', { name: item }).click();

test.describe('unauthenticated users', () => {
  test('S-001 S-002 S-003 S-048 S-518: see a console for operators under /hes/ in their browser', async ({ page }) => {
    await page.goto(`${headEnd.address}/`);
    await expect(page).toHaveURL(/\/hes\/login/);
    await expect(page.getByRole('heading', { name: 'Welcome To Head-End System' })).toBeVisible();
    await expect(page.getByText('Sign in with your operator account.')).toBeVisible();
    // All resources come from this server.
    const paths = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
    expect(paths.filter((path) => !path.startsWith('/hes/') && !path.startsWith('/api/'))).toEqual([]);
  });

  test('S-051 S-052 S-053: see a public sign-in with user name and password', async ({ page }) => {
    await page.goto(at('/login'));
    await expect(page).toHaveURL(at('/login'));
    await expect(page.getByLabel('User name', { exact: true })).toHaveAttribute('placeholder', 'Please Enter User Name');
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('placeholder', 'Please Enter Password');
  });

  test('S-054 S-055 S-056: see an agreement, a slider, and no user menu', async ({ page }) => {
    await page.goto(at('/login'));
    await expect(page.getByRole('checkbox', { name: /Service agreement/ })).not.toBeChecked();
    await expect(page.getByText('Drag The Slider To Verify', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: /User menu/ })).toHaveCount(0);
  });

  test('S-417 S-418: cannot sign in without agreement and slider, and nothing is sent', async ({ page }) => {
    const sent: Request[] = [];
    page.on('request', (request) => request.url().includes('oauth2/token') && sent.push(request));
    await page.goto(at('/login'));
    await page.getByRole('button', { name: 'Log in' }).click();
    for (const text of [
      'User Name Is Required',
      'Password Is Required',
      'Please Accept The Service Agreement',
      'Please Drag The Slider To Verify',
    ])
      await expect(page.getByText(text)).toBeVisible();
    expect(sent).toEqual([]);
  });

  test('S-099 S-100 S-101: are redirected to the sign-in, and from there to the requested page', async ({ page }) => {
    await page.goto(at('/assets/dcu?search=37&page=2'));
    await expect(page).toHaveURL(/\/hes\/login\?/);
    const query = new URL(page.url()).searchParams;
    expect([query.get('redirect'), query.get('search')]).toEqual(['/assets/dcu?search=37&page=2', '37']);
    await fillSignIn(page, { username: 'admin', password: PASSWORD });
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page).toHaveURL(/\/hes\/assets\/dcu\?search=37/);
  });

  test('S-484 S-485 S-494 S-495: get a token by the client credentials, and authorise their calls with it', async ({ page }) => {
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    const headerOf = async (part: string) => requests.find((request) => request.url().includes(part))?.headers()['authorization'];
    await page.goto(at('/login'));
    await fillSignIn(page, { username: 'admin', password: PASSWORD });
    const answered = page.waitForResponse((response) => response.url().includes('oauth2/token'));
    await page.getByRole('button', { name: 'Log in' }).click();
    const token = (await (await answered).json()) as { access_token: string; token_type: string }; // as: the contract's answer
    expect(token).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' });
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
    expect(requests.some((request) => request.url().includes('white/list/api'))).toBe(true);
    expect(await headerOf('white/list/api')).toBeUndefined();
    expect(await headerOf('oauth2/token')).toMatch(/^Basic /);
    expect(await headerOf('manager/module/tree')).toBe(`Bearer ${token.access_token}`);
  });

  test('S-057 S-058 S-059 S-060: may see 403 and 404, which has a drawing and a link home', async ({ page }) => {
    await page.goto(at('/403'));
    await expect(page.getByRole('heading', { name: /403/ })).toBeVisible();
    await page.goto(at('/no/such/page'));
    await expect(page.getByRole('heading', { name: /404/ })).toBeVisible();
    await expect(page.locator('svg').first()).toBeVisible();
    await page.getByRole('button', { name: 'Back To Home' }).click();
    await expect(page).toHaveURL(/\/hes\/login/);
  });

  test('S-061: may use /redirect, which needs no authentication', async ({ page }) => {
    await page.goto(at('/redirect/403'));
    await expect(page).toHaveURL(at('/403'));
  });
});

test.describe('addresses', () => {
  test('S-049 S-050 S-064: lose trailing slashes, name their page in the title, and / is the dashboard', async ({ browser }) => {
    const page = await consoleAt(browser, '/');
    await expect(page).toHaveURL(at('/dashboard'));
    await expect(page).toHaveTitle('Dashboard - Head-End System');
    await page.goto(at('/assets/dcu/?page=2'));
    await expect(page).toHaveURL(at('/assets/dcu?page=2'));
    await expect(page).toHaveTitle('DCU - Head-End System');
    await page.goto(`${headEnd.address}/hes`);
    await expect(page).toHaveURL(at('/dashboard'));
  });

  test('S-098 S-353: of groups open their first page without a tab of the group', async ({ browser }) => {
    const page = await consoleAt(browser, '/meter-management/mdms');
    await expect(page).toHaveURL(at('/meter-management/mdms/electric-bill'));
    await expect(tabNames(page)).toHaveText(['Dashboard', 'Electricity Bill']);
  });

  test('S-477 S-487 S-488 S-489: are authorised by the module tree, which is loaded once', async ({ browser }) => {
    const context = await browser.newContext({ storageState: signedIn });
    const page = await context.newPage();
    const asked: Request[] = [];
    page.on('request', (request) => request.url().endsWith('/api/manager/module/tree') && asked.push(request));
    const answer = page.waitForResponse('**/api/manager/module/tree');
    await page.goto(at('/dashboard'));
    const tree = (await (await answer).json()) as unknown[];
    expect(tree[0]).toMatchObject({
      name: { en: expect.any(String), 'zh-CN': expect.any(String) },
      path: expect.any(String),
      children: expect.any(Array),
    });
    await open(page, 'DCU', 'Assets-DCU');
    await open(page, 'Transformer', 'Assets-Transformer');
    expect(asked.map((request) => [request.method(), request.postData()])).toEqual([['GET', null]]);
  });

  test('S-490 S-514: are all forbidden if the module tree fails to load', async ({ browser }) => {
    const context = await browser.newContext({ storageState: signedIn });
    const page = await context.newPage();
    await page.route('**/api/manager/module/tree', (route) => route.fulfill({ status: 500, body: 'no' }));
    await page.goto(at('/assets/dcu'));
    await expect(page).toHaveURL(at('/403'));
  });
});

test.describe('the header', () => {
  test('S-004 S-104 S-105: has the logo and the title of the system, which link to the start page', async ({ browser }) => {
    const page = await consoleAt(browser, '/assets/dcu');
    const brand = page
      .locator('header')
      .first()
      .getByRole('link', { name: /Head-End System/ });
    await expect(brand.locator('svg')).toBeVisible();
    await expect(brand).toContainText('Head-End System');
    await brand.click();
    await expect(page).toHaveURL(at('/dashboard'));
  });

  test('S-107 S-114 S-524 S-535: is 60 high, and its search box 280 wide', async ({ browser }) => {
    const page = await consoleAt(browser, '/assets/dcu');
    const header = page.locator('header').first();
    expect((await header.boundingBox())?.height).toBe(60);
    expect((await header.getByRole('button', { name: /Search modules/ }).boundingBox())?.width).toBe(280);
  });

  test('S-063 S-106: has the horizontal menu above the tabs, on every page', async ({ browser }) => {
    const page = await consoleAt(browser, '/assets/dcu');
    for (const path of ['/assets/dcu', '/system/system-management/user-management']) {
      await page.goto(at(path));
      await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
      const menu = page.locator('header').first().getByRole('navigation', { name: 'Main menu' });
      const boxes = await Promise.all((await menu.getByRole('button').all()).map((button) => button.boundingBox()));
      expect(boxes.length).toBeGreaterThan(3);
      expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
      const tabs = await page.getByRole('navigation', { name: 'Open pages' }).boundingBox();
      expect(tabs?.y).toBeGreaterThanOrEqual(60);
    }
  });

  test('S-036 S-037 S-108 S-356: switches between light and dark, and keeps the choice', async ({ browser }) => {
    const page = await consoleAt(browser);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole('button', { name: 'Switch to dark theme' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

    // The background is dark before the console has loaded.
    const second = await page.context().newPage();
    await second.route('**/hes/assets/*.js', () => new Promise(() => undefined));
    await second.goto(at('/dashboard'), { waitUntil: 'commit' });
    await expect(second.locator('html')).toHaveCSS('color-scheme', 'dark');
    await second.close();

    await page.getByRole('button', { name: 'Switch to light theme' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  });

  test('S-038 S-109 S-110 S-539: offers English, Chinese and Spanish, with a check mark at the one in use', async ({ browser }) => {
    const page = await consoleAt(browser);
    await page.getByRole('button', { name: 'Language' }).click();
    const languages = page.getByRole('menuitem');
    await expect(languages).toHaveText(['English', '简体中文', 'Español']);
    await expect(languages.first().getByRole('img', { name: 'in use' })).toBeVisible();
    await expect(languages.getByRole('img')).toHaveCount(1);
    await languages.filter({ hasText: '简体中文' }).click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
    await expect(page.getByRole('navigation', { name: '主菜单' })).toBeVisible();
    await expect(page).toHaveTitle('首页 - 主站系统');
    await page.getByRole('button', { name: '语言' }).click();
    await expect(page.getByRole('menuitem', { name: '简体中文' }).getByRole('img', { name: '当前' })).toBeVisible();
    await page.getByRole('menuitem', { name: 'Español' }).click();
    await expect(page).toHaveTitle('Panel de control - Sistema central');
    await page.reload();
    await expect(page.getByRole('navigation', { name: 'Menú principal' })).toBeVisible();
  });

  test('S-111: opens the profile, where name and contact can be changed and the role cannot', async ({ browser }) => {
    const page = await consoleAt(browser);
    await page.getByRole('button', { name: /User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    const form = page.getByRole('dialog');
    await expect(form.getByLabel('Role')).toHaveAttribute('readonly');
    await expect(form.getByLabel('Last login')).toHaveAttribute('readonly');
    await form.getByLabel('Phone').fill('twelve');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form.getByText('Phone Number Is Not Valid').last()).toBeVisible();
    await form.getByLabel('Phone').fill('+65 9123 4567');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Lin Wei');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'User menu: Lin Wei' })).toBeVisible();
  });
});

test('S-115 S-116 S-117 S-118 S-119: the menu is the module tree, without dashboard and upgrade detail, and marks the page', async ({
  browser,
}) => {
  const page = await consoleAt(browser, '/system/system-management/user-management');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('button')).toHaveText(['Assets', 'Meter', 'Meter Management', 'Action', 'System']);
  await expect(menu.getByRole('button', { name: 'System' })).toHaveAttribute('aria-current', 'true');
  await menu.getByRole('button', { name: 'System' }).click();
  const open = page.locator('.ant-dropdown:not(.ant-dropdown-hidden)');
  await expect(open.getByRole('menuitem', { name: 'Firmware Upgrade' })).toBeVisible();
  await expect(open.getByText('System Management', { exact: true })).toBeVisible();
  await expect(open.getByRole('menuitem', { name: 'Upgrade Detail' })).toHaveCount(0);
  await expect(page.getByRole('menuitem', { name: 'Dashboard' })).toHaveCount(0);
  await expect(open.locator('.ant-dropdown-menu-item-selected')).toContainText('User Management');
});

test.describe('tabs', () => {
  test('S-039 S-120 S-121 S-122 S-352: open once for each page, after the permanent dashboard', async ({ browser }) => {
    const page = await consoleAt(browser, '/assets/dcu');
    await page.keyboard.press('Alt+1');
    await expect(page).toHaveURL(at('/dashboard'));
    await tab(page, 'DCU').click();
    await expect(page).toHaveURL(at('/assets/dcu'));
    await expect(tabNames(page)).toHaveText(['Dashboard', 'DCU']);
    await expect(page.getByRole('button', { name: 'Close DCU' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Close Dashboard' })).toHaveCount(0);
  });

  /** The dashboard and three pages, the last of which is active. */
  async function withThreePages(browser: Browser): Promise<Page> {
    const page = await consoleAt(browser);
    await open(page, 'DCU', 'Assets-DCU');
    await open(page, 'Transformer', 'Assets-Transformer');
    await open(page, 'User Management', 'System-System Management-User Management');
    return page;
  }

  test('S-062 S-123 S-124: reload by their menu, the active one only', async ({ browser }) => {
    const page = await withThreePages(browser);
    expect(await menuOf(page, 'DCU')).not.toContain('Reload');
    await page.keyboard.press('Escape');
    expect(await menuOf(page, 'User Management')).toContain('Reload');
    const loadedAgain = page.waitForRequest((request) => request.url().includes('/api/manager/user?'));
    await choose(page, 'Reload');
    await loadedAgain;
    await expect(page).toHaveURL(at('/system/system-management/user-management'));
    await page.goto(at('/redirect/assets/dcu'));
    await expect(page).toHaveURL(at('/assets/dcu'));
  });

  test('S-125 S-134: close by their menu, which activates the previous one', async ({ browser }) => {
    const page = await withThreePages(browser);
    await menuOf(page, 'User Management');
    await choose(page, 'Close current');
    await expect(page).toHaveURL(at('/assets/transformer'));
    await expect(tabNames(page)).toHaveText(['Dashboard', 'DCU', 'Transformer']);
  });

  test('S-126 S-127 S-128: close those to the left, to the right, and all others', async ({ browser }) => {
    const page = await withThreePages(browser);
    await menuOf(page, 'Transformer');
    await choose(page, 'Close left');
    await expect(tabNames(page)).toHaveText(['Dashboard', 'Transformer', 'User Management']);
    await menuOf(page, 'Transformer');
    await choose(page, 'Close right');
    await expect(tabNames(page)).toHaveText(['Dashboard', 'Transformer']);
    await open(page, 'DCU', 'Assets-DCU');
    await open(page, 'User Management', 'System-System Management-User Management');
    await menuOf(page, 'DCU');
    await choose(page, 'Close others');
    await expect(tabNames(page)).toHaveText(['Dashboard', 'DCU']);
    await expect(page).toHaveURL(at('/assets/dcu'));
  });

  test('S-129 S-135: close all, which opens the dashboard', async ({ browser }) => {
    const page = await withThreePages(browser);
    await menuOf(page, 'Transformer');
    await choose(page, 'Close all');
    await expect(page).toHaveURL(at('/dashboard'));
    await expect(tabNames(page)).toHaveText(['Dashboard']);
  });

  test('S-130 S-131 S-132 S-133: offer only applicable actions', async ({ browser }) => {
    const page = await consoleAt(browser);
    expect(await menuOf(page, 'Dashboard')).toEqual(['Reload']);
    await page.keyboard.press('Escape');
    await open(page, 'DCU', 'Assets-DCU');
    expect(await menuOf(page, 'DCU')).toEqual(['Reload', 'Close current', 'Close all']);
    await page.keyboard.press('Escape');
    await open(page, 'Transformer', 'Assets-Transformer');
    await open(page, 'User Management', 'System-System Management-User Management');
    expect(await menuOf(page, 'DCU')).toEqual(['Close current', 'Close right', 'Close others', 'Close all']);
    await page.keyboard.press('Escape');
    expect(await menuOf(page, 'User Management')).toEqual(['Reload', 'Close current', 'Close left', 'Close others', 'Close all']);
  });
});

test.describe('the search of modules', () => {
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search modules' });
  const chosenIn = (page: Page) => dialogOf(page).getByRole('option', { selected: true });

  test('S-136 S-137 S-138 S-145 S-146: opens by a click and by keys, and closes by Esc and by a click outside', async ({ browser }) => {
    const page = await consoleAt(browser);
    const search = dialogOf(page);
    await page.getByRole('button', { name: /Search modules/ }).click();
    await expect(search).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(search).toHaveCount(0);
    await page.keyboard.press('Meta+k');
    await expect(search).toBeVisible();
    await page.mouse.click(20, 900);
    await expect(search).toHaveCount(0);
    await page.keyboard.press('Control+k');
    await expect(search).toBeVisible();
  });

  test('S-139 S-140 S-141 S-142 S-143: moves by Tab and by arrows, from the last to the first and back', async ({ browser }) => {
    const page = await consoleAt(browser);
    const [search, chosen] = [dialogOf(page), chosenIn(page)];
    const [first, last] = ['Assets-DCU Type Management', 'Assets-Meter Type Management'];
    await page.keyboard.press('Control+k');
    await page.keyboard.type('a');
    await page.keyboard.press('ArrowUp');
    await expect(chosen).toHaveText(/^System-/);
    await expect(chosen).toBeInViewport({ ratio: 0.9 });
    await search.getByRole('combobox').fill('TYPE MANAGE');
    await expect(search.getByRole('option')).toHaveText([first, last]);
    await expect(chosen).toHaveText(first);
    for (const [key, wanted] of [
      ['Tab', last],
      ['ArrowDown', first],
      ['ArrowDown', last],
      ['ArrowUp', first],
      ['ArrowUp', last],
      ['Tab', first],
    ] as const) {
      await page.keyboard.press(key);
      await expect(chosen).toHaveText(wanted);
    }
  });

  test('S-144 S-147 S-148 S-149: finds by a part of the name with its ancestors in either case, and Enter opens it', async ({
    browser,
  }) => {
    const page = await consoleAt(browser);
    const search = dialogOf(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('assets-meter TYPE');
    await expect(search.getByRole('option')).toHaveText(['Assets-Meter Type Management']);
    // This Enter ends the composition of a Chinese word.
    await search.getByRole('combobox').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect(search).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(at('/assets/meter-type-management'));
  });

  test('S-151 S-152 S-153 S-154 S-517: offers earlier searches, which can be removed, and reports an empty result', async ({ browser }) => {
    const page = await consoleAt(browser);
    const search = dialogOf(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('TYPE MANAGE');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(at('/assets/dcu-type-management'));
    await page.keyboard.press('Control+k');
    await search.getByRole('button', { name: 'TYPE MANAGE', exact: true }).click();
    await expect(search.getByRole('combobox')).toHaveValue('TYPE MANAGE');
    await search.getByRole('combobox').fill('no such page');
    await expect(search.getByText('No Search Result')).toBeVisible();
    await search.getByRole('combobox').fill('');
    await search.getByRole('button', { name: 'Remove TYPE MANAGE' }).click();
    await expect(search.getByRole('button')).toHaveCount(0);
  });
});

test('a key opens the help of the page, the glossary and the shortcuts, and single-letter shortcuts can be switched off', async ({
  browser,
}) => {
  const page = await consoleAt(browser);
  await page.goto(at('/assets/archives-dispatch'));
  await expect(tab(page, 'Archives Dispatch')).toHaveAttribute('aria-current', 'page');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Help' });
  await expect(help.getByRole('heading', { name: 'Make both sides equal' })).toBeVisible();
  await help.getByRole('button', { name: 'measurement point' }).click();
  await expect(page.getByText('The stable number by which a DCU knows a meter.')).toBeVisible();
  await help.getByRole('link', { name: 'inventory' }).click();
  await expect(help.getByRole('heading', { name: 'Discover meters' })).toBeVisible();
  await help.getByText('Glossary', { exact: true }).click();
  await help.getByRole('textbox', { name: 'Find a word' }).fill('freez');
  await expect(help.getByText('The state of the registers at midnight')).toBeVisible();
  await help.getByText('Keyboard', { exact: true }).click();
  await expect(help.getByText('Search modules and devices')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.evaluate(() => localStorage.setItem('SYS_LETTER_KEYS', 'off'));
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
});

test('a user with a password set by an administrator must change it first', async ({ browser }) => {
  const page = await consoleAt(browser);
  const created = await page.evaluate(async () => {
    const { token_type, access_token } = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as Record<string, string>; // as: what the console stored
    const headers = { authorization: `${token_type} ${access_token}`, 'content-type': 'application/json' };
    const roles = (await (await fetch('/api/manager/user/role', { headers })).json()) as { items: { id: string }[] }; // as: the contract's answer
    const body = {
      username: 'new.hand',
      name: 'New Hand',
      roleIds: [roles.items[0]?.id],
      password: 'Given-Away-77',
      mustChangePassword: true,
    };
    return (await fetch('/api/manager/user', { method: 'POST', headers, body: JSON.stringify(body) })).status;
  });
  expect(created).toBe(201);
  const other = await (await browser.newContext()).newPage();
  await tryToSignIn(other, headEnd, { username: 'new.hand', password: 'Given-Away-77' });
  const dialog = other.getByRole('dialog', { name: 'Edit password' });
  await expect(dialog.getByText('Please change your password first.')).toBeVisible();
  await other.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Close' })).toHaveCount(0);
  await dialog.getByLabel('Current password').fill('Given-Away-77');
  for (const label of ['New password', 'Confirm password']) await dialog.getByLabel(label).fill('My-Own-Secret-88');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(other).toHaveURL(/\/hes\/login/);
  await tryToSignIn(other, headEnd, { username: 'new.hand', password: 'My-Own-Secret-88' });
  await expect(other.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
});

test.describe('the password dialog', () => {
  /** The present password: the administrator of this file has one at a time, changed by the tests in order. */
  let password = PASSWORD;
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Edit password' });

  async function openDialog(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: /User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Edit password' }).click();
    await expect(dialogOf(page)).toBeVisible();
    return dialogOf(page);
  }
  /** Signed in on a separate page, because a change of password ends the session that the other tests share. */
  async function signInAlone(page: Page): Promise<void> {
    await tryToSignIn(page, headEnd, { username: 'admin', password });
    await expect(page).toHaveURL(at('/dashboard'));
    await page.goto(at('/assets/dcu'));
  }
  async function fill(dialog: Locator, fields: { current: string; next: string; again: string }): Promise<void> {
    await dialog.getByLabel('Current password').fill(fields.current);
    await dialog.getByLabel('New password').fill(fields.next);
    await dialog.getByLabel('Confirm password').fill(fields.again);
  }
  /** Changes the password and returns the request. */
  async function change(page: Page, next: string): Promise<Request> {
    const dialog = await openDialog(page);
    await fill(dialog, { current: password, next, again: next });
    const sent = page.waitForRequest((request) => /\/manager\/user\/\d+\/password$/.test(request.url()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(page).toHaveURL(at('/login'));
    password = next;
    return sent;
  }

  test('S-112 S-155 S-156 S-534: opens from the user menu, 400 wide, and stays open on a click outside', async ({ page }) => {
    await signInAlone(page);
    const dialog = await openDialog(page);
    const k = 1440 / 1920;
    await expect.poll(async () => Math.round((await dialog.boundingBox())?.width ?? 0)).toBe(400 * k);
    await page.mouse.click(10, 500);
    await expect(dialog).toBeVisible();
  });

  test('S-271 S-432 S-433 S-434 S-491: sends the content of the field for the current password as the old one', async ({ page }) => {
    await signInAlone(page);
    const dialog = await openDialog(page);
    await expect(dialog.locator('input')).toHaveCount(3);
    await expect(dialog.getByLabel(/Current password|Old password/)).toHaveCount(1);
    await fill(dialog, { current: password, next: NEW_PASSWORD, again: `${NEW_PASSWORD}x` });
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(dialog.getByText('Two Password Do Not Match')).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const old = password;
    const sent = await change(page, `${NEW_PASSWORD}1`);
    expect([sent.method(), sent.postDataJSON()]).toEqual(['PUT', { oldPassword: old, newPassword: `${NEW_PASSWORD}1` }]);
  });

  test('S-157 S-492 S-493: shows progress, and signs out regardless of the response', async ({ page }) => {
    await signInAlone(page);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/manager/user/*/password', async (route) => {
      await held;
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: 'an unexpected body' });
    });
    const dialog = await openDialog(page);
    const next = `${NEW_PASSWORD}2`;
    await fill(dialog, { current: password, next, again: next });
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(dialog.locator('.ant-btn-loading')).toBeVisible();
    release();
    await expect(page).toHaveURL(at('/login'));
    password = next;
  });

  test('S-359 S-360 S-361: is empty and closed after the change, and the user signs in with the new password', async ({ page }) => {
    await signInAlone(page);
    await change(page, `${NEW_PASSWORD}3`);
    await expect(dialogOf(page)).toHaveCount(0);
    await tryToSignIn(page, headEnd, { username: 'admin', password });
    await expect(page).toHaveURL(at('/dashboard'));
    const dialog = await openDialog(page);
    for (const label of ['Current password', 'New password', 'Confirm password']) await expect(dialog.getByLabel(label)).toHaveValue('');
  });

  test('S-344 S-345 S-346: signing out closes the live socket and discards user and token', async ({ page }) => {
    const sockets: WebSocket[] = [];
    page.on('websocket', (socket) => sockets.push(socket));
    await signInAlone(page);
    await expect(page.locator('footer').getByText('Live', { exact: true })).toBeVisible();
    // A document that was left no longer reports on its socket; the newest one is that of the page.
    const socket = sockets.at(-1);
    expect(socket?.isClosed()).toBe(false);
    await logOut(page);
    await expect.poll(() => socket?.isClosed()).toBe(true);
    expect(await page.evaluate(() => [localStorage.getItem('HES_USER'), localStorage.getItem('HES_TOKEN')])).toEqual([null, null]);
  });

  test('S-113 S-347 S-348 S-349: signing out by the user menu shows the sign-in, and closes tabs and modules', async ({ page }) => {
    await signInAlone(page);
    await expect(tabNames(page)).toHaveText(['Dashboard', 'DCU']);
    await logOut(page);
    await expect(page).toHaveURL(at('/login'));
    const tree = page.waitForRequest((request) => request.url().includes('/manager/module/tree'));
    await tryToSignIn(page, headEnd, { username: 'admin', password });
    await tree;
    await expect(page).toHaveURL(at('/dashboard'));
    await expect(tabNames(page)).toHaveText(['Dashboard']);
  });

  async function logOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
  }
});
