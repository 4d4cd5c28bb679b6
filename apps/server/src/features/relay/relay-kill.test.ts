import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { commissioningFile } from '#db/seed/commissioning.ts';
import { importCommissioning } from '#db/seed/import-commissioning.ts';
import { hashPassword } from '#platform/passwords.ts';
import { removeScratch, scratchFolder } from '../../../test/scratch.ts';
import { sealAll, testApp, type TestApp, type TestUser } from '../../../test/test-app.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const PASSWORD = 'Quiet-Lantern-8';
/** The key with which `testApp` seals orders. */
const MASTER_KEY = '07'.repeat(32);
const SLOW_MS = 1_500;
const PATIENCE_MS = 60_000;

let app: TestApp;
let simulation: Simulation;
let admin: TestUser;
let port = '';
let dataDir = '';
let server: ChildProcess | undefined;

async function freePort(): Promise<string> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port: free } = listener.address() as AddressInfo; // as: it listens on TCP
  listener.close();
  return String(free);
}

/** Starts the HES in a separate process on the database of this test. */
async function startServer(): Promise<void> {
  const { rows } = await app.ctx.pool.query<{ name: string }>('select current_database() as name');
  const urlOf = (template: string) => template.replace(/\/[^/?]+(?=\?|$)/, `/${rows[0]?.name}`);
  server = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: urlOf(inject('databaseUrl')),
      HES_DATABASE_OWNER_URL: urlOf(inject('databaseOwnerUrl')),
      HES_MASTER_KEY: MASTER_KEY,
      HES_DATA_DIR: dataDir,
      HES_PORT: '0',
      HES_DLMS_PORT: port,
      HES_DEMO: 'off',
      HES_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(server, 'spawn');
}

async function kill(): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
}

beforeAll(async () => {
  app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  [port, dataDir] = [await freePort(), scratchFolder('hes relay ')];
  simulation = await startSimulation({ channel: 'fast', headEnd: { host: '127.0.0.1', port: Number(port) } });
  await importCommissioning(app.ctx, commissioningFile.parse(simulation.commissioning));
  admin = await app.addUser({ roles: ['ADMIN'] });
  await app.ctx.pool.query('update app_user set password_hash = $2 where id = $1', [admin.id, await hashPassword(PASSWORD)]);
  await sealAll(app.ctx);
  await startServer();
}, PATIENCE_MS);
afterAll(async () => {
  await kill();
  await simulation.stop();
  await app.close();
  removeScratch(dataDir);
});

const relayOf = (sn: string) => simulation.dcus.map((dcu) => dcu.meter(sn)?.relay).find((relay) => relay !== undefined);

/** Finds a meter with a relay at a connected DCU. */
const found = () =>
  vi.waitFor(
    async () => {
      const { rows } = await app.ctx.pool.query<{ id: string; sn: string }>(
        "select m.id, m.sn from meter m join dcu d on d.id = m.dcu_id where d.online_status = 'online' and not m.is_master order by m.sn",
      );
      const good = new Set(simulation.world.plan.meters.filter((one) => !one.isSilent && !one.hasWrongKey).map(({ sn }) => sn));
      const one = rows.find(({ sn }) => good.has(sn) && relayOf(sn)?.mode === 'mode4');
      if (one === undefined) throw new Error('No meter is online yet');
      return one;
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );

const stateOf = async (taskId: string): Promise<string | undefined> =>
  (await app.ctx.pool.query<{ state: string }>('select state from relay_command where task_id = $1', [taskId])).rows[0]?.state;

it(
  'S-022: the head-end is killed between sent and confirmed, the order had come three times: one execution, proved by reading after the restart',
  async () => {
    const { id, sn } = await found();
    simulation.faults.add({ target: sn, kind: 'slow', delayMs: SLOW_MS });
    const payload = {
      requestId: randomUUID(),
      meterIds: [id],
      operation: 'disconnect',
      reason: 'Unpaid',
      workOrder: 'WO-9',
    };
    const answers = await Promise.all([1, 2, 3].map(() => app.call(admin, { method: 'POST', url: '/api/action/relay', payload })));
    const taskIds = new Set(answers.map((answer) => answer.json().taskId as string)); // as: the contract was checked
    expect(taskIds.size).toBe(1);
    const [taskId = ''] = taskIds;

    await vi.waitFor(() => expect(relayOf(sn)?.orders).toBe(1), { timeout: PATIENCE_MS, interval: 5 });
    await kill();
    expect(await stateOf(taskId)).toBe('sent');
    simulation.faults.clear(sn);
    // Ends the lease of the killed process at once.
    await app.ctx.pool.query("update task_item set lease_until = now() - interval '1 second' where task_id = $1", [taskId]);
    await startServer();

    await expect.poll(() => stateOf(taskId), { timeout: PATIENCE_MS, interval: 100 }).toBe('done');
    expect(relayOf(sn)).toMatchObject({ state: 'disconnected', orders: 1 });
    expect((await app.ctx.pool.query('select from relay_sent')).rowCount).toBe(1);
  },
  3 * PATIENCE_MS,
);
