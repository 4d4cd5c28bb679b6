import { describe, expect, it } from 'vitest';
import { encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { obis } from '../cosem/obis.ts';
import { readCipheredApdu } from '../security/protection.ts';
import { runExchange } from './exchange.ts';
import type { ClientRule, ServerObject } from './server-options.ts';
import { AssociationWorld, CLIENT_TITLE, CLOCK, ECHO, failureOf, KEYS, LONG, REGISTER } from '../../test/support/association-world.ts';

const VALUE = encode(dataCodec, { type: 'doubleLongUnsigned', value: 7 });
const bk = fromHex('66'.repeat(16));

/** A client with an open association on a SAP of the world. */
function opened(world: AssociationWorld, ciphered: boolean) {
  const client = world.client(ciphered ? { sap: 1 } : { sap: 2, mechanism: 'none', ciphered: false });
  runExchange(client.open(), world.talk);
  return client;
}

describe.each([
  ['plain', false],
  ['ciphered', true],
])('an unconfirmed service, %s', (_, ciphered) => {
  it('is executed without a response', () => {
    const world = new AssociationWorld();
    const client = opened(world, ciphered);
    expect(world.talkAll(client.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } }))).toEqual([]);
    expect(runExchange(client.get(REGISTER), world.talk)).toEqual({ ok: true, data: VALUE });
    expect(world.talkAll(client.buildUnconfirmed({ invoke: { ref: { ...ECHO, methodId: 1 }, argument: VALUE } }))).toEqual([]);
  });

  it('has no response either when it is refused or broken', () => {
    const world = new AssociationWorld();
    const client = opened(world, ciphered);
    const unknown = { ...REGISTER, instance: obis('1.1.1.1.1.1') };
    expect(world.talkAll(client.buildUnconfirmed({ set: { ref: unknown, data: VALUE } }))).toEqual([]);
    if (!ciphered) expect(world.talkAll(fromHex('C10181000399'))).toEqual([]);
    expect(runExchange(client.get(REGISTER), world.talk).ok).toBe(true);
  });

  it('may be sent while an exchange awaits its response', () => {
    const world = new AssociationWorld();
    const client = opened(world, ciphered);
    const reading = client.get(REGISTER);
    const request = reading.next().value as Uint8Array; // as: the first step yields a request
    expect(world.talkAll(client.buildUnconfirmed({ set: { ref: ECHO, data: VALUE } }))).toEqual([]);
    // With ciphering the meter refuses the older counter, as it would be sent in order on a real line.
    if (ciphered) return;
    const response = world.talk(request) ?? new Uint8Array(0);
    expect(reading.next(response)).toMatchObject({ done: true, value: { ok: true } });
  });

  it('that does not fit one APDU, or was not granted, is not built', () => {
    const world = new AssociationWorld();
    const client = opened(world, ciphered);
    const long = encode(dataCodec, { type: 'octetString', value: new Uint8Array(2000) });
    expect(failureOf(() => client.buildUnconfirmed({ set: { ref: ECHO, data: long } }))?.code).toBe('BLOCK_ERROR');
    const limited = world.client({ sap: 2, mechanism: 'none', ciphered: false, withheld: ['set'] });
    runExchange(limited.open(), world.talk);
    expect(failureOf(() => limited.buildUnconfirmed({ set: { ref: ECHO, data: VALUE } }))?.code).toBe('NOT_GRANTED');
  });
});

it('the service class is a bit of the invoke id and priority: C1 01 80 for an unconfirmed SET', () => {
  const world = new AssociationWorld();
  const apdu = opened(world, false).buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } });
  expect(toHex(apdu.subarray(0, 2))).toBe('C101');
  expect((apdu[2] ?? 0) & 0xc0).toBe(0x80);
});

it('an unconfirmed GET has no response, and neither has an unconfirmed ACCESS', () => {
  const world = new AssociationWorld();
  opened(world, false);
  expect(world.talkAll(fromHex('C001810003 0100010800FF 0200'.replaceAll(' ', '')))).toEqual([]);
  expect(world.talkAll(fromHex('C001C10003 0100010800FF 0200'.replaceAll(' ', '')))).toHaveLength(1);
  expect(world.talkAll(fromHex('D900000001 00 01 01 0003 0100010800FF 02 01 00'.replaceAll(' ', '')))).toEqual([]);
});

describe('a broadcast', () => {
  const rule: ClientRule = {
    mechanism: 'none',
    ciphered: true,
    clientTitle: CLIENT_TITLE,
    preEstablished: { conformance: ['get', 'set', 'action'], maxPduSize: 1024 },
  };
  const options = {
    mechanism: 'none',
    ciphered: true,
    keys: { ...KEYS, bk },
    preEstablished: { maxPduSize: 1024, broadcast: true },
  } as const;

  /** A meter with the broadcast key that records the values written to its clock. */
  function meter(key: Uint8Array = bk) {
    const written: string[] = [];
    const clock: ServerObject = {
      ...CLOCK,
      version: 0,
      read: () => VALUE,
      write: (_id, data) => {
        written.push(data.type);
        return 'success';
      },
    };
    return { written, world: new AssociationWorld({ rule, keys: { ...KEYS, bk: key }, more: [clock] }) };
  }

  it('is under the broadcast key, reaches every meter that has it, and none answers', () => {
    const [first, second] = [meter(), meter()];
    const client = first.world.client(options);
    runExchange(client.open(), () => undefined);
    const apdu = client.buildUnconfirmed({ set: { ref: CLOCK, data: VALUE } });
    expect(readCipheredApdu(apdu).securityControl).toBe(0x70);
    for (const { world, written } of [first, second]) {
      expect(world.talkAll(apdu)).toEqual([]);
      expect(written).toEqual(['doubleLongUnsigned']);
    }
  });

  it('that is replayed or under another key changes nothing', () => {
    const { world, written } = meter();
    const client = world.client(options);
    runExchange(client.open(), () => undefined);
    const apdu = client.buildUnconfirmed({ set: { ref: CLOCK, data: VALUE } });
    world.talkAll(apdu);
    world.talkAll(apdu);
    const stranger = meter(KEYS.ak);
    stranger.world.talkAll(client.buildUnconfirmed({ set: { ref: CLOCK, data: VALUE } }));
    expect([written.length, stranger.written.length]).toEqual([1, 0]);
  });

  it('reaches clock and image transfer only', () => {
    const { world } = meter();
    const client = world.client(options);
    runExchange(client.open(), () => undefined);
    expect(world.talkAll(client.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } }))).toEqual([]);
    const reader = world.client({
      ...options,
      preEstablished: { maxPduSize: 1024 },
      peer: { systemTitle: fromHex('4D4D4D0000BC614E'), counter: -1 },
    });
    runExchange(reader.open(), world.talk);
    expect(runExchange(reader.get(REGISTER), world.talk)).not.toEqual({ ok: true, data: VALUE });
  });

  it('cannot read, and needs the broadcast key', () => {
    const { world } = meter();
    const client = world.client(options);
    runExchange(client.open(), () => undefined);
    expect(() => runExchange(client.get(LONG), world.talk)).toThrow('no response');
    expect(() => runExchange(world.client({ ...options, keys: KEYS }).open(), world.talk)).toThrow('broadcast key');
  });
});
