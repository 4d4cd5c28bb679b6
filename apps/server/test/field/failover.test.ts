import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import { haproxyVersion } from '../balancer.ts';
import { freePort, waitForPort } from '../free-port.ts';
import { installPostgres, openPrepared, postgresPrograms, runStatements, type InstalledPostgres } from '../installed-postgres.ts';
import { sampleParams } from '../sample-params.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';
import type { TinyDcu } from './tiny-dcu.ts';

const programs = postgresPrograms();
const isUsable = programs !== undefined && haproxyVersion() !== undefined;
/** Skipped by this name where something is missing. */
const NAME = isUsable
  ? `behind HAProxy ${haproxyVersion()}`
  : 'behind HAProxy, which needs haproxy and the programs of PostgreSQL (HES_TEST_POSTGRES_BIN)';
const SOON = { timeout: 40_000, interval: 100 };
const METERS = 8;

/** Answers `GET /primary` as Patroni does: 200 while the server of this address accepts writes. */
async function startPrimaryCheck(node: InstalledPostgres): Promise<{ port: number; stop(): void }> {
  const pool = openPool({ connection: { url: node.urlOf('postgres') }, max: 1 }, createLog('silent'));
  const server: HttpServer = createServer((_, answer) => {
    pool.query<{ standby: boolean }>('select pg_is_in_recovery() as standby').then(
      ({ rows }) => answer.writeHead(rows[0]?.standby === false ? 200 : 503).end(),
      () => answer.writeHead(503).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop() {
      server.closeAllConnections();
      server.close();
      void pool.end();
    },
  };
}

describe.skipIf(!isUsable)(`a failover of the database ${NAME}`, () => {
  const folders = ['primary', 'standby', 'proxy'].map((name) => scratchFolder(`hes-failover-${name}-`));
  const [primaryFolder = '', standbyFolder = '', proxyFolder = ''] = folders;
  let nodes: InstalledPostgres[];
  let checks: { port: number; stop(): void }[];
  let proxy: ChildProcess;
  let opened: Awaited<ReturnType<typeof openPrepared>>;
  let bench: ServerBench;
  let server: Server;
  let dcu: TinyDcu;
  const closing: (() => unknown)[] = [];
  let placed: Awaited<ReturnType<ServerBench['register']>>;

  async function startProxy(): Promise<number> {
    const port = await freePort();
    const file = join(proxyFolder, 'haproxy.cfg');
    const lines = nodes.map((node, k) => `  server node${k} 127.0.0.1:${node.port} check port ${checks[k]?.port}`);
    writeFileSync(
      file,
      `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen postgresql
  bind 127.0.0.1:${port}
  timeout check 5s
  option httpchk GET /primary
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`,
    );
    proxy = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
    await waitForPort(proxy, port);
    return port;
  }

  beforeAll(async () => {
    const primary = await installPostgres(programs ?? '', primaryFolder, { settings: { wal_level: 'replica', hot_standby: 'on' } });
    await primary.start();
    closing.push(() => primary.kill().catch(() => undefined));
    await runStatements(primary.urlOf('postgres'), 'create database hes');
    const standby = await installPostgres(programs ?? '', standbyFolder, { copyOf: primary });
    await standby.start();
    closing.push(() => standby.kill().catch(() => undefined));
    // No commit is acknowledged that only the lost machine had.
    await runStatements(primary.urlOf('postgres'), "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()');
    nodes = [primary, standby];
    checks = await Promise.all(nodes.map(startPrimaryCheck));
    closing.push(() => checks.forEach((check) => check.stop()));
    const port = await startProxy();
    closing.push(() => proxy.kill('SIGKILL'));
    await vi.waitFor(() => runStatements(`postgres://hes@127.0.0.1:${port}/hes`, 'select 1'), SOON);
    opened = await openPrepared(`postgres://hes@127.0.0.1:${port}/hes`);
    closing.push(() => opened.database.drop());
    bench = await serverBench(opened.database);
    closing.push(() => bench.close());
    server = await bench.server('failing-over');
    placed = await bench.register('FAILOVER1', METERS);
    dcu = server.dial('FAILOVER1', placed.meters);
    await vi.waitFor(async () => {
      const { rows } = await opened.database.pool.query('select online_status from endpoint where id = $1', [placed.dcuId]);
      expect(rows).toEqual([{ online_status: 'online' }]);
    }, SOON);
  }, 120_000);

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
    for (const folder of folders) removeScratch(folder);
  }, 60_000);

  async function orderAll(): Promise<string> {
    const items = placed.meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId: placed.dcuId, meterId }));
    const task = { source: 'user' as const, priority: 3, createdBy: null, items, kind: 'registers' as const, title: 'registers' };
    return (await createTask(bench.app.ctx.db, { ...task, params: sampleParams('registers') })).id;
  }
  const readAll = async (taskId: string): Promise<void> =>
    vi.waitFor(async () => {
      const found = 'select state, count(*)::int as n from task_item where task_id = $1 group by 1';
      expect((await opened.database.pool.query(found, [taskId])).rows).toEqual([{ state: 'read_success', n: METERS }]);
    }, SOON);

  const sessions = async (): Promise<unknown> =>
    (await opened.database.pool.query('select id, closed_at from dcu_session where dcu_id = $1 order by id', [placed.dcuId])).rows;

  test('the head-end continues with the promoted standby: orders under way end well, and connections of DCUs stay', async () => {
    await readAll(await orderAll());
    const [before, stored] = [await sessions(), await opened.database.pool.query('select meter_id from meter_latest order by 1')];
    const underWay = await orderAll();
    await nodes[0]?.kill();
    await nodes[1]?.run('pg_ctl', '-D', join(standbyFolder, 'data'), '-w', 'promote');
    await runStatements(nodes[1]?.urlOf('postgres') ?? '', "alter system set synchronous_standby_names = ''", 'select pg_reload_conf()');
    const lost = performance.now();
    await vi.waitFor(async () => {
      const { rows } = await opened.database.pool.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      expect(rows).toEqual([{ standby: false }]);
      expect((await fetch(`http://${server.base}/readyz`)).status).toBe(200);
    }, SOON);
    expect(performance.now() - lost).toBeLessThan(30_000);
    await readAll(underWay);
    const kept = await opened.database.pool.query('select meter_id from meter_latest order by 1');
    expect(kept.rows).toEqual(stored.rows);
    await readAll(await orderAll());
    expect(await sessions()).toEqual(before);
    expect(dcu.socket.destroyed).toBe(false);
  }, 120_000);
});
