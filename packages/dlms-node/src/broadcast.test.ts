import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { WAIT, type Exchange } from '@hes/dlms/association/exchange.ts';
import { objectKey, type ClientRule, type ServerObject } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { ALL_STATION_SAP, encodeHdlcBroadcast } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { connectSession } from './client-session.ts';
import { serveDevices } from './device-server.ts';
import { DlmsConnection } from './dlms-connection.ts';
import { nodeCipher } from './node-cipher.ts';

const KEYS = { ek: fromHex('00'.repeat(16)), ak: fromHex('11'.repeat(16)), bk: fromHex('22'.repeat(16)) };
const UTILITY = fromHex('4845530000000001');
const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 3 };
const ZONE = encode(dataCodec, { type: 'long', value: -60 });
const RULE: ClientRule = {
  mechanism: 'none',
  ciphered: true,
  clientTitle: UTILITY,
  preEstablished: { conformance: ['set'], maxPduSize: 1024 },
};
const CLIENT_SAP = 102;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A meter that takes broadcasts, and the time zones written to its clock. */
async function meter(framing: 'wrapper' | 'hdlc' | 'udp') {
  const written: unknown[] = [];
  let told = (): void => {};
  const clock: ServerObject = {
    ...CLOCK,
    version: 0,
    read: () => ZONE,
    write: (_id, data) => {
      written.push('value' in data ? data.value : null);
      told();
      return 'success';
    },
  };
  const device = new LogicalDevice({
    objects: new Map([[objectKey(8, CLOCK.instance), clock]]),
    systemTitle: fromHex('4D4D4D0000000001'),
    keys: KEYS,
    cipher: nodeCipher,
    rules: new Map([[CLIENT_SAP, RULE]]),
    maxPduSize: 1024,
    counters: { next: () => 0, last: () => -1, accept: () => {} },
  });
  const deviceOf = (sap: number) => (sap === ALL_STATION_SAP || sap === 1 ? device : undefined);
  const server = await serveDevices({ port: 0, host: '127.0.0.1', framing, deviceOf });
  closing.push(() => server.close());
  const next = () => new Promise<void>((resolve) => (told = resolve));
  return { port: server.port, written, next };
}

function utility(): ClientAssociation {
  let counter = 0;
  const client = new ClientAssociation({
    mechanism: 'none',
    ciphered: true,
    systemTitle: UTILITY,
    keys: KEYS,
    cipher: nodeCipher,
    maxPduSize: 1024,
    preEstablished: { maxPduSize: 1024, broadcast: true },
    nextCounter: () => counter++,
    peer: { counter: -1 },
  });
  client.open().next();
  return client;
}

describe('a broadcast under the broadcast key', () => {
  it.each([
    ['TCP', 'wrapper', {}],
    ['UDP', 'udp', { udp: true }],
    ['HDLC with an address of one octet', 'hdlc', { hdlc: {} }],
    ['HDLC with an address of four octets', 'hdlc', { hdlc: { addressSize: 4 } }],
  ] as const)('sets the clock over %s, and nothing comes back', async (_, framing, transport) => {
    const { port, written, next } = await meter(framing);
    const session = await connectSession({
      host: '127.0.0.1',
      port,
      clientSap: CLIENT_SAP,
      serverSap: ALL_STATION_SAP,
      timeoutMs: 200,
      ...transport,
    });
    closing.push(() => session.close());
    const client = utility();
    for (const _time of [1, 2]) {
      const arrived = next();
      session.send(client.buildUnconfirmed({ set: { ref: CLOCK, data: ZONE } }));
      await arrived;
    }
    expect(written).toEqual([-60, -60]);
    const listening = (function* (): Exchange<Uint8Array> {
      return yield WAIT;
    })();
    await expect(session.run(listening)).rejects.toMatchObject({ code: 'NO_ANSWER' });
  });

  it('goes in a UI frame over a connection in HDLC, without a link', async () => {
    const { port, written, next } = await meter('hdlc');
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const connection = new DlmsConnection(socket, { frameTimeoutMs: 1000, framing: 'hdlc', hdlc: { physicalAddress: 17 } });
    closing.push(() => connection.close());
    const arrived = next();
    const reported: Uint8Array[] = [];
    const apdu = utility().buildUnconfirmed({ set: { ref: CLOCK, data: ZONE } });
    connection.send({ source: CLIENT_SAP, destination: ALL_STATION_SAP }, apdu, (octets) => void reported.push(octets));
    await arrived;
    expect([written, reported]).toEqual([[-60], [encodeHdlcBroadcast(CLIENT_SAP, apdu, 2)]]);
  });
});

describe('a server', () => {
  it('does not respond to any other frame to all stations', async () => {
    const { port, written } = await meter('hdlc');
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    closing.push(() => socket.destroy());
    const received: Buffer[] = [];
    socket.on('data', (octets: Buffer) => received.push(octets));
    const source = clientAddress(CLIENT_SAP);
    const snrm = (destination: ReturnType<typeof serverAddress>) =>
      encodeHdlcFrame({
        destination,
        source,
        control: { kind: 'snrm', pollFinal: true },
        segmented: false,
        information: new Uint8Array(0),
      });
    socket.write(snrm(serverAddress(ALL_STATION_SAP)));
    socket.write(snrm(serverAddress(1)));
    await once(socket, 'data');
    expect(Buffer.concat(received).length).toBeLessThan(48); // one UA
    expect(Buffer.concat(received).toString('hex')).toMatch(/^7ea0..cd03/);
    expect(written).toEqual([]);
  });

  it('does not respond to a confirmed request to all stations either', async () => {
    const { port } = await meter('wrapper');
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    closing.push(() => socket.destroy());
    const request = fromHex('C001C100080000010000FF0300');
    for (const destination of [ALL_STATION_SAP, 1]) socket.write(encodeWrapper({ source: CLIENT_SAP, destination }, request));
    const [answer] = (await once(socket, 'data')) as [Buffer]; // as: a socket without encoding
    // One frame, from SAP 1: an exception, because the request is not ciphered.
    expect(answer.toString('hex')).toBe('0001000100660003d80101');
  });
});
