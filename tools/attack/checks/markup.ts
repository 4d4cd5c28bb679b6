/** Scripts in every displayed text, opened in a real browser. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { ensureBrowser } from '../../lib/browser.mjs';
import { ensureInstalled } from '../../lib/install.mjs';
import { within, type Attacked } from '../attacked.ts';
import type { Attack, Trial } from '../check.ts';
import { ask } from '../client.ts';
import { impersonate } from '../lines.ts';
import { SCRIPTS, SHORT_SCRIPTS } from '../payloads.ts';
import { plantEverywhere, Texts, type Order } from '../plants.ts';

const PAGES = path.resolve(import.meta.dirname, '../../../apps/web/src/pages');
const MOST_MS = 600_000;
const SETTLED_MS = 10_000;
const DAY_MS = 86_400_000;

/** Notes and reasons, each with the other fields that its call needs. */
async function ordersOf(target: Attacked): Promise<Order[]> {
  const admin = await target.as('admin');
  const [relay, other] = target.north.relays.slice(6);
  const [event] = (await admin('GET', '/event?size=1')).body?.items ?? [];
  const [frame] = (await admin('GET', `/debug/dcu-log?dcuId=${target.north.dcus[0]?.id}&size=1`)).body?.items ?? [];
  const meterIds = [other?.meterId];
  return [
    { method: 'PUT', path: '/manager/user/me', json: {}, texts: { name: 32 } },
    { method: 'POST', path: '/asset/supplier', json: { code: 'SCRIPT0' }, texts: { name: 64, contact: 64, address: 128, note: 256 } },
    { method: 'POST', path: '/manager/role', json: { code: 'SCRIPTS' }, texts: { name: 32, description: 256 } },
    {
      method: 'POST',
      path: '/manager/module',
      json: { path: '/scripts', icon: 'bug', type: 'group', parentId: null },
      texts: { nameEn: 64, nameZh: 32 },
    },
    { method: 'POST', path: '/action/dcu-template', json: { values: {} }, texts: { name: 64 } },
    { method: 'PUT', path: `/event/${event?.id}/note`, json: {}, texts: { note: 256 } },
    {
      method: 'POST',
      path: '/event/mute',
      json: { eventId: event?.id, until: new Date(Date.now() + DAY_MS).toISOString() },
      texts: { reason: 256 },
    },
    { method: 'PUT', path: `/debug/dcu-log/frame/${frame?.id}/note`, json: { at: frame?.at }, texts: { note: 256 } },
    { method: 'PUT', path: `/manager/user/${target.userIds['victim.guess']}/lock`, json: { lock: true }, texts: { lockReason: 128 } },
    { method: 'PUT', path: '/action/relay/protection', json: { meterIds, isProtected: true }, texts: { reason: 256 } },
    {
      method: 'POST',
      path: '/action/relay',
      json: { requestId: crypto.randomUUID(), meterIds: [relay?.meterId], operation: 'connect' },
      texts: { reason: 256, workOrder: 64 },
    },
    { method: 'POST', path: '/action/relay/stop', json: {}, texts: { reason: 256 } },
    { method: 'PUT', path: '/manager/preference', json: { key: 'columns:/assets/dcu', value: SCRIPTS.slice(0, 20) }, texts: {} },
  ];
}

/** Files with scripts as names and cells; the preview of the list stays open for the import page. */
async function plantFiles(target: Attacked): Promise<number> {
  const { token } = await target.session('admin');
  const post = (at: string, octets: Buffer) => ask(target.base, `/api${at}`, { method: 'POST', token, octets });
  const name = encodeURIComponent(`${SCRIPTS[0]}.csv`);
  const lines = SCRIPTS.map((script, at) => `S${at},"${script.replaceAll('"', '""').slice(0, 64)}"`);
  const list = await post(`/import/supplier?name=${name}`, Buffer.from(`Code,Name\n${lines.join('\n')}\n`));
  const image = Buffer.from((await target.control('GET', '/image?model=HES-MP&version=9.9.8&octets=2000')).base64, 'base64');
  const file = await ask(target.base, `/api/upgrade/firmware/file?name=${encodeURIComponent(`${SCRIPTS[1]}.bin`)}`, {
    method: 'POST',
    token: (await target.session('engineer')).token,
    octets: image,
  });
  return [list, file].filter(({ status }) => status < 300).length;
}

/** A rogue device: scripts as serial numbers and as frame content. */
async function plantFromField(target: Attacked): Promise<void> {
  for (const script of [...SHORT_SCRIPTS, ...SCRIPTS.slice(0, 10)]) {
    const line = await impersonate(target.dlms, script);
    line.write(Buffer.from(script));
    await new Promise((done) => setTimeout(done, 50));
    line.destroy();
  }
}

/** A browser of the user that counts runs of a planted script. */
async function browserOf(target: Attacked, context: BrowserContext): Promise<Page> {
  const { token, cookies } = await target.signIn('second.admin', '127.14.0.1');
  const me = (await target.calls(token)('GET', '/manager/user/me')).body;
  const { hostname } = new URL(target.base);
  await context.addCookies(
    cookies.split('; ').map((cookie) => {
      const [name = '', ...value] = cookie.split('=');
      return { name, value: value.join('='), domain: hostname, path: '/' };
    }),
  );
  await context.addInitScript(
    ([user, access]) => {
      Object.assign(globalThis, { __hits: 0, __x: () => ((globalThis as unknown as { __hits: number }).__hits += 1) });
      localStorage.setItem('HES_USER', user ?? '');
      localStorage.setItem('HES_TOKEN', access ?? '');
    },
    [
      JSON.stringify({ id: me.id, username: me.username, name: 'x' }),
      JSON.stringify({ access_token: token, token_type: 'Bearer', expiresAt: Date.now() + 800_000 }),
    ],
  );
  return context.newPage();
}

interface Seen {
  /** Runs of planted scripts. */
  hits: number;
  /** Elements with an event handler in their markup: only a stricter policy would prevent its execution. */
  handlers: number;
  /** Planted texts that are visible. */
  shown: number;
}
const lookAt = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const opens = new Set(['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'srcdoc']);
    const isHandler = ({ name, value }: Attr) => /^on/i.test(name) || (opens.has(name) && /^\s*javascript:|__x/i.test(value));
    return {
      hits: (globalThis as unknown as { __hits: number }).__hits,
      handlers: [...document.querySelectorAll('*')].filter((element) => [...element.attributes].some(isHandler)).length,
      shown: (document.body.innerText.match(/__x\(\)/g) ?? []).length,
    };
  });

/** Opens every page with the first rows of its list; returns counts of planted texts. */
async function openEveryPage(target: Attacked, page: Page, trial: Trial): Promise<void> {
  const addresses = globSync('**/page.tsx', { cwd: PAGES })
    .map((file) => `/${path.dirname(file)}`)
    .filter((address) => address !== '/login')
    .toSorted();
  let shown = 0;
  let showing = 0;
  for (const address of addresses) {
    await page.goto(`${target.base}/hes${address}`);
    await page.waitForLoadState('networkidle', { timeout: SETTLED_MS }).catch(() => undefined);
    const first = await lookAt(page);
    const row = page.locator('tbody tr').nth(1);
    if ((await row.count()) > 0) await row.click({ timeout: 2_000 }).catch(() => undefined);
    await page.waitForLoadState('networkidle', { timeout: SETTLED_MS }).catch(() => undefined);
    const then = await lookAt(page);
    shown += first.shown + then.shown;
    if (first.shown + then.shown > 0) showing++;
    const [hits, handlers] = [first.hits + then.hits, first.handlers + then.handlers];
    if (hits + handlers > 0) trial.refuses(`${address}: ${hits} scripts ran, ${handlers} became markup`, false);
  }
  trial.refuses(`on ${addresses.length} pages no script ran, and no text became markup`, addresses.length > 30);
  trial.control(`${showing} pages show ${shown} planted texts as text`, showing >= 8 && shown >= 30);
}

export const markup: Attack = {
  ids: ['D15'],
  title: 'scripts in every text field, in files and in data of a rogue device; then every page is opened in a browser',
  mostMs: MOST_MS,
  async attempt(target, trial) {
    const admin = await target.provedAs('admin');
    const texts = new Texts([...SCRIPTS, ...SHORT_SCRIPTS]);
    const { taken, refused } = await plantEverywhere(admin, texts, await ordersOf(target));
    const kinds = new Set(taken).size;
    trial.control(
      `${texts.given.size} scripts stand in ${taken.length} texts of ${kinds} fields (${new Set(refused).size} fields took none: ${[...new Set(refused)].slice(0, 3).join('; ')})`,
      texts.given.size >= 60 && kinds >= 30,
    );
    const files = await plantFiles(target);
    trial.control(`${files} files with scripts in name and cells are taken`, files >= 1);
    await plantFromField(target);
    const browser = await chromium.launch({ executablePath: await ensureBrowser(await ensureInstalled()), args: ['--no-sandbox'] });
    try {
      const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } });
      const page = await browserOf(target, context);
      await page.goto(`${target.base}/hes/dashboard`);
      const isIn = await within(30_000, async () => (await page.locator('nav').count()) > 0);
      trial.control('the browser is signed in', isIn);
      const probe = await page.evaluate(() => {
        (globalThis as unknown as { __x: () => void }).__x();
        const element = document.createElement('div');
        element.innerHTML = '<img src="x" onerror="__x()">';
        document.body.append(element);
        return true;
      });
      const seen = await lookAt(page);
      trial.control('a running script is counted, and one that becomes markup is found', probe && seen.hits >= 1 && seen.handlers === 1);
      await openEveryPage(target, page, trial);
    } finally {
      await browser.close();
      await (
        await target.provedAs('approver')
      )('POST', '/action/relay/release', { reason: 'Attack over' });
    }
  },
};
