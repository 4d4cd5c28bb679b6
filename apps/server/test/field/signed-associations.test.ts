import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Field } from '../../src/field/start-field.ts';
import { keyPair } from '../authority.ts';
import type { TestApp } from '../test-app.ts';
import { certifiedBench, type CertifiedBench } from './certified-bench.ts';
import type { CertifiedHeadEnd } from './certified.ts';
import { TinyDcu, tinyMeter, type TinyMeter } from './tiny-dcu.ts';

/*
 * Authentication mechanism 7 (HLS-ECDSA): the simulated meter verifies the signature of the head-end, and the head-end that of the meter.
 */

const DAY_MS = 86_400_000;

let bench: CertifiedBench;
let app: TestApp;
let field: Field;
let ask: CertifiedBench['ask'];
let headEnd: CertifiedHeadEnd;
const connected: TinyDcu[] = [];
let number = 0;

beforeAll(async () => {
  bench = await certifiedBench();
  ({ app, field, headEnd, ask } = bench);
});
afterEach(() => {
  for (const dcu of connected.splice(0)) dcu.close();
});
afterAll(() => bench.close());

async function readRegister(meterId: string): Promise<TaskItemRow> {
  const { taskId } = await ask('POST', '/action/read/on-demand', { meterIds: [meterId], kind: 'registers', items: ['E_PLUS'] });
  await vi.waitFor(async () => expect((await ask('GET', `/task/${taskId}`)).finishedAt).not.toBeNull(), { timeout: 10_000, interval: 20 });
  return (await ask('GET', `/task/${taskId}/items`)).items[0];
}

interface Signed {
  id: string;
  meter: TinyMeter;
  keys: { privateKey: Uint8Array; publicKey: Uint8Array };
}

/** A meter that signs and verifies, behind a connected DCU. It has no certificate in the head-end yet. */
async function signingMeter(suite: 1 | 2, clientKey = headEnd.publicKeyOf(suite)): Promise<Signed> {
  const keys = keyPair(suite);
  const sn = `SIGN${String(++number).padStart(6, '0')}`;
  const rule = { mechanism: 'hlsEcdsa' as const, ciphered: true, publicKey: clientKey };
  const meter = tinyMeter(sn, number, () => Date.now(), rule, { suite, privateKey: keys.privateKey });
  const { rows } = await sql<{ id: string; dcuId: string }>`
    with type as (insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type, security_suite)
      select ${sn}, ${sn}, supplier_id, phase, profile_id, 'hls_ecdsa', ${suite} from meter_type limit 1 returning id),
    own as (insert into dcu (sn, name, dcu_type_id, authentication_type, transformer_id)
      select ${`D${sn}`}, ${sn}, dcu_type_id, 'none', transformer_id from dcu limit 1 returning id, transformer_id)
    insert into meter (sn, meter_type_id, communication_mode, inventory_state, system_title, dcu_id, transformer_id)
    select ${sn}, type.id, 'plc', 'active', ${Buffer.from(meter.systemTitle)}, own.id, own.transformer_id from type, own
    returning id, dcu_id as "dcuId"`.execute(app.ctx.db);
  const { id = '', dcuId = '' } = rows[0] ?? {};
  await ask('PUT', `/asset/meter/${id}/keys`, { ek: toHex(meter.keys.ek), ak: toHex(meter.keys.ak) });
  connected.push(new TinyDcu(field.port, `D${sn}`, [meter]));
  await vi.waitFor(() => expect(field.reach.isOnline(dcuId)).toBe(true), { timeout: 5_000, interval: 10 });
  return { id, meter, keys };
}

const expectFailure = async (id: string, reasonCode: ReasonCode): Promise<void> =>
  expect(await readRegister(id)).toMatchObject({ state: 'read_fail', reasonCode });

describe.each([1, 2] as const)('HLS-ECDSA in suite %i', (suite) => {
  test('reads a meter with its certificate, and says what is missing before', async () => {
    const { id, meter, keys } = await signingMeter(suite);
    await expectFailure(id, 'CERTIFICATE_MISSING');
    expect(meter.opened).toBe(0);
    await headEnd.certify(meter.systemTitle, suite, { keys });
    expect(await readRegister(id)).toMatchObject({ state: 'read_success' });
    expect(meter.opened).toBe(1);
  });

  test('does not accept a meter whose certificate has another key', async () => {
    const { id, meter } = await signingMeter(suite);
    await headEnd.certify(meter.systemTitle, suite);
    await expectFailure(id, 'AUTH_FAILED');
  });

  test('is refused by a meter that knows another key of the head-end', async () => {
    const { id, meter, keys } = await signingMeter(suite, keyPair(suite).publicKey);
    await headEnd.certify(meter.systemTitle, suite, { keys });
    await expectFailure(id, 'AUTH_FAILED');
  });

  test('uses the newest valid certificate, and none that has expired or is not valid yet', async () => {
    const { id, meter, keys } = await signingMeter(suite);
    const now = Date.now();
    await headEnd.certify(meter.systemTitle, suite, { keys, fromMs: now + DAY_MS });
    await expectFailure(id, 'CERTIFICATE_EXPIRED');
    await headEnd.certify(meter.systemTitle, suite, { fromMs: now - 9 * DAY_MS });
    await headEnd.certify(meter.systemTitle, suite, { keys, fromMs: now - 5 * DAY_MS });
    expect(await readRegister(id)).toMatchObject({ state: 'read_success' });
  });

  test('ends with the certificate of the head-end', async () => {
    const { id, meter, keys } = await signingMeter(suite);
    await headEnd.certify(meter.systemTitle, suite, { keys });
    const set = (toMs: number) =>
      sql`update certificate set valid_to = ${new Date(toMs)} where is_current and suite = ${suite}`.execute(app.ctx.db);
    const { rows } = await sql<{ toMs: Date }>`select valid_to as "toMs" from certificate where is_current and suite = ${suite}`.execute(
      app.ctx.db,
    );
    await set(Date.now() - DAY_MS);
    await expectFailure(id, 'OWN_CERTIFICATE_EXPIRED');
    await set(rows[0]?.toMs.getTime() ?? 0);
    await sql`update certificate set is_current = false where is_current and suite = ${suite}`.execute(app.ctx.db);
    const other = await signingMeter(suite);
    await headEnd.certify(other.meter.systemTitle, suite, { keys: other.keys });
    await expectFailure(other.id, 'OWN_CERTIFICATE_MISSING');
    await sql`update certificate set is_current = true where kind = 'head_end' and octets is not null and suite = ${suite}`.execute(
      app.ctx.db,
    );
  });
});
