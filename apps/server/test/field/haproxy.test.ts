import { once } from 'node:events';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { LIVE_PROTOCOL, liveTicketProtocol } from '@hes/contract/core/live.ts';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashPassword } from '../../src/platform/passwords.ts';
import { haproxyVersion, startHaProxy, type HaProxy } from '../balancer.ts';
import { sealAll, type TestUser } from '../test-app.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';
import { TinyDcu } from './tiny-dcu.ts';

const SOON = { timeout: 20_000, interval: 50 };
const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const PASSWORD = 'Quartz-River-77!x';
/** Address of devices and browsers, which is not that of the proxy. */
const FAR = '127.0.0.9';
const installed = haproxyVersion();

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Time between the two halves of the body. */
  pauseMs?: number;
}

describe.skipIf(installed === undefined)(
  installed === undefined ? 'behind HAProxy, which is not installed' : `two head-ends behind HAProxy ${installed}`,
  () => {
    let bench: ServerBench;
    let servers: [Server, Server];
    let proxy: HaProxy;
    let agent: Agent;
    beforeAll(async () => {
      bench = await serverBench();
      const env = {
        HES_PROXY_PROTOCOL: 'on',
        HES_PROXY_PROTOCOL_FROM: '127.0.0.1',
        HES_TRUSTED_PROXY: '127.0.0.1',
        HES_SECURE_COOKIES: 'on',
      };
      servers = [await bench.server('balanced-1', env), await bench.server('balanced-2', env)];
      const [first, second] = servers.map(({ base, dlmsPort }) => ({ httpPort: Number(base.split(':')[1]), dlmsPort }));
      // Shorter than the ten seconds between pings of the live socket, which only the time of tunnels then keeps open.
      const changes = { 'timeout client 60s': 'timeout client 3s', 'timeout server 75s': 'timeout server 5s' };
      if (first === undefined || second === undefined) throw new Error('There are two head-ends');
      proxy = await startHaProxy([first, second], changes);
      agent = new Agent({ keepAlive: true, ca: proxy.ca, servername: 'localhost', localAddress: FAR });
      await vi.waitFor(async () => expect((await send('/livez')).status).toBe(200), SOON);
    }, 120_000);
    afterAll(async () => {
      agent.destroy();
      await proxy.stop();
      await bench.close();
    });

    async function send(path: string, { method = 'GET', headers = {}, body = '', pauseMs = 0 }: Sent = {}) {
      const sent = request({
        agent,
        host: '127.0.0.1',
        port: Number(proxy.console.split(':')[1]),
        path,
        method,
        headers: { host: proxy.console, ...headers, ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
      });
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>; // as: the event of a response
      if (pauseMs > 0) {
        sent.write(body.slice(0, 1));
        await wait(pauseMs);
      }
      sent.end(pauseMs > 0 ? body.slice(1) : body);
      const [answer] = await answered;
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      return { status: answer.statusCode ?? 0, text, headers: answer.headers };
    }
    const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
    const ticketOf = async (user: TestUser) => {
      const { text } = await send('/api/auth/live-ticket', { method: 'POST', headers: bearer(user) });
      return (JSON.parse(text) as { ticket: string }).ticket; // as: the route's answer
    };
    async function openSocket(user: TestUser): Promise<WebSocket> {
      const socket = new WebSocket(`wss://${proxy.console}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(await ticketOf(user))], {
        origin: `https://${proxy.console}`,
        ca: proxy.ca,
      });
      await once(socket, 'open');
      return socket;
    }
    const answerOf = async (socket: WebSocket) => {
      socket.send('ping');
      return String(((await once(socket, 'message')) as [Buffer])[0]); // as: a text of the live socket
    };

    /** A DCU far away, which connects again whenever its connection is closed. */
    async function roaming(sn: string, meters: Awaited<ReturnType<ServerBench['register']>>['meters']): Promise<void> {
      const socket = connect({ port: proxy.dlmsPort, host: '127.0.0.1', localAddress: FAR, noDelay: true });
      socket.once('close', () => isRoaming && setTimeout(() => void roaming(sn, meters), 100));
      const dcu = new TinyDcu(socket, sn, meters);
      dcu.identify(sn, 0);
      roamers.push(dcu);
    }
    let isRoaming = true;
    const roamers: TinyDcu[] = [];
    afterAll(() => {
      isRoaming = false;
      for (const dcu of roamers) dcu.close();
    });
    const holderOf = async (sn: string) => {
      const { rows } = await bench.database.pool.query<{ name: string; remote: string }>(
        `select n.name, s.remote from dcu_session s join node n on n.id = s.node_id where s.claimed_name = $1 and s.closed_at is null`,
        [sn],
      );
      return rows[0];
    };

    test('a sign-in through TLS is audited with the address of the browser, whatever header it sends', async () => {
      const user = await bench.app.addUser({ roles: ['ADMIN'] });
      const { username } = await bench.app.ctx.db
        .updateTable('appUser')
        .set({ passwordHash: await hashPassword(PASSWORD) })
        .where('id', '=', user.id)
        .returning('username')
        .executeTakeFirstOrThrow();
      await sealAll(bench.app.ctx);
      const { slider } = JSON.parse((await send('/api/white/list/api')).text) as { slider: { nonce: string } }; // as: the route's answer
      const form = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD, slider: slider.nonce });
      const signedIn = await send('/api/auth/oauth2/token', {
        method: 'POST',
        headers: {
          authorization: CLIENT,
          'content-type': 'application/x-www-form-urlencoded',
          origin: `https://${proxy.console}`,
          'x-forwarded-for': '203.0.113.7',
        },
        body: String(form),
      });
      expect(signedIn.status).toBe(200);
      expect(String(signedIn.headers['set-cookie'])).toContain('__Host-');
      const { rows } = await bench.database.pool.query('select ip from audit_log where user_id = $1', [user.id]);
      expect(rows).toEqual([{ ip: FAR }]);
    });

    test('HTTP leads to TLS', async () => {
      const sent = plainRequest({ host: '127.0.0.1', port: proxy.plainPort, path: '/hes/', headers: { host: 'localhost' } }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // as: the event of a response
      answer.resume();
      expect([answer.statusCode, answer.headers.location]).toEqual([301, 'https://localhost/hes/']);
    });

    test('a live socket stays open beyond the time limits of requests', async () => {
      const socket = await openSocket(await bench.app.addUser({ roles: ['OPERATOR'] }));
      await wait(6_500);
      expect(await answerOf(socket)).toBe('pong');
      socket.terminate();
    });

    test('browsers speak HTTP/2, and open the live socket in it', async () => {
      const ticket = await ticketOf(await bench.app.addUser({ roles: ['OPERATOR'] }));
      const session: ClientHttp2Session = connectHttp2(`https://${proxy.console}`, { ca: proxy.ca });
      await once(session, 'remoteSettings');
      expect(session.alpnProtocol).toBe('h2');
      expect(session.remoteSettings.enableConnectProtocol).toBe(true);
      const stream = session.request({
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':path': '/api/websocket',
        origin: `https://${proxy.console}`,
        'sec-websocket-version': '13',
        'sec-websocket-protocol': `${LIVE_PROTOCOL}, ${liveTicketProtocol(ticket)}`,
      });
      const [head] = (await once(stream, 'response')) as [Record<string, unknown>]; // as: the event of a response
      expect(head[':status']).toBe(200);
      // Frames of RFC 6455: a masked text with a mask of zeros, and its answer.
      stream.write(Buffer.concat([Buffer.of(0x81, 0x84, 0, 0, 0, 0), Buffer.from('ping')]));
      const [answer] = (await once(stream, 'data')) as [Buffer]; // as: octets of the stream
      expect(answer).toEqual(Buffer.concat([Buffer.of(0x81, 4), Buffer.from('pong')]));
      session.destroy();
    });

    test('devices spread over both head-ends with their true addresses, and requests go on while one of them leaves', async () => {
      const devices = await Promise.all(['BALANCED1', 'BALANCED2'].map(async (sn) => ({ sn, ...(await bench.register(sn, 1)) })));
      for (const { sn, meters } of devices) {
        await roaming(sn, meters);
        await vi.waitFor(async () => expect(await holderOf(sn)).toBeDefined(), SOON);
      }
      const holders = await Promise.all(devices.map(({ sn }) => holderOf(sn)));
      expect(holders.map((holder) => holder?.remote.split(':')[0])).toEqual([FAR, FAR]);
      expect(holders.map((holder) => holder?.name ?? '').toSorted()).toEqual(['balanced-1', 'balanced-2']);

      const [leaving] = servers;
      const user = await bench.app.addUser({ roles: ['ADMIN'] });
      const socket = await openSocket(user);
      let isOver = false;
      const statuses: number[] = [];
      const reader = async () => {
        for (; !isOver; await wait(20)) statuses.push((await send('/livez')).status);
      };
      const writer = async () => {
        for (; !isOver; await wait(250))
          statuses.push((await send('/api/auth/live-ticket', { method: 'POST', headers: bearer(user) })).status);
      };
      const slow = Array.from({ length: 4 }, () =>
        send('/api/manager/node/999999/drain', {
          method: 'POST',
          headers: { ...bearer(user), 'content-type': 'application/json' },
          body: '{}',
          pauseMs: 2_500,
        }),
      );
      const callers = [reader(), reader(), reader(), writer()];
      await leaving.stop({ drains: true });
      for (const { status } of await Promise.all(slow)) expect(status).toBe(404);
      await wait(500);
      isOver = true;
      await Promise.all(callers);
      expect(statuses.length).toBeGreaterThan(50);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      socket.terminate();

      await vi.waitFor(async () => {
        const now = await Promise.all(devices.map(({ sn }) => holderOf(sn)));
        expect(now.map((holder) => holder?.name)).toEqual(['balanced-2', 'balanced-2']);
      }, SOON);
    }, 90_000);
  },
);
