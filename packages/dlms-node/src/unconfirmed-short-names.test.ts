import { afterEach, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { objectKey, type ClientRule, type ServerObject } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { assignShortNames } from '@hes/dlms/catalogue/short-names.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { dataCodec, logicalName } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { ALL_STATION_SAP } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { associationSnObject } from '@hes/dlms/server/association-sn-object.ts';
import { connectSession } from './client-session.ts';
import { serveDevices } from './device-server.ts';
import { Meter } from './meter/meter.ts';
import { nodeCipher } from './node-cipher.ts';

const KEYS = { ek: fromHex('00'.repeat(16)), ak: fromHex('11'.repeat(16)), bk: fromHex('22'.repeat(16)) };
const UTILITY = fromHex('4845530000000001');
const CLOCK = { classId: 8, version: 0, instance: obis('0.0.1.0.0.255') };
const LOGICAL_NAME = 1;
const TIME_ZONE = 3;
const [PUBLIC_SAP, UTILITY_SAP, BROADCAST_SAP] = [2, 1, 102];
const conformance = ['read', 'write', 'unconfirmedWrite'] as const;
const RULES: [number, ClientRule][] = [
  [PUBLIC_SAP, { mechanism: 'none', ciphered: false, shortNames: true }],
  [UTILITY_SAP, { mechanism: 'hlsGmac', ciphered: true, shortNames: true }],
  [
    BROADCAST_SAP,
    { mechanism: 'none', ciphered: true, shortNames: true, clientTitle: UTILITY, preEstablished: { conformance, maxPduSize: 1024 } },
  ],
];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A meter with short names, whose clock has a time zone that can be written and a method that counts its calls. */
async function meter(framing: 'wrapper' | 'hdlc' | 'udp') {
  let zone = 0;
  let sent = 0;
  const state = { adjusted: 0, changed: (): void => {} };
  const clockObject: ServerObject = {
    ...CLOCK,
    read: (id) => (id === LOGICAL_NAME ? encode(logicalName, CLOCK.instance) : encode(dataCodec, { type: 'long', value: zone })),
    write: (_id, data) => {
      zone = 'value' in data ? Number(data.value) : 0;
      state.changed();
      return 'success';
    },
    invoke: () => {
      state.adjusted++;
      return { result: 'success' };
    },
  };
  const objects = [clockObject, associationSnObject(() => shortNames)];
  const shortNames = assignShortNames(objects);
  const device = new LogicalDevice({
    objects: new Map(objects.map((object) => [objectKey(object.classId, object.instance), object])),
    systemTitle: fromHex('4D4D4D0000000001'),
    keys: KEYS,
    cipher: nodeCipher,
    rules: new Map(RULES),
    shortNames: () => shortNames,
    maxPduSize: 1024,
    counters: { next: () => sent++, last: () => -1, accept: () => {} },
  });
  const deviceOf = (sap: number) => (sap === ALL_STATION_SAP || sap === 1 ? device : undefined);
  const server = await serveDevices({ port: 0, host: '127.0.0.1', framing, deviceOf });
  closing.push(() => server.close());
  return { port: server.port, shortNames, state };
}

const OVER = [
  ['TCP', 'wrapper', {}],
  ['UDP', 'udp', { udp: true }],
  ['HDLC', 'hdlc', { hdlc: {} }],
] as const;

describe.each(OVER)('an unconfirmed write by short name over %s', (_, framing, transport) => {
  it.each([
    ['plain', { client: PUBLIC_SAP }],
    ['ciphered', { client: UTILITY_SAP, keys: { ek: KEYS.ek, ak: KEYS.ak }, systemTitle: UTILITY }],
  ])('changes the meter, which returns nothing, %s', async (_kind, who) => {
    const { port, state } = await meter(framing);
    let counter = 1;
    const association = { shortNames: {}, nextCounter: () => counter++ };
    const connected = await Meter.connect({ host: '127.0.0.1', port, ...transport, ...who, association });
    closing.push(() => connected.close());
    const object = connected.object(clock, CLOCK.instance);
    // The response to the read is the next APDU that arrives: nothing was sent before it.
    expect(await object.setUnconfirmed('timeZone', -60)).toBe('sent');
    expect(await object.get('timeZone')).toBe(-60);
    expect(await object.invokeUnconfirmed('adjustToQuarter')).toBe('sent');
    expect(await object.get('timeZone')).toBe(-60);
    expect(state.adjusted).toBe(1);
  });

  it('sets the clocks of all meters under the broadcast key', async () => {
    const { port, state, shortNames } = await meter(framing);
    const peer = { host: '127.0.0.1', port, clientSap: BROADCAST_SAP, serverSap: ALL_STATION_SAP, timeoutMs: 200, ...transport };
    const session = await connectSession(peer);
    closing.push(() => session.close());
    const client = new ClientAssociation({
      mechanism: 'none',
      ciphered: true,
      systemTitle: UTILITY,
      keys: KEYS,
      cipher: nodeCipher,
      maxPduSize: 1024,
      preEstablished: { maxPduSize: 1024, broadcast: true },
      shortNames: { known: shortNames },
      nextCounter: () => 1,
      peer: { counter: -1 },
    });
    client.open().next();
    const changed = new Promise<void>((resolve) => (state.changed = resolve));
    const data = encode(dataCodec, { type: 'long', value: -120 });
    session.send(client.buildUnconfirmed({ set: { ref: { ...CLOCK, attributeId: TIME_ZONE }, data } }));
    await changed;
  });
});
