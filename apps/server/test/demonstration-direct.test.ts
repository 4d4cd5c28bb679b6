import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startDemo } from '../src/composition/demo.ts';
import { storedDemonstration } from '../src/composition/demonstration.ts';
import type { Simulator } from '../src/composition/simulator.ts';
import { fieldFeatures } from '../src/features/every-feature.ts';
import { startField, type Field } from '../src/field/start-field.ts';
import { SwitchLedger } from '../src/platform/switch-ledger.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const WITHIN = { timeout: 60_000, interval: 200 };
const HOST = '127.0.0.1';
const folder = mkdtempSync(path.join(tmpdir(), 'hes-demo-'));

let app: TestApp;
let admin: TestUser;
let field: Field;
let simulator: Simulator;

beforeAll(async () => {
  vi.stubEnv('SIM_CHANNEL', 'fast');
  vi.stubEnv('SIM_SCALE', undefined);
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
  field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
    dlmsPort: 0,
    host: HOST,
    dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
  });
  simulator = await startDemo(app.ctx, app.ctx.settings, { host: HOST, port: field.port, keysFile: path.join(folder, 'keys.json') });
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await simulator.stop();
  await field.stop();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = async <T extends object>(text: string) => (await app.owner.query<T>(text)).rows;

test('the demonstration has six direct meters, one in HDLC and one that is dialled, and all of them are online', async () => {
  await vi.waitFor(async () => {
    expect(
      await rows(
        `select connection_type as direction, protocol, count(*)::int as meters from endpoint where kind = 'meter' and online_status = 'online'
         group by 1, 2 order by 1, 2`,
      ),
    ).toEqual([
      { direction: 'dial_in', protocol: 'dlms_hdlc', meters: 1 },
      { direction: 'dial_in', protocol: 'dlms_wrapper', meters: 4 },
      { direction: 'dial_out', protocol: 'dlms_wrapper', meters: 1 },
    ]);
  }, WITHIN);
});

test('they are listed as direct, at transformers and places of their town', async () => {
  const { items } = (await app.call(admin, { url: '/api/asset/meter/inventory?communicationMode=direct' })).json();
  expect(items).toHaveLength(6);
  for (const item of items) expect(item).toMatchObject({ communicationMode: 'direct', dcuSn: null, inventoryState: 'active' });
  const places = await rows<{ transformer: string; longitude: number }>(
    `select transformer_id as transformer, longitude from meter where communication_mode = 'direct' and longitude is not null and address is not null`,
  );
  expect(places).toHaveLength(6);
  expect(new Set(places.map(({ transformer }) => transformer)).size).toBeGreaterThan(3);
});

test('the removal of the demonstration removes them and their endpoints', async () => {
  const demonstration = storedDemonstration(app.ctx, () => simulator.stop());
  await demonstration.remove({ user: { id: admin.id } as never, ip: HOST }, 'we begin'); // as: only the id is recorded
  await demonstration.removed();
  expect(await rows("select sn from meter where communication_mode = 'direct'")).toEqual([]);
  expect(await rows('select sn from endpoint')).toEqual([]);
  expect(await rows("select code from meter_type where code like 'SM-%D'")).toEqual([]);
}, 60_000);
