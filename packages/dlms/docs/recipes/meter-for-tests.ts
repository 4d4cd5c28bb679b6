import assert from 'node:assert/strict';
import { fromHex } from 'dlms';
import { demoMeter } from 'dlms/testing';
import { Meter, nodeCipher, serveDevices } from 'dlms-node';

/** The program under test. */
async function readVoltage(port: number): Promise<string> {
  await using meter = await Meter.connect({ host: '127.0.0.1', port, client: 2 });
  return (await meter.read('1.0.32.7.0.255')).text;
}

// Each test has a separate meter, on a free port, at a time that it chooses.
const deviceOf = demoMeter({
  serial: '1',
  systemTitle: fromHex('4845534D00000001'),
  cipher: nodeCipher,
  keys: undefined,
  password: undefined,
  now: () => Date.UTC(2026, 0, 1),
  days: 1,
  maxPduSize: 1024,
});
const server = await serveDevices({ port: 0, host: '127.0.0.1', deviceOf });
try {
  assert.equal(await readVoltage(server.port), '230.1 V');
  console.log('passed');
} finally {
  await server.close();
}
