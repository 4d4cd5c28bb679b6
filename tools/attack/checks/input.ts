/** Attacks through the content of fields and files. */
import type { Attacked } from '../attacked.ts';
import type { Attack } from '../check.ts';
import { ask, askPatiently, guess, inParallel, type Reply } from '../client.ts';
import { everyInjected, faultOf, HEAD_TOO_LONG, LEAKS, type Injection } from '../injections.ts';
import { INJECTIONS } from '../payloads.ts';
import { markup } from './markup.ts';

const CALLERS = 24;
const MOST_MS = 1_500_000;
/** Threshold for an injected `sleep` of 25 s in the database. */
const SLEPT_MS = 20_000;

/** Sessions of many administrators: a single user is limited to twenty calls a second. */
async function manyCallers(target: Attacked): Promise<string[]> {
  const admin = await target.provedAs('admin');
  const roles = (await admin('GET', '/manager/role?size=100')).body.items as { id: string; code: string }[]; // as: the route's answer
  const roleIds = roles.filter(({ code }) => code === 'ADMIN').map(({ id }) => id);
  return inParallel(CALLERS, 2, async (n) => {
    const username = `injector.${n}`;
    await admin('POST', '/manager/user', { username, name: username, password: target.password, mustChangePassword: false, roleIds });
    const { body } = await guess(target.base, { username, password: target.password, from: `127.15.0.${n + 1}` });
    return String(body.access_token);
  });
}

/** Sends calls with alternating callers, each at the maximum rate of its limit. */
async function askAll(
  target: Attacked,
  injections: readonly Injection[],
  each: (injection: Injection, reply: Reply) => void,
): Promise<void> {
  const tokens = await manyCallers(target);
  let next = 0;
  await Promise.all(
    tokens.map(async (token) => {
      for (let injection = injections[next++]; injection !== undefined; injection = injections[next++])
        each(injection, await askPatiently(target.base, `/api${injection.path}`, { token }));
    }),
  );
}

/** Existing objects of each kind, so that calls reach the database. */
async function knownOf(target: Attacked): Promise<Record<string, string>> {
  const admin = await target.as('admin');
  const today = new Date().toISOString().slice(0, 10);
  const meterId = target.north.relays[0]?.meterId ?? '1';
  const transformer = (await admin('GET', '/asset/transformer?size=1')).body.items[0]?.id ?? '1';
  return {
    from: today,
    to: today,
    meterId,
    dcuId: target.north.dcus[0]?.id ?? '1',
    transformerId: transformer,
    node: `level:${target.north.levelId}`,
  };
}

/** Invalid bodies, methods and addresses. */
const malformed = (target: Attacked, token: string): Promise<Reply[]> =>
  Promise.all([
    ask(target.base, '/api/asset/supplier', {
      method: 'POST',
      token,
      octets: Buffer.from('{"a":'),
      headers: { 'content-type': 'application/json' },
    }),
    ask(target.base, '/api/asset/supplier', { method: 'POST', token, json: [] }),
    ask(target.base, '/api/asset/supplier', { method: 'POST', token, json: { code: { $ne: null }, name: ['x'] } }),
    ask(target.base, '/api/asset/dcu/%E0%A4%A', { token }),
    ask(target.base, '/api/no/such/thing', { token }),
    ask(target.base, '/api/asset/dcu', { method: 'TRACE', token }),
    ask(target.base, '/api/manager/user/me', { token: 'x.y.z' }),
    ...['/hes/assets/../../../../etc/passwd', '/hes/%2e%2e/%2e%2e/etc/passwd', '/api/../etc/passwd', '/hes/..%2f..%2fetc%2fpasswd'].map(
      (at) => ask(target.base, at),
    ),
  ]);

const injection: Attack = {
  ids: ['D16', 'D24'],
  title: 'SQL, paths, commands, templates and odd values in every parameter of every read, and information leaks in refusals',
  mostMs: MOST_MS,
  async attempt(target, trial) {
    const injected = everyInjected(await knownOf(target));
    const { token } = await target.session('admin');
    const good = await inParallel(injected.length, 8, (n) => askPatiently(target.base, `/api${injected[n]?.plain}`, { token }));
    const right = good.filter(({ status }) => status === 200).length;
    trial.control(`${right} of ${injected.length} reads succeed without a payload`, right > 0.6 * injected.length);
    const injections = INJECTIONS.flatMap((payload) => injected.flatMap((each) => each.with(payload)));
    const faults: string[] = [];
    const ids = new Set<string>();
    let [refusals, answers, slowest] = [0, 0, 0];
    await askAll(target, injections, (each, reply) => {
      const fault = faultOf(each, reply);
      if (fault !== undefined) faults.push(`${each.path.slice(0, 120)}: ${fault}`);
      slowest = Math.max(slowest, reply.ms);
      if (reply.status < 400) return void answers++;
      if (reply.status === HEAD_TOO_LONG) return;
      refusals++;
      ids.add(String(reply.headers['x-request-id']));
    });
    const parameters = injected.flatMap(({ names }) => names).length;
    trial.control(`${answers} responses are successful`, answers > 1_000);
    trial.refuses(
      `${INJECTIONS.length} payloads in each of ${parameters} parameters, ${injections.length} calls: ${faults.length} faults ${faults.slice(0, 3).join('; ')}`.trim(),
      faults.length === 0 && INJECTIONS.length >= 200 && parameters > 500,
    );
    trial.refuses(`none sleeps (${slowest.toFixed(0)} ms at most)`, slowest < SLEPT_MS);
    trial.refuses(`each of ${refusals} refusals has a unique id`, ids.size === refusals && !ids.has('undefined'));
    const others = await malformed(target, token);
    const codes = new Set(others.map(({ code, status }) => code ?? status));
    trial.refuses(
      `malformed calls: ${[...codes].join(', ')}`,
      others.every(({ status, text }) => status < 500 && !LEAKS.test(text)),
    );
  },
};

const FORMULAS = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '=cmd|calc', '\uff1d1+1'];

const formulas: Attack = {
  ids: ['D17'],
  title: 'names that a spreadsheet would evaluate, exported as CSV',
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
  title: 'a body of 30 MB, pages of a million rows, a range of ten years, 20 exports at once, slow search expressions',
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
    const profileOf = (from: string, to: string) => call('GET', `/reading/profile/lpa?meterId=${meter}&from=${from}&to=${to}`);
    trial.control('a range of a day is answered', (await profileOf('2025-01-01', '2025-01-01')).status === 200);
    const range = await profileOf('2015-01-01', '2025-01-01');
    trial.refuses(`a range of ten years: ${range.status} ${range.code}`, range.code === 'RANGE_TOO_LONG');
    // Sent once each: a retrying caller would succeed eventually.
    const order = () =>
      ask(target.base, '/api/export/meter', { method: 'POST', token, json: { format: 'csv', columns: ['sn', 'customerName', 'address'] } });
    const exports = await inParallel(20, 20, order);
    const [taken, busy] = [exports.filter(({ status }) => status < 300), exports.filter(({ code }) => code === 'RATE_LIMIT')];
    trial.refuses(
      `20 exports at once: ${taken.length} taken, ${busy.length} refused as too many`,
      busy.length > 0 && taken.length + busy.length === 20,
    );
    const body60k = await ask(target.base, '/api/manager/preference', {
      method: 'PUT',
      token,
      json: { key: 'columns:/assets/dcu', value: 'x'.repeat(900_000) },
    });
    trial.refuses(`a preference of 900 KB: ${body60k.status}`, body60k.status === 400 || body60k.status === 413);
    const slow = await call('GET', `/asset/meter?search=${encodeURIComponent(`${'a'.repeat(60)}!`)}`);
    trial.refuses(`a search made to be slow: ${slow.ms.toFixed(0)} ms`, slow.ms < 2_000);
  },
};

export const inputAttacks = [injection, formulas, limits, markup];
