import { connect, type Socket } from 'node:net';
import { chromium, type Page } from '@playwright/test';
import { LIVE_PROTOCOL, liveTicketProtocol } from '@hes/contract/core/live.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { newDataDir, removeDataDir, type HeadEnd } from '../../e2e/support/head-end.ts';
import { ensureBrowser } from '../lib/browser.mjs';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY, benchKey, signInMany } from './bench-users.ts';
import { fillArchive } from './fleet-archive.ts';
import { DCU_SN } from './fleet.ts';
import { startHeadEnd } from './head-end-process.ts';
import { quantile } from './interleaved.ts';
import { openScratchDatabase } from './scratch-database.ts';

const ROUNDS = 40;
const WARM_UP = 5;
const CLIENTS = 100;
const GATE_P95_MS = 150;
const SEEN_WITHIN_MS = 10_000;
const MASTER_KEY = Buffer.from(BENCH_MASTER_KEY, 'hex');
/** Consoles per user are limited, so the audience consists of several users. */
const USERS = 10;

const greeting = structure({ name: octetString, systemTitle: octetString, kind: unsigned });

/** Sends the identification of a DCU; the octets are written when this returns. */
function hello(port: number, sn: string): Socket {
  const body = encode(greeting, { name: Buffer.from(sn), systemTitle: new Uint8Array(8), kind: 0 });
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeNotification({ longInvokeId: 1, body })));
  return socket;
}

async function ticketOf(address: string, token: string): Promise<string> {
  const answer = await fetch(`${address}/api/auth/live-ticket`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { ticket: string }).ticket; // as: the route's answer
}

/** Clients in addition to the browser, as consoles of other operators; reports when the last of them has received a DCU's change. */
class Audience {
  readonly #clients: WebSocket[] = [];
  #heard = new Map<string, { count: number; at: number }>();

  async open(address: string, tokens: readonly string[]): Promise<void> {
    for (let n = 0; n < CLIENTS; n++) {
      const token = tokens[n % tokens.length] ?? '';
      const ticket = await ticketOf(address, token);
      const client = new WebSocket(`${address.replace('http', 'ws')}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(ticket)]);
      await new Promise((resolve, reject) => {
        client.addEventListener('open', resolve);
        client.addEventListener('error', reject);
      });
      client.send(JSON.stringify({ type: 'subscribe', topics: ['dcu'] }));
      client.addEventListener('message', ({ data }) => this.#hear(String(data)));
      this.#clients.push(client);
    }
  }

  #hear(text: string): void {
    const message = JSON.parse(text) as { type: string; id: string }; // as: messages of the head-end
    if (message.type !== 'dcu.status') return;
    const { count } = this.#heard.get(message.id) ?? { count: 0 };
    this.#heard.set(message.id, { count: count + 1, at: Date.now() });
  }

  /** Moment at which all clients had received the change; undefined if some have not. */
  heardAt(dcuId: string): number | undefined {
    const heard = this.#heard.get(dcuId);
    return heard !== undefined && heard.count >= CLIENTS ? heard.at : undefined;
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

/** Moment at which the row of a DCU was painted as online: the frame after the change of the document. */
const paintedAt = (page: Page, dcuId: string): Promise<number> =>
  page.evaluate(
    ({ id, limitMs }) =>
      new Promise<number>((resolve, reject) => {
        const isOnline = () => document.querySelector(`tr[data-row="${id}"]`)?.textContent?.includes('Online') === true;
        const observer = new MutationObserver(() => {
          if (!isOnline()) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
        });
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        setTimeout(() => reject(new Error('The browser did not show it in time')), limitMs);
      }),
    { id: dcuId, limitMs: SEEN_WITHIN_MS },
  );

/** W9: delay from a DCU coming online until it is painted in a browser, and received by a hundred clients. */
export async function w9() {
  const executablePath = await ensureBrowser({ node: process.execPath, env: process.env });
  const database = await openScratchDatabase();
  const dataDir = newDataDir('hes-bench-');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const audience = new Audience();
  const sockets: Socket[] = [];
  // Before the start of the head-end, because it reads the visibility of DCUs once.
  await fillArchive(database.pool, createSecrets(MASTER_KEY), { dcus: ROUNDS + WARM_UP, meters: ROUNDS + WARM_UP });
  const headEnd = await startHeadEnd({
    DATABASE_URL: database.url,
    HES_DATA_DIR: dataDir,
    HES_ADMIN_PASSWORD: BENCH_PASSWORD,
    HES_MASTER_KEY: BENCH_MASTER_KEY,
  });
  try {
    await database.pool.query('update collect_plan set enabled = false');
    const { rows: dcus } = await database.pool.query<{ id: string; sn: string }>('select id, sn from dcu order by sn');
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
    const page = await context.newPage();
    await signIn(page, { address: headEnd.address } as HeadEnd, { username: 'admin', password: BENCH_PASSWORD }); // as: the address is all it needs
    await page.goto(`${headEnd.address}/hes/assets/dcu?size=50&search=BENCH`);
    await page.locator('tr[data-row]').first().waitFor();
    const users = await signInMany(database.pool, openDb(database.pool, benchKey()), USERS);
    await audience.open(
      headEnd.address,
      users.map(({ token }) => token),
    );
    const browserMs: number[] = [];
    const clientsMs: number[] = [];
    for (const [round, dcu] of dcus.entries()) {
      if (dcu.sn !== DCU_SN(round + 1)) throw new Error('The DCUs are in the wrong order');
      const painted = paintedAt(page, dcu.id);
      const sentAt = Date.now();
      sockets.push(hello(headEnd.dlmsPort, dcu.sn));
      const at = await painted;
      while (audience.heardAt(dcu.id) === undefined && Date.now() - sentAt < SEEN_WITHIN_MS) await page.waitForTimeout(5);
      if (round < WARM_UP) continue;
      browserMs.push(at - sentAt);
      clientsMs.push((audience.heardAt(dcu.id) ?? Number.POSITIVE_INFINITY) - sentAt);
    }
    const browserP95Ms = quantile(browserMs, 0.95);
    const clientsP95Ms = quantile(clientsMs, 0.95);
    return {
      ratio: GATE_P95_MS / Math.max(browserP95Ms, clientsP95Ms),
      browserP50Ms: quantile(browserMs, 0.5),
      browserP95Ms,
      clientsP50Ms: quantile(clientsMs, 0.5),
      clientsP95Ms,
      clients: CLIENTS,
      rounds: ROUNDS,
    };
  } finally {
    audience.close();
    for (const socket of sockets) socket.destroy();
    await browser.close();
    await headEnd.stop();
    await database.stop();
    removeDataDir(dataDir);
  }
}
