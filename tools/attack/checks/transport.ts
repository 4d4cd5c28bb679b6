/** Attacks on connections, headers, origins and TLS. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as requestTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { OWNER_ROLE } from '../../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../../apps/server/src/db/embedded/database-key.ts';
import type { HeadEnd } from '../../../e2e/support/head-end.ts';
import { postmasterOf } from '../database-login.ts';
import { within, withProduct, type Attacked } from '../attacked.ts';
import type { Attack, Trial } from '../check.ts';
import { ask, guess, refresh } from '../client.ts';
import { hello, openLine } from '../lines.ts';

const CERTIFICATES = path.resolve(import.meta.dirname, '../../../apps/server/test/field/certificates');
const OLD_TLS = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
const YEAR_S = 31_536_000;
const EVIL = 'http://evil.example';

/** Writes text on a new connection from an address; resolves with the socket. */
async function writeRaw(target: Attacked, text: string, localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(target.base);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(text);
  return socket;
}

const rawStatus = async (target: Attacked, head: string): Promise<string> => {
  const socket = await writeRaw(target, head, '127.0.0.1');
  const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
  socket.destroy();
  return String(chunk).split(' ')[1] ?? 'closed';
};

const halfBodies: Attack = {
  ids: ['F19'],
  title: '200 requests whose bodies never end, and 700 connections from one address',
  async attempt(target, trial) {
    const head = 'POST /api/auth/oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
    const began = performance.now();
    const halves = await Promise.all(Array.from({ length: 200 }, () => writeRaw(target, head, '127.11.0.1')));
    const many = await Promise.all(Array.from({ length: 700 }, () => writeRaw(target, '', '127.11.0.2')));
    await wait(2_000);
    const left = many.filter((socket) => !socket.destroyed && !socket.closed).length;
    trial.refuses(`${left} of 700 connections of one address are kept`, left <= 500);
    trial.control('another address is served meanwhile', (await ask(target.base, '/api/health', { from: '127.11.0.3' })).status === 200);
    const isOver = await within(45_000, async () => halves.every((socket) => socket.closed));
    trial.refuses(`all unfinished requests are closed after ${((performance.now() - began) / 1000).toFixed(0)} s`, isOver);
    for (const socket of [...halves, ...many]) socket.destroy();
  },
};

/** The close reason of the last DLMS connection: an unregistered DCU is disconnected even if TLS is optional. */
async function lastCloseDetail(dataDir: string): Promise<string> {
  const password = databaseKey(dataDir).passwordOf(OWNER_ROLE);
  const client = new Client({ host: postmasterOf(dataDir).socketDir, database: 'postgres', user: OWNER_ROLE, password });
  await client.connect();
  try {
    let detail = '';
    await within(10_000, async () => {
      const { rows } = await client.query<{ detail: string | null }>(
        'select close_detail as detail from dcu_session order by id desc limit 1',
      );
      detail = rows[0]?.detail ?? '';
      return detail !== '';
    });
    return detail;
  } finally {
    await client.end();
  }
}

/** Attacks the DLMS port of a head-end that requires TLS: in the clear, with a foreign certificate, and with that of a DCU. */
async function attackDlmsTls({ dataDir }: HeadEnd, port: number, trial: Trial): Promise<void> {
  const file = (name: string) => readFileSync(path.join(CERTIFICATES, name));
  const plain = await openLine({ host: '127.0.0.1', port });
  let received = 0;
  plain.on('data', (octets: Buffer) => (received += octets.length));
  plain.write(hello('DCU27000001'));
  await Promise.race([once(plain, 'close'), wait(10_000)]);
  const why = await lastCloseDetail(dataDir);
  trial.refuses(
    `an identification without TLS is disconnected (${received} octets received): ${why}`,
    plain.destroyed && received === 0 && /TLS with a client certificate is required/.test(why),
  );
  const dial = async (name: string | undefined, more: object = {}) => {
    const keys = name === undefined ? {} : { cert: file(`${name}.crt`), key: file(`${name}.key`) };
    const socket = connectTls({ host: '127.0.0.1', port, ca: file('ca.crt'), checkServerIdentity: () => undefined, ...keys, ...more });
    socket.on('error', () => undefined);
    socket.resume();
    // `once` of events would reject: a refused handshake emits an error before it closes.
    const closed = new Promise<boolean>((done) => socket.once('close', () => done(true)));
    const isClosed = await Promise.race([closed, wait(2_000).then(() => false)]);
    const is = socket.getProtocol();
    socket.destroy();
    return isClosed ? 'closed' : is;
  };
  const genuine = await dial('DCU27000001');
  trial.control(`a DCU with its certificate is connected (${genuine})`, genuine === 'TLSv1.3' || genuine === 'TLSv1.2');
  trial.refuses('without a certificate', (await dial(undefined)) === 'closed');
  trial.refuses('with a certificate of another authority', (await dial('stranger')) === 'closed');
  trial.refuses('with TLS 1.1', (await dial('DCU27000001', OLD_TLS)) === 'closed');
}

/** A call over TLS with the product's own certificate. */
const askTls = (port: number, at: string, options: object = {}): Promise<{ status: number; headers: Record<string, unknown> }> =>
  new Promise((done, fail) => {
    requestTls({ host: '127.0.0.1', port, path: at, rejectUnauthorized: false, ...options }, (answer) => {
      answer.resume();
      answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers }));
    })
      .on('error', fail)
      .end();
  });

const tls: Attack = {
  ids: ['F23', 'D21'],
  title: 'a product with its own TLS: HTTP in the clear, TLS 1.1, and the DLMS port without and with certificates',
  async attempt(_target, trial) {
    const env = {
      HES_TLS: 'self-signed',
      HES_DLMS_TLS: 'required',
      HES_DLMS_TLS_CERT: path.join(CERTIFICATES, 'head-end.crt'),
      HES_DLMS_TLS_KEY: path.join(CERTIFICATES, 'head-end.key'),
      HES_DLMS_TLS_CA: path.join(CERTIFICATES, 'ca.crt'),
    };
    await withProduct(env, async (own, dlmsPort) => {
      const answer = await askTls(own.port, '/hes/');
      trial.control(`the console is served over TLS (${answer.status})`, answer.status === 200);
      const hsts = String(answer.headers['strict-transport-security']);
      const seconds = Number(/max-age=(\d+)/.exec(hsts)?.[1]);
      trial.refuses(`HSTS: ${hsts}`, seconds >= YEAR_S && hsts.includes('includeSubDomains'));
      const clear = await ask(own.address, '/api/health').then(
        ({ status }) => status,
        () => 0,
      );
      trial.refuses(`HTTP in the clear: ${clear === 0 ? 'closed' : clear}`, clear === 0 || clear >= 400);
      const old = await askTls(own.port, '/hes/', OLD_TLS).then(
        () => 'answered',
        () => 'refused',
      );
      trial.refuses(`TLS 1.1: ${old}`, old === 'refused');
      await attackDlmsTls(own, dlmsPort, trial);
    });
  },
};

const crossSite: Attack = {
  ids: ['D13'],
  title: 'calls of a foreign page: other origins and null, forms in place of JSON, preflights',
  isShort: true,
  async attempt(target, trial) {
    const { token, cookies } = await target.signIn('victim.refresh', '127.12.0.1');
    for (const origin of [EVIL, 'null', target.base.replace(/\d+$/, '1')]) {
      const { status } = await refresh(target.base, cookies, { origin });
      trial.refuses(`refresh from ${origin}: ${status}`, status === 403);
    }
    trial.control('refresh from the own origin', (await refresh(target.base, cookies, { origin: target.base })).status === 200);
    const form = await ask(target.base, '/api/manager/user/me', { method: 'PUT', token, form: { name: 'By a form' } });
    const text = await ask(target.base, '/api/manager/user/me', {
      method: 'PUT',
      token,
      octets: Buffer.from('{"name":"By text"}'),
      headers: { 'content-type': 'text/plain' },
    });
    trial.refuses(`a form ${form.status} and plain text ${text.status} for a JSON route`, form.status >= 400 && text.status >= 400);
    const preflight = await ask(target.base, '/api/manager/user/me', {
      method: 'OPTIONS',
      headers: { origin: EVIL, 'access-control-request-method': 'PUT' },
    });
    trial.refuses(`a preflight: ${preflight.status}, no origin allowed`, preflight.headers['access-control-allow-origin'] === undefined);
    const strict =
      (await guess(target.base, { username: 'victim.refresh', password: target.password, from: '127.12.0.1' })).headers['set-cookie'] ?? [];
    trial.refuses(
      `${strict.length} cookies are HttpOnly and SameSite=Strict`,
      strict.length > 0 && strict.every((cookie) => /httponly/i.test(cookie) && /samesite=strict/i.test(cookie)),
    );
  },
};

const headers: Attack = {
  ids: ['D14'],
  title: 'pages, files and API answers that could be framed, sniffed or filled with foreign scripts',
  isShort: true,
  async attempt(target, trial) {
    const { token } = await target.session('operator');
    const page = await ask(target.base, '/hes/');
    trial.control(`the console is served (${page.status})`, page.status === 200);
    const csp = String(page.headers['content-security-policy']);
    for (const part of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"])
      trial.refuses(part, csp.split('; ').includes(part));
    const lists = ['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src', 'manifest-src'];
    trial.refuses(
      `separate lists: ${lists.join(', ')}`,
      lists.every((name) => csp.includes(`${name} 'self'`)),
    );
    trial.refuses('no foreign host is allowed', !/https?:|\*/.test(csp));
    trial.refuses('no unsafe source', !/unsafe-inline|unsafe-eval/.test(csp));
    const asset = /\/hes\/assets\/[\w.-]+\.js/.exec(page.text)?.[0] ?? '/hes/';
    for (const at of [
      '/hes/',
      asset,
      '/api/health',
      '/api/manager/user/me',
      '/api/no/such/thing',
      '/no-such-page',
      '/hes/../../etc/passwd',
    ]) {
      const answer = await ask(target.base, at, { token });
      const isRedirect = answer.status >= 300 && answer.status < 400;
      trial.refuses(`${at.slice(0, 30)}: nosniff`, isRedirect || answer.headers['x-content-type-options'] === 'nosniff');
      // Assets of a page name no addresses, and deliberately lack this header.
      if (at !== asset) trial.refuses(`${at}: no referrer`, isRedirect || answer.headers['referrer-policy'] === 'no-referrer');
      const own = String(answer.headers['content-security-policy']);
      trial.refuses(
        `${at}: framed by no page, and nothing by default`,
        isRedirect || (own.includes("frame-ancestors 'none'") && own.includes("default-src 'none'")),
      );
    }
  },
};

const hostHeader: Attack = {
  ids: ['D30'],
  title: 'foreign and doubled Host headers, and forwarded host names',
  isShort: true,
  async attempt(target, trial) {
    const { host } = new URL(target.base);
    const own = await rawStatus(target, `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    trial.control(`one Host header: ${own}`, own === '200');
    const two = await rawStatus(target, `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
    trial.refuses(`two of them: ${two}`, two === '400');
    const texts = await Promise.all(
      ['/hes/', '/api/white/list/api', '/'].map((at) =>
        ask(target.base, at, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } }),
      ),
    );
    const isReflected = texts.some(({ text, headers: sent }) => `${text}${JSON.stringify(sent)}`.includes('evil.example'));
    trial.refuses('a foreign host appears in no response', !isReflected);
  },
};

const small: Attack = {
  ids: ['F26'],
  title: 'the interface without signing in, a forged session secret, a preference of 2,600 nested objects, invisible letters in names',
  isShort: true,
  async attempt(target, trial) {
    const { token, cookies } = await target.signIn('victim.refresh', '127.13.0.1');
    const open = await ask(target.base, '/api/openapi.json');
    trial.refuses(`openapi.json without a token: ${open.status}`, open.status === 401);
    trial.control('with one', (await ask(target.base, '/api/openapi.json', { token })).status === 200);
    const said = `${(await ask(target.base, '/api/health')).text}${(await ask(target.base, '/api/white/list/api')).text}`;
    trial.refuses('no version is disclosed', !/version/i.test(said));
    const manifest = await ask(target.base, '/hes/.vite/manifest.json');
    trial.refuses(`the manifest of the build: ${manifest.status}`, manifest.status === 404);
    const sessionId = /refresh=([0-9a-f-]{36})/.exec(cookies)?.[1] ?? '';
    await ask(target.base, '/api/auth/oauth2/revoke', { method: 'POST', cookies: `hes_refresh=${sessionId}.${'A'.repeat(43)}` });
    trial.refuses('a forged secret ends no session', (await ask(target.base, '/api/manager/user/me', { token })).status === 200);
    let nested: unknown = 1;
    for (let n = 0; n < 2_600; n++) nested = { a: nested };
    const deep = await target.calls(token)('PUT', '/manager/preference', { key: 'columns:/assets/dcu', value: nested });
    trial.refuses(`2,600 nested objects: ${deep.status}`, deep.status === 400);
    const admin = await target.as('admin');
    for (const name of ['Two\r\nlines', 'Zero\u200bwidth', 'Right\u202eleft']) {
      const { status } = await admin('POST', '/asset/supplier', { code: 'ATTACKNAME', name });
      trial.refuses(`name ${JSON.stringify(name)}: ${status}`, status === 400);
    }
  },
};

const demonstration: Attack = {
  ids: ['F25'],
  title: 'the control API of the simulator without its secret, and the demonstration on a server that other machines reach',
  async attempt(target, trial) {
    const { controlAddress } = target.headEnd;
    trial.control('the control API accepts its secret', Array.isArray((await target.control('GET', '/dcu')).connected));
    for (const authorization of [undefined, 'Bearer wrong', 'Basic OjE=']) {
      const { status } = await ask(controlAddress, '/world', authorization === undefined ? {} : { headers: { authorization } });
      trial.refuses(`with ${authorization ?? 'nothing'}: ${status}`, status === 401);
    }
    // The DLMS port is open to other machines during this check; the database behind it is empty.
    await withProduct({ HES_DEMO: 'auto', HES_DLMS_HOST: '0.0.0.0' }, async (own) => {
      await wait(2_000);
      trial.refuses(
        'a product that other machines reach starts no demonstration by default',
        !own.output().includes('Starting the demonstration'),
      );
    });
    await withProduct({ HES_DEMO: 'auto' }, async (own) => {
      trial.control('on loopback it does', await within(10_000, async () => own.output().includes('Starting the demonstration')));
    });
  },
};

export const transportAttacks = [halfBodies, tls, crossSite, headers, hostHeader, small, demonstration];
