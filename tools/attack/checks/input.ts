/** Attacks through what users and files may hold. */
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { chromium } from '@playwright/test';
import { ensureBrowser } from '../../lib/browser.mjs';
import { ensureInstalled } from '../../lib/install.mjs';
import type { Attack } from '../check.ts';
import { ask, askPatiently, inParallel, type Reply } from '../client.ts';

const PAYLOADS = [
  "' or '1'='1",
  "'; drop table app_user; --",
  '1); select pg_sleep(5); --',
  '" or ""="',
  '%27%20or%201=1',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '$(id)',
  '`id`',
  '| id',
  '{{7*7}}',
  '${7*7}',
  '__proto__',
  'constructor.prototype',
  '\u0000',
  '\ud800',
  '-1',
  '99999999999999999999',
  '1e309',
  'NaN',
  'true',
  '[]',
  '{"$ne":null}',
];
const FIELDS = ['search', 'sort', 'page', 'size', 'node', 'state', 'from', 'to', 'id', 'filter'];
const LEAKS = /\bat .+\(.+:\d+:\d+\)|\/(?:home|work|root|tmp|app)\/|node_modules|syntax error at|pg_catalog|relation "|SQLSTATE/i;

const lists = Object.values(everyRoute)
  .flatMap((group): Route[] => Object.values(group))
  .filter(({ method, path, allow, answer }) => method === 'GET' && !path.includes('{') && typeof allow === 'object' && answer !== 'file');

/** Every list with every payload in one of its parameters, in turn. */
async function inject(call: (path: string) => Promise<Reply>): Promise<Reply[]> {
  const cases = lists.flatMap(({ path }, at) =>
    PAYLOADS.filter((_, n) => (n + at) % 3 === 0).map(
      (payload, n) => `${path}?${FIELDS[(at + n) % FIELDS.length]}=${encodeURIComponent(payload.toWellFormed())}`,
    ),
  );
  return inParallel(cases.length, 12, (n) => call(cases[n] ?? ''));
}

const injection: Attack = {
  ids: ['D16', 'D24'],
  title: 'SQL, paths, commands and odd numbers in the parameters of every list, and what the refusals give away',
  async attempt(target, trial) {
    const { token } = await target.session('admin');
    const good = await inParallel(lists.length, 8, (n) => askPatiently(target.base, `/api${lists[n]?.path}?size=1`, { token }));
    trial.control(
      `${good.filter(({ status }) => status === 200).length} of ${lists.length} lists answer`,
      good.filter(({ status }) => status === 200).length > 20,
    );
    const replies = await inject((path) => askPatiently(target.base, `/api${path}`, { token }));
    const broken = replies.filter(({ status }) => status >= 500).length;
    trial.refuses(`${broken} of ${replies.length} calls end in a fault`, broken === 0);
    const slowest = Math.max(...replies.map(({ ms }) => ms));
    trial.refuses(`none sleeps (${slowest.toFixed(0)} ms at most)`, slowest < 4_500);
    const paths = [
      '/hes/assets/../../../../etc/passwd',
      '/hes/%2e%2e/%2e%2e/etc/passwd',
      '/api/../etc/passwd',
      '/hes/..%2f..%2fetc%2fpasswd',
    ];
    const files = await Promise.all(paths.map((path) => ask(target.base, path)));
    trial.refuses('no file outside is served', !files.some(({ text }) => text.includes('root:')));
    const malformed = await Promise.all([
      ask(target.base, '/api/asset/supplier', {
        method: 'POST',
        token,
        octets: Buffer.from('{"a":'),
        headers: { 'content-type': 'application/json' },
      }),
      ask(target.base, '/api/asset/supplier', { method: 'POST', token, json: [] }),
      ask(target.base, '/api/asset/dcu/%E0%A4%A', { token }),
      ask(target.base, '/api/no/such/thing', { token }),
      ask(target.base, '/api/asset/dcu', { method: 'TRACE', token }),
    ]);
    const refusals = [...replies, ...malformed].filter(({ status }) => status >= 400);
    const leaks = refusals.filter(({ text }) => LEAKS.test(text));
    trial.refuses(
      `${leaks.length} of ${refusals.length} refusals show a stack, a path or SQL`,
      refusals.length > 100 && leaks.length === 0,
    );
    const withoutId = refusals.filter(
      ({ body, text }) => text !== '' && body?.traceId === undefined && body?.requestId === undefined,
    ).length;
    trial.refuses(`all but ${withoutId} name the request`, withoutId <= malformed.length);
  },
};

const FORMULAS = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '=cmd|calc', '\uff1d1+1'];

const formulas: Attack = {
  ids: ['D17'],
  title: 'names that a spreadsheet would calculate, exported as CSV',
  isShort: true,
  async attempt(target, trial) {
    const admin = await target.as('admin');
    for (const [n, name] of FORMULAS.entries()) {
      const { status, text } = await admin('POST', '/asset/supplier', { code: `FORMULA${n}`, name });
      if (status !== 201) throw new Error(`${name} is not taken: ${status} ${text}`);
    }
    const made = await admin('POST', '/export/supplier', { format: 'csv', columns: ['code', 'name'] });
    trial.control(`an export is ordered (${made.status} ${made.status >= 400 ? made.text.slice(0, 200) : ''})`, made.status < 300);
    const id = made.body?.id ?? made.body?.taskId ?? made.body?.jobId;
    let csv = '';
    for (let n = 0; n < 100 && !csv.includes('FORMULA0'); n++) {
      csv = (await admin('GET', `/export/${id}/file`)).text;
      await new Promise((done) => setTimeout(done, 100));
    }
    trial.control('the file holds the names', csv.includes('FORMULA0'));
    const cells = csv
      .split(/\r?\n/)
      .filter((line) => line.includes('FORMULA'))
      .map((line) => line.slice(line.indexOf(',') + 1).replace(/^"/, ''));
    trial.refuses(
      `cells begin with ${cells.map((cell) => cell[0]).join(' ')}`,
      cells.length === FORMULAS.length && !cells.some((cell) => /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell)),
    );
  },
};

const limits: Attack = {
  ids: ['D26'],
  title: 'a body of 30 MB, pages of a million rows, a range of ten years, 20 exports at once, expressions that take long to match',
  async attempt(target, trial) {
    const { token } = await target.session('operator');
    const call = target.calls(token);
    trial.control('a page of 20 is answered', (await call('GET', '/asset/meter?size=20')).status === 200);
    const body = await ask(target.base, '/api/asset/supplier', {
      method: 'POST',
      token: (await target.session('admin')).token,
      json: { name: 'x'.repeat(30_000_000) },
    }).then(
      ({ status }) => status,
      () => 413,
    );
    trial.refuses(`a body of 30 MB: ${body}`, body === 413 || body === 400);
    trial.refuses('pages of a million rows', (await call('GET', '/asset/meter?size=1000000')).status === 400);
    const meter = target.north.relays[0]?.meterId;
    const range = await call('GET', `/reading/${meter}/profile?profile=lpa&from=2015-01-01&to=2025-01-01`);
    trial.refuses(`a range of ten years: ${range.status} ${range.code}`, range.status >= 400);
    const exports = await inParallel(20, 20, () => call('POST', '/export/meter', { format: 'csv', columns: ['sn'] }));
    const taken = exports.filter(({ status }) => status < 300).length;
    const health = await ask(target.base, '/api/health');
    trial.refuses(`20 exports at once: ${taken} taken, health after ${health.ms.toFixed(0)} ms`, taken < 20 || health.ms < 1_000);
    const slow = await call('GET', `/asset/meter?search=${encodeURIComponent(`${'a'.repeat(60)}!`)}`);
    trial.refuses(`a search made to be slow: ${slow.ms.toFixed(0)} ms`, slow.ms < 2_000);
  },
};

const HIT = 'window.__attacked=1';
const SCRIPTS = [
  `<img src=x onerror="${HIT}">`,
  `<svg onload="${HIT}">`,
  `"><script>${HIT}</script>`,
  `'-(${HIT})-'`,
  `<a href="javascript:${HIT}">x</a>`,
  `<iframe srcdoc="&lt;script&gt;parent.__attacked=1&lt;/script&gt;">`,
  `{{constructor.constructor('${HIT}')()}}`,
];

const markup: Attack = {
  ids: ['D15'],
  title: 'scripts in names of suppliers, users and notes, opened in a browser',
  async attempt(target, trial) {
    const admin = await target.as('admin');
    for (const [n, script] of SCRIPTS.entries()) {
      const { status } = await admin('POST', '/asset/supplier', {
        code: `SCRIPT${n}`,
        name: script.slice(0, 64),
        note: script,
        contact: script.slice(0, 64),
      });
      if (status !== 201) throw new Error(`${script} is not taken: ${status}`);
    }
    const pinned = await ensureInstalled();
    const browser = await chromium.launch({ executablePath: await ensureBrowser(pinned), args: ['--no-sandbox'] });
    try {
      const context = await browser.newContext();
      const { cookies } = await target.signIn('second.admin');
      const { hostname } = new URL(target.base);
      await context.addCookies(
        cookies.split('; ').map((cookie) => ({
          name: cookie.split('=')[0] ?? '',
          value: cookie.slice(cookie.indexOf('=') + 1),
          domain: hostname,
          path: '/',
        })),
      );
      const page = await context.newPage();
      const attacked = () => page.evaluate(() => '__attacked' in globalThis);
      await page.goto(`${target.base}/hes/`);
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => Object.assign(globalThis, { __attacked: 1 }));
      trial.control('a mark that a script sets is seen', await attacked());
      await page.goto(`${target.base}/hes/assets/supplier-management?size=100`);
      await page.getByText('SCRIPT0').first().waitFor({ timeout: 30_000 });
      const shown = await page.getByText('onerror').count();
      trial.control(`the markup is shown as text (${shown} cells)`, shown > 0);
      trial.refuses(`none of ${SCRIPTS.length} scripts ran in the list of suppliers`, !(await attacked()));
      await page.goto(`${target.base}/hes/system/system-management/audit`);
      await page.waitForLoadState('networkidle');
      trial.refuses('nor in the audit log', !(await attacked()));
    } finally {
      await browser.close();
    }
  },
};

export const inputAttacks = [injection, formulas, limits, markup];
