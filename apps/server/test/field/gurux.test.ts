import { spawn, type ChildProcess } from 'node:child_process';
import { createECDH } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { javaMeter, reportMissing } from '../../../../packages/dlms-node/test/interop/tools.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field } from '../../src/field/start-field.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { keyPair } from '../authority.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { smallTown } from '../town.ts';
import { certifyHeadEnd, type CertifiedHeadEnd } from './certified.ts';
import { HURRY } from './hurry.ts';

/*
 * HLS-ECDSA between the field engine and the meter of an independent stack (Gurux for Java), behind a DCU that forwards its APDUs.
 * Only suite 1: the library checks signatures of suite 2 with SHA-256, where the standard has SHA-384.
 */

const INSTALL_MS = 300_000;
const DCU_SN = 'GURUXDCU1';
const METER_SN = 'GURUX00001';
/** Identity and keys in `GuruxMeter.java`; every octet of its private key is 0x11. */
const TITLE = fromHex('4752580000000001');
const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const PRIVATE_KEY = new Uint8Array(32).fill(0x11);
const ECDSA_SAP = 8;
const ENERGY = 5009;
const identification = structure({ name: octetString, systemTitle: octetString, kind: unsigned });

const java = await javaMeter();
reportMissing([java]);

let app: TestApp;
let admin: TestUser;
let field: Field;
let dispatcher: Dispatcher;
let headEnd: CertifiedHeadEnd;
let meter: ChildProcess;
let port = 0;
let meterId = '';
const sockets: Socket[] = [];

/** A DCU that dials in and forwards the APDUs of its meter over one connection, because the meter counts its APDUs per connection. */
function forwardAsDcu(): void {
  const line = connect({ port: field.port, host: '127.0.0.1', noDelay: true });
  const behind = connect({ port, host: '127.0.0.1', noDelay: true });
  sockets.push(line, behind);
  const body = encode(identification, { name: Buffer.from(DCU_SN), systemTitle: new Uint8Array(8), kind: 0 });
  line.write(encodeWrapper({ source: 1, destination: 1 }, encodeNotification({ longInvokeId: 1, body })));
  const [requests, answers] = [new WrapperDeframer(), new WrapperDeframer()];
  line.on('data', (chunk: Buffer) => {
    for (const { source, destination, apdu } of requests.push(chunk)) {
      const gateway = decodeGateway(apdu);
      if (gateway !== undefined) behind.write(encodeWrapper({ source, destination }, gateway.apdu));
    }
  });
  behind.on('data', (chunk: Buffer) => {
    for (const { source, destination, apdu } of answers.push(chunk)) {
      const payload = encodeGateway({ response: true, networkId: 0, address: Buffer.from(METER_SN) }, apdu);
      line.write(encodeWrapper({ source, destination }, payload));
    }
  });
}

beforeAll(async () => {
  if ('missing' in java) return;
  app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  await importCommissioning(app.ctx, smallTown());
  await app.ctx.pool.query("update dcu_type set allowed_addresses = '{127.0.0.1}'");
  admin = await app.addUser({ roles: ['ADMIN'] });
  headEnd = await certifyHeadEnd(app, admin);
  const clientKeys = [headEnd.publicKeyOf(1), headEnd.publicKeyOf(2)].map(toHex);
  meter = spawn('java', ['-cp', java.classPath, 'GuruxMeter', ...clientKeys], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (meter.stdout === null) throw new Error('The meter has no output');
  const [ports] = (await once(createInterface({ input: meter.stdout }), 'line')) as [string]; // as: the event's arguments
  port = Number(ports.split(' ')[2]);
  field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
    dlmsPort: 0,
    host: '127.0.0.1',
  });
  dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dispatcher.start();
  const { ekSecret, akSecret } = sealKeys(app.ctx.secrets, 'meter', METER_SN, KEYS);
  const { rows } = await sql<{ id: string; dcuId: string }>`
    with type as (insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type, security_suite, client_sap, server_sap)
      select 'GURUX', 'Gurux', supplier_id, phase, profile_id, 'hls_ecdsa', 1, ${ECDSA_SAP}, 1 from meter_type limit 1 returning id),
    own as (insert into dcu (sn, name, dcu_type_id, authentication_type, transformer_id)
      select ${DCU_SN}, ${DCU_SN}, dcu_type_id, 'none', transformer_id from dcu limit 1 returning id, transformer_id)
    insert into meter (sn, meter_type_id, communication_mode, inventory_state, system_title, dcu_id, transformer_id, ek_secret, ak_secret)
    select ${METER_SN}, type.id, 'plc', 'active', ${Buffer.from(TITLE)}, own.id, own.transformer_id, ${ekSecret}, ${akSecret} from type, own
    returning id, dcu_id as "dcuId"`.execute(app.ctx.db);
  meterId = rows[0]?.id ?? '';
  forwardAsDcu();
  await vi.waitFor(() => expect(field.reach.isOnline(rows[0]?.dcuId ?? '')).toBe(true), { timeout: 10_000, interval: 20 });
}, INSTALL_MS);

afterAll(async () => {
  if ('missing' in java) return;
  meter.stdin?.end();
  for (const socket of sockets) socket.destroy();
  await dispatcher.stop();
  await field.stop();
  await app.close();
});

async function readEnergy(): Promise<TaskItemRow> {
  const order = { meterIds: [meterId], kind: 'registers', items: ['E_PLUS'] };
  const { taskId } = (await app.call(admin, { method: 'POST', url: '/api/action/read/on-demand', payload: order })).json();
  const get = async (url: string) => (await app.call(admin, { url: `/api${url}` })).json();
  await vi.waitFor(async () => expect((await get(`/task/${taskId}`)).finishedAt).not.toBeNull(), { timeout: 30_000, interval: 50 });
  return (await get(`/task/${taskId}/items`)).items[0];
}

describe.skipIf('missing' in java)('a meter of Gurux (Java)', { timeout: 90_000 }, () => {
  test('is read after both sides have verified their signatures, and not with the certificate of another meter', async () => {
    expect(await readEnergy()).toMatchObject({ reasonCode: 'CERTIFICATE_MISSING' });
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(PRIVATE_KEY);
    const publicKey = new Uint8Array(ecdh.getPublicKey().subarray(1));
    await headEnd.certify(TITLE, 1, { keys: { privateKey: PRIVATE_KEY, publicKey }, fromMs: Date.now() - 2 * 86_400_000 });
    let item = await readEnergy();
    // The server of Gurux misplaces a signature when one of its numbers has leading zeros, one in 75.
    for (let retries = 0; retries < 2 && item.state !== 'read_success'; retries++) item = await readEnergy();
    expect(item).toMatchObject({ state: 'read_success', reasonCode: null });
    expect(item.result?.values?.[0]).toMatchObject({ raw: String(ENERGY) });
    await headEnd.certify(TITLE, 1, { keys: keyPair(1) });
    expect(await readEnergy()).toMatchObject({ state: 'read_fail', reasonCode: 'AUTH_FAILED' });
  });
});
