/** Our client, as a program like those of the peers. Arguments: port, push in hex, number of its values. */
import { createInterface } from 'node:readline';
import { decodeNotificationValue } from '@hes/dlms/association/notification.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { decodeProfileBuffer, type ProfileShape } from '@hes/dlms/cosem/profile-buffer.ts';
import { Meter } from '@hes/dlms-node/meter/meter.ts';
import { KEYS } from './peer-keys.ts';
import type { PeerRow } from './peer-rows.ts';

const [port = '', push = '', values = ''] = process.argv.slice(2);
const address = { host: '127.0.0.1', port: Number(port) };
const plain = await Meter.connect({ ...address, client: 2 });
let counter = 1;
const ciphered = await Meter.connect({ ...address, client: 1, keys: KEYS, systemTitle: '4845530000000001', nextCounter: () => counter++ });
const pushed = fromHex(push);

function expect(found: unknown, expected: number): void {
  if (found !== expected) throw new Error(`${String(found)} instead of ${expected}`);
}

const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const SHAPE: ProfileShape = { columns: 3, clockColumn: 0, capturePeriodSeconds: 900 };
const voltageOf = (meter: Meter) => meter.object(register, '1.0.32.7.0.255');
/** The peers prepare their objects once, too. */
const [plainVoltage, cipheredVoltage] = [voltageOf(plain), voltageOf(ciphered)];
async function expectVoltage(voltage: typeof plainVoltage): Promise<void> {
  const value = await voltage.get('value');
  expect('value' in value ? value.value : undefined, 2301);
}

const rows: Record<PeerRow, () => Promise<void> | void> = {
  get: () => expectVoltage(plainVoltage),
  cipheredGet: () => expectVoltage(cipheredVoltage),
  profile: async () => {
    const answer = await plain.run(plain.association.get(PROFILE));
    expect(answer.ok ? decodeProfileBuffer(answer.data, SHAPE).rows : answer.result, 960);
  },
  scaledProfile: async () => expect((await plain.profile('1.0.99.1.0.255')).rows.length, 960),
  push: () => {
    const { value } = decodeNotificationValue(pushed, () => undefined);
    expect(value.type === 'array' ? value.value.length : undefined, Number(values));
  },
};

async function repeat(once: () => Promise<void> | void, seconds: number): Promise<object> {
  const began = performance.now();
  const before = process.cpuUsage();
  let units = 0;
  do {
    const work = once();
    if (work !== undefined) await work;
    units++;
  } while (performance.now() - began < seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return { units, seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
}

process.stdout.write('{"ready":true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [row = '', seconds = ''] = line.split(' ');
  const answer = await repeat(rows[row as PeerRow], Number(seconds)).catch((error: unknown) => ({ error: String(error) })); // as: the benchmark names its rows
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
