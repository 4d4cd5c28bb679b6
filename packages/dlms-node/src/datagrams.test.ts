import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { connectSession, type ClientSession } from './client-session.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { serveDevices } from './device-server.ts';
import { nodeCipher } from './node-cipher.ts';

const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const NAME = { classId: 1, instance: obis('0.0.42.0.0.255'), attributeId: 2 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function meterPort(): Promise<number> {
  const deviceOf = demoMeter({
    cipher: nodeCipher,
    serial: '1',
    systemTitle: fromHex('4845534D00000001'),
    keys: KEYS,
    password: undefined,
    now: () => Date.UTC(2026, 5, 15, 12, 7),
    days: 3,
    maxPduSize: 1024,
  });
  const server = await serveDevices({ port: 0, host: '127.0.0.1', framing: 'udp', deviceOf });
  closing.push(() => server.close());
  return server.port;
}

let counter = 1;
async function session(port: number): Promise<{ run: ClientSession['run']; meter: ClientAssociation }> {
  const talking = await connectSession({ host: '127.0.0.1', port, clientSap: 1, serverSap: 1, udp: true, timeoutMs: 5000 });
  closing.push(() => talking.close());
  const meter = new ClientAssociation({
    mechanism: 'hlsGmac',
    ciphered: true,
    systemTitle: fromHex('4D4D4D0000000001'),
    keys: KEYS,
    cipher: nodeCipher,
    maxPduSize: 1024,
    nextCounter: () => counter++,
    peer: { counter: -1 },
  });
  return { run: talking.run.bind(talking), meter };
}

async function stranger(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(() => new Promise<void>((closed) => socket.close(() => closed())));
  return socket;
}

describe('datagrams', () => {
  it('carry an association and a profile in blocks', async () => {
    const { run, meter } = await session(await meterPort());
    await run(meter.open());
    const answer = await run(meter.get(PROFILE));
    if (!answer.ok) throw new Error(answer.result);
    const rows = decode(dataCodec, answer.data);
    expect(rows.type === 'array' && rows.value.length).toBeGreaterThan(200);
    await run(meter.release());
  });

  it('of other protocols are ignored, and each client has separate associations', async () => {
    const port = await meterPort();
    const [one, other] = [await session(port), await session(port)];
    await one.run(one.meter.open());
    const noisy = await stranger();
    for (const hex of ['', '00', '0001000100010005C401', '0001000100010002C401FF', 'FFFFFFFFFFFFFFFFFFFF'])
      noisy.send(fromHex(hex), port, '127.0.0.1');
    await other.run(other.meter.open());
    expect(await one.run(one.meter.get(NAME))).toMatchObject({ ok: true });
    expect(await other.run(other.meter.get(NAME))).toMatchObject({ ok: true });
  });

  it('to a closed port fail the session', async () => {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await new Promise<void>((closed) => socket.close(() => closed()));
    const { run, meter } = await session(port);
    await expect(run(meter.open())).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
