/** The meter that all clients of the comparison read, in a separate process. It prints its port. */
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { serveDevices } from '@hes/dlms-node/device-server.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { KEYS } from './peer-keys.ts';

/** 96 rows a day. */
const DAYS = 10;

const deviceOf = demoMeter({
  serial: '1',
  systemTitle: fromHex('4845534D00000001'),
  cipher: nodeCipher,
  keys: { ek: fromHex(KEYS.ek), ak: fromHex(KEYS.ak) },
  password: undefined,
  now: Date.now,
  days: DAYS,
  maxPduSize: 1024,
});
const { port } = await serveDevices({ port: 0, host: '127.0.0.1', deviceOf });
process.stdout.write(`${JSON.stringify({ port })}\n`);
process.stdin.on('end', () => process.exit()).resume();
