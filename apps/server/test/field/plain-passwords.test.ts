import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { octetString } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hello } from '../../../../tools/attack/lines.ts';
import { sealChange } from '../../src/platform/device-keys.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { TinyDcu, tinyMeter, type TinyMeter } from './tiny-dcu.ts';

const PASSWORD = 'Seen-By-All-8';
const DCU = 'DCU27000001';
const LDN = obis('0.0.42.0.0.255');
const pem = (name: string): string => readFileSync(path.join(import.meta.dirname, 'certificates', name), 'utf8');
const TLS = { cert: pem('head-end.crt'), key: pem('head-end.key'), ca: pem('ca.crt') };

let bench: Bench;
let headEnd: HeadEnd;
let meter: TinyMeter;
let meterId: string;
let dcuId: string;
beforeAll(async () => {
  bench = await fieldBench();
  const registered = await bench.register(DCU, 1);
  dcuId = registered.dcuId;
  meterId = registered.meterIds[0] ?? '';
  const sn = registered.meters[0]?.sn ?? '';
  meter = tinyMeter(sn, 1, () => Date.now(), { mechanism: 'low', ciphered: false, password: Buffer.from(PASSWORD) });
  // Without ciphering, the logical device name is the only identification.
  const read = (attribute: number) => (attribute === 2 ? encode(octetString, Buffer.from(sn)) : ('objectUndefined' as const));
  meter.objects.set(objectKey(1, LDN), { classId: 1, version: 0, instance: LDN, read });
  await bench.database.pool.query("update meter_type set authentication_type = 'low'");
  const { passwordSecret } = sealChange(bench.ctx.secrets, 'meter', sn, { password: PASSWORD });
  await bench.database.pool.query('update meter set password_secret = $1 where id = $2', [passwordSecret, meterId]);
});
afterEach(() => headEnd.stop());
afterAll(() => bench.close());

async function read(): Promise<{ state: string; reason: string | null } | undefined> {
  const { ended } = await headEnd.order({
    kind: 'registers',
    params: { items: ['E_PLUS'] },
    items: [{ deviceKind: 'meter', dcuId, meterId }],
  });
  return (await ended)[0];
}

test('the password of low-level security is not sent without TLS to another machine', async () => {
  headEnd = await bench.headEnd({ plainPasswords: 'nowhere' });
  headEnd.dial(DCU, [meter]);
  expect(await read()).toMatchObject({ state: 'read_fail', reason: 'PASSWORD_IN_CLEAR' });
  expect(meter.opened).toBe(0);
});

test('the password is sent over TLS', async () => {
  headEnd = await bench.headEnd({ plainPasswords: 'nowhere', tls: { mode: 'required', ...TLS } });
  const identity = { cert: pem(`${DCU}.crt`), key: pem(`${DCU}.key`), ca: TLS.ca };
  const socket = connect({ host: '127.0.0.1', port: headEnd.field.port, checkServerIdentity: () => undefined, ...identity });
  await once(socket, 'secureConnect');
  const dcu = new TinyDcu(socket, DCU, [meter]);
  socket.write(hello(DCU));
  expect(await read()).toMatchObject({ state: 'read_success', reason: null });
  dcu.close();
});

test('the password is sent without TLS to a device on this machine', async () => {
  headEnd = await bench.headEnd();
  headEnd.dial(DCU, [meter]);
  expect(await read()).toMatchObject({ state: 'read_success', reason: null });
});
