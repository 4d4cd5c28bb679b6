import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { LIVE_PROTOCOL, liveTicketProtocol } from '@hes/contract/core/live.ts';
import { WebSocket } from 'ws';
import { selfSigned } from '../../../apps/server/src/platform/certificate.ts';
import { freePort, waitForPort } from '../../../apps/server/test/free-port.ts';
import { insist, type Check } from './check.ts';
import { ADMIN, startInstalled, unpackChecked, type Installed } from './installed.ts';

const DAY_MS = 86_400_000;
const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
/** Address of the browser. It is not that of the proxy, and not the one that the browser claims. */
const BROWSER = '127.0.0.9';
const CLAIMED = '203.0.113.7';

interface Ports {
  plain: number;
  tls: number;
  /** For devices. */
  dlms: number;
  /** The head-end. */
  head: number;
}

interface Proxy {
  name: string;
  program: string;
  /** Shipped configuration, below the tree, and what is replaced in it for this machine. */
  shipped: string;
  changes(ports: Ports, certificate: { cert: string; key: string; pem: string }): Readonly<Record<string, string>>;
  /** Surroundings of a configuration that the package of the proxy usually includes. */
  around?(text: string, folder: string): string;
  start(file: string): readonly string[];
  env?(ports: Ports): Readonly<Record<string, string>>;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    shipped: 'deploy/nginx/hes.conf',
    changes: ({ plain, tls, head }, { cert, key }) => ({
      'listen 443 ssl': `listen 127.0.0.1:${tls} ssl`,
      'listen 80': `listen 127.0.0.1:${plain}`,
      '/etc/hes/chain.pem': cert,
      '/etc/hes/key.pem': key,
      'http://127.0.0.1:8080': `http://127.0.0.1:${head}`,
    }),
    around: (text, folder) => `pid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${text}\n}\n`,
    start: (file) => ['-c', file, '-g', 'daemon off;'],
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    shipped: 'deploy/haproxy/haproxy.cfg',
    changes: ({ plain, tls, dlms, head }, { pem }) => ({
      'bind :80\n': `bind 127.0.0.1:${plain}\n`,
      'bind :443 ssl crt /etc/haproxy/hes.pem': `bind 127.0.0.1:${tls} ssl crt ${pem}`,
      'bind :4059\n': `bind 127.0.0.1:${dlms}\n`,
      'maxconn 50000': 'maxconn 200',
      '10.0.0.11:8080': `127.0.0.1:${head}`,
      '  server head-2 10.0.0.12:8080\n': '',
      '  server head-2 10.0.0.12:4059 send-proxy-v2 check port 8080\n': '',
    }),
    start: (file) => ['-db', '-f', file],
  },
  {
    name: 'Caddy',
    program: 'caddy',
    shipped: 'deploy/compose/Caddyfile',
    changes: ({ tls }, { cert, key }) => ({
      '{$HES_NAME} {': `{\n\tadmin off\n\tauto_https off\n}\n\nhttps://localhost:${tls} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
    }),
    start: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    env: ({ head }) => ({ HES_UPSTREAM: `127.0.0.1:${head}` }),
  },
];

interface RunningProxy {
  tls: number;
  ca: string;
  stop(): Promise<void>;
}

function adapt(text: string, changes: Readonly<Record<string, string>>): string {
  let adapted = text;
  for (const [from, to] of Object.entries(changes)) {
    insist(text.includes(from), `The shipped configuration does not hold "${from}"`);
    adapted = adapted.replaceAll(from, to);
  }
  return adapted;
}

async function startProxy(proxy: Proxy, tree: string, folder: string, head: number): Promise<RunningProxy> {
  const { cert, key } = selfSigned(['localhost'], Date.now() - DAY_MS, Date.now() + DAY_MS);
  mkdirSync(folder, { recursive: true });
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem'), pem: path.join(folder, 'both.pem') };
  for (const [file, content] of [
    [files.cert, cert],
    [files.key, key],
    [files.pem, cert + key],
  ] as const)
    writeFileSync(file, content, { mode: 0o600 });
  const ports = { plain: await freePort(), tls: await freePort(), dlms: await freePort(), head };
  const text = adapt(readFileSync(path.join(tree, proxy.shipped), 'utf8'), proxy.changes(ports, files));
  const config = path.join(folder, 'proxy.conf');
  writeFileSync(config, proxy.around?.(text, folder) ?? text);
  const env = { PATH: process.env['PATH'], HOME: folder, ...proxy.env?.(ports) };
  const child: ChildProcess = spawn(proxy.program, [...proxy.start(config)], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let last = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (said: string) => (last = (last + said).slice(-2000)));
  const ended = once(child, 'exit');
  await waitForPort(child, ports.tls).catch((error: unknown) => {
    throw new Error(`${proxy.name} does not listen: ${last}`, { cause: error });
  });
  return {
    tls: ports.tls,
    ca: cert,
    async stop() {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(killer);
    },
  };
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function send({ tls, ca }: RunningProxy, place: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  const host = `localhost:${tls}`;
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { host: '127.0.0.1', port: tls, servername: 'localhost', ca, localAddress: BROWSER, path: place, method, agent: false };
  const sent = request({ ...options, headers: { host, origin: `https://${host}`, 'x-forwarded-for': CLAIMED, ...length, ...headers } });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>; // as: the event of a response
  sent.end(body);
  const [answer] = await answered;
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, text, headers: answer.headers };
}

async function signIn(proxy: RunningProxy): Promise<string> {
  const { slider } = JSON.parse((await send(proxy, '/api/white/list/api')).text) as { slider: { nonce: string } }; // as: the route's answer
  const form = new URLSearchParams({ grant_type: 'password', ...ADMIN, slider: slider.nonce });
  const headers = { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await send(proxy, '/api/auth/oauth2/token', { method: 'POST', headers, body: String(form) });
  insist(answer.status === 200, `The sign-in was refused: ${answer.status} ${answer.text}`);
  insist(String(answer.headers['set-cookie']).includes('__Host-'), 'The cookie is not bound to the host by TLS');
  return (JSON.parse(answer.text) as { access_token: string }).access_token; // as: the route's answer
}

async function askLiveSocket(proxy: RunningProxy, token: string): Promise<void> {
  const authorization = `Bearer ${token}`;
  const { text, status } = await send(proxy, '/api/auth/live-ticket', { method: 'POST', headers: { authorization } });
  insist(status === 200, `No ticket for the live socket: ${status} ${text}`);
  const { ticket } = JSON.parse(text) as { ticket: string }; // as: the route's answer
  const host = `localhost:${proxy.tls}`;
  const socket = new WebSocket(`wss://${host}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(ticket)], {
    origin: `https://${host}`,
    ca: proxy.ca,
  });
  await once(socket, 'open');
  socket.send('ping');
  const [answer] = (await once(socket, 'message')) as [Buffer]; // as: a text of the live socket
  socket.terminate();
  insist(String(answer) === 'pong', 'The live socket does not answer');
}

async function checkBehind(proxy: RunningProxy, head: Installed): Promise<void> {
  const page = await send(proxy, '/hes/login');
  insist(page.status === 200 && page.text.includes('<script'), `The console is not served: ${page.status}`);
  insist(page.headers['strict-transport-security'] !== undefined, 'The console sends no HSTS');
  await askLiveSocket(proxy, await signIn(proxy));
  const [row] = await head.rows<{ ip: string }>('select ip::text from audit_log where ip is not null order by id desc limit 1');
  insist(row?.ip.split('/')[0] === BROWSER, `The audit log has the address ${row?.ip}, and the browser has ${BROWSER}`);
}

export const proxyChecks: readonly Check[] = PROXIES.map((proxy) => ({
  name: `${proxy.name}: console by TLS, live socket, address of the browser in the audit log`,
  needs: [proxy.program],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const folder = path.join(checked.scratch, proxy.program);
    const settings = { HES_SECURE_COOKIES: 'on', HES_TRUSTED_PROXY: '127.0.0.1' };
    const head = await startInstalled(tree, path.join(folder, 'data'), settings);
    try {
      const running = await startProxy(proxy, tree, folder, head.port);
      try {
        await checkBehind(running, head);
      } finally {
        await running.stop();
      }
    } finally {
      await head.stop();
    }
  },
}));
