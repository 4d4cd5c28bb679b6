import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { connectSession, type ClientSession, type SessionOptions } from './client-session.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { serveDevices, type DeviceServer } from './device-server.ts';
import { nodeCipher } from './node-cipher.ts';

const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const NAME = { classId: 1, instance: obis('0.0.42.0.0.255'), attributeId: 2 };
const PATIENCE_MS = 10_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function meter({ quietMs = 500, framing = 'hdlc' }: { quietMs?: number; framing?: 'hdlc' | 'wrapper' } = {}): Promise<DeviceServer> {
  const deviceOf = demoMeter({
    cipher: nodeCipher,
    serial: '1',
    systemTitle: fromHex('4845534D00000001'),
    keys: KEYS,
    password: new TextEncoder().encode('12345678'),
    now: () => Date.UTC(2026, 5, 15, 12, 7),
    days: 3,
    maxPduSize: 1024,
    generalBlockTransfer: { window: 4 },
  });
  const server = await serveDevices({ port: 0, host: '127.0.0.1', framing, quietMs, deviceOf });
  closing.push(() => server.close());
  return server;
}

async function session(port: number, options: Partial<SessionOptions> = {}): Promise<ClientSession> {
  const talking = await connectSession({
    host: '127.0.0.1',
    port,
    clientSap: 1,
    serverSap: 1,
    timeoutMs: PATIENCE_MS,
    hdlc: {},
    ...options,
  });
  closing.push(() => talking.close());
  return talking;
}

function association(options: Partial<ClientOptions> = {}): ClientAssociation {
  let counter = 1;
  return new ClientAssociation({
    mechanism: 'hlsGmac',
    ciphered: true,
    systemTitle: fromHex('4D4D4D0000000001'),
    keys: KEYS,
    cipher: nodeCipher,
    maxPduSize: 1024,
    nextCounter: () => counter++,
    peer: { counter: -1 },
    ...options,
  });
}

/** A proxy between client and meter that applies `change` to the octets. */
async function line(port: number, change: (octets: Uint8Array) => Uint8Array[]): Promise<number> {
  const between = createServer((client: Socket) => {
    const server = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (octets: Buffer) => change(octets).forEach((piece) => to.write(piece)));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  return await listening(between);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port; // as: it listens on TCP
}

describe('HDLC over TCP', () => {
  it.each([
    ['frames of 128 octets', {}],
    [
      'long frames and windows',
      { parameters: { maxInformationReceive: 1024, maxInformationTransmit: 1024, windowReceive: 7, windowTransmit: 7 } },
    ],
    ['an address of four octets', { physicalAddress: 17, addressSize: 4 as const }],
  ])('carries an association, a profile and the release in %s', async (_, hdlc) => {
    const talking = await session((await meter()).port, { hdlc });
    const open = association();
    await talking.run(open.open());
    const answer = await talking.run(open.get(PROFILE));
    expect(answer.ok && decode(dataCodec, answer.data)).toMatchObject({ type: 'array', value: { length: 288 } });
    await talking.run(open.release());
    expect(open.state).toBe('released');
  });

  it.each([
    ['HDLC, where a meter speaks when it is asked to', 'hdlc'],
    ['wrapper frames, where it sends them all at once', 'wrapper'],
  ] as const)('carries windows of general blocks over %s', async (_, framing) => {
    const { port } = await meter({ framing });
    const talking = await session(port, framing === 'hdlc' ? {} : { hdlc: undefined });
    const open = association({ generalBlockTransfer: { window: 3 }, maxPduSize: 256 });
    await talking.run(open.open());
    const answer = await talking.run(open.get(PROFILE));
    expect(answer.ok && decode(dataCodec, answer.data)).toMatchObject({ type: 'array', value: { length: 288 } });
  });

  it('recovers from noise, split chunks and lost frames', async () => {
    const { port } = await meter({ quietMs: 50 });
    let pieces = 0;
    const noisy = await line(port, (octets) => {
      pieces++;
      // Drops every seventh chunk, adds noise before every fifth, and splits all in two.
      if (pieces % 7 === 0) return [];
      const noise = pieces % 5 === 0 ? [fromHex('7EA0FF00A07E13')] : [];
      return [...noise, octets.subarray(0, 3), octets.subarray(3)];
    });
    const talking = await session(noisy, { timeoutMs: 4000, hdlc: { quietMs: 50, retries: 9 } });
    const open = association();
    await talking.run(open.open());
    for (let i = 0; i < 10; i++) expect(await talking.run(open.get(NAME))).toMatchObject({ ok: true });
  });

  it('reports a peer that does not respond, and a closed port', async () => {
    const silent = await listening(createServer((socket) => void socket.on('error', () => {}).resume()));
    await expect(session(silent, { timeoutMs: 60 })).rejects.toThrow('no HDLC link: NO_ANSWER');
    const gone = await listening(createServer((socket) => void socket.on('error', () => {}).end()));
    await expect(session(gone)).rejects.toThrow('no HDLC link');
  });

  it('reports a lost line to the session', async () => {
    const server = await meter();
    const talking = await session(server.port);
    const open = association();
    await talking.run(open.open());
    closing.splice(0);
    await server.close();
    await expect(talking.run(open.get(NAME))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('lets a client reconnect on the same stream', async () => {
    const { port } = await meter();
    for (let i = 0; i < 2; i++) {
      const talking = await session(port, { clientSap: 16 });
      talking.close();
    }
    const two = await Promise.all([session(port), session(port, { clientSap: 16 })]);
    expect(two).toHaveLength(2);
  });
});
