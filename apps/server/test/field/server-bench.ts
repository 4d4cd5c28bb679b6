import { once } from 'node:events';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { WebSocket } from 'ws';
import { startServer, type RunningServer } from '../../src/composition/server.ts';
import { listMigrations, type Migration } from '../../src/db/migration.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import type { TestDatabase } from '../database.ts';
import { openLive } from '../live-socket.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { TEST_MASTER_KEY } from '../master-key.ts';
import { fieldBench, type Bench } from './field-bench.ts';
import { TinyDcu, type TinyMeter } from './tiny-dcu.ts';

/** A console of one server. */
export interface Console {
  socket: WebSocket;
  messages: LiveMessage[];
  /** Subscribes, and returns when the server has done so. */
  follow(...topics: string[]): Promise<void>;
}

/** The whole product, as one of several on a database. */
export interface Server extends RunningServer {
  /** Host and port of its console. */
  base: string;
  name: string;
  dial(sn: string, meters: TinyMeter[]): TinyDcu;
  console(user: TestUser): Promise<Console>;
  call(user: TestUser, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

/** Several servers of one database. `app` is none of them: it makes users and looks into the database. */
export interface ServerBench extends Bench {
  app: TestApp;
  /** `settings` are added to the environment of the server. `migrations`: those that its version knows. */
  server(name: string, settings?: Record<string, string>, migrations?: readonly Migration[]): Promise<Server>;
}

async function openConsole(base: string, user: TestUser): Promise<Console> {
  const socket = await openLive(base, user.token);
  const messages: LiveMessage[] = [];
  const pongs: (() => void)[] = [];
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text === 'pong') pongs.shift()?.();
    else messages.push(JSON.parse(text) as LiveMessage); // as: the server's own message
  });
  await once(socket, 'open');
  return {
    socket,
    messages,
    async follow(...topics) {
      const pong = new Promise<void>((resolve) => pongs.push(resolve));
      socket.send(JSON.stringify({ type: 'subscribe', topics }));
      socket.send('ping');
      await pong;
    },
  };
}

export async function serverBench(database?: TestDatabase): Promise<ServerBench> {
  const bench = await fieldBench(database);
  const app = await testApp({ database: bench.database, hasWorkers: false });
  const closing: (() => Promise<void> | void)[] = [];

  async function server(
    name: string,
    settings: Record<string, string> = {},
    migrations: readonly Migration[] = listMigrations(),
  ): Promise<Server> {
    const dataDir = scratchFolder('hes-server-');
    const config = readConfig(
      {
        DATABASE_URL: bench.database.url,
        HES_DATABASE_OWNER_URL: bench.database.ownerUrl,
        HES_MASTER_KEY: TEST_MASTER_KEY.toString('hex'),
        HES_DATA_DIR: dataDir,
        HES_NODE_NAME: name,
        HES_PORT: '0',
        HES_DLMS_PORT: '0',
        HES_DIAL_LOCAL: 'on',
        HES_DEMO: 'off',
        ...settings,
      },
      dataDir,
    );
    const running = await startServer(config, createLog('error'), () => undefined, migrations);
    const base = new URL(running.url).host;
    let stopped: Promise<void> | undefined;
    const stop: RunningServer['stop'] = (how) => (stopped ??= running.stop(how));
    closing.push(async () => {
      await stop();
      removeScratch(dataDir);
    });
    return {
      ...running,
      stop,
      base,
      name,
      dial(sn, meters) {
        const dcu = new TinyDcu(running.dlmsPort, sn, meters);
        closing.push(() => dcu.close());
        return dcu;
      },
      async console(user) {
        const opened = await openConsole(base, user);
        closing.push(() => opened.socket.terminate());
        return opened;
      },
      async call(user, method, path, body) {
        const headers = { authorization: `Bearer ${user.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
        const answer = await fetch(`http://${base}/api${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
      },
    };
  }

  return {
    ...bench,
    app,
    server,
    async close() {
      for (const close of closing.toReversed()) await close();
      await app.close();
      await bench.close();
    },
  };
}
