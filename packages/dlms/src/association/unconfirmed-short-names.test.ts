import { describe, expect, it } from 'vitest';
import { encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { obis } from '../cosem/obis.ts';
import { readCipheredApdu } from '../security/protection.ts';
import { runExchange } from './exchange.ts';
import type { ClientRule, ServerObject } from './server-options.ts';
import { AssociationWorld, CLIENT_TITLE, CLOCK, failureOf, KEYS, REGISTER } from '../../test/support/association-world.ts';

const VALUE = encode(dataCodec, { type: 'doubleLongUnsigned', value: 7 });
const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
const RESET = { ...REGISTER, methodId: 1 };
const PLAIN = { sap: 2, mechanism: 'none', ciphered: false } as const;

/** A meter with short names, whose relay records its methods. */
function meter() {
  const invoked: number[] = [];
  const relay: ServerObject = {
    ...RELAY,
    version: 0,
    read: () => 'readWriteDenied',
    invoke: (methodId) => {
      invoked.push(methodId);
      return { result: 'success' };
    },
  };
  return { invoked, world: new AssociationWorld({ shortNames: true, more: [relay] }) };
}

function opened(world: AssociationWorld, options: Parameters<AssociationWorld['client']>[0]) {
  const client = world.client({ ...options, shortNames: {} });
  runExchange(client.open(), world.talk);
  return client;
}

describe.each([
  ['plain', PLAIN, 0x16],
  ['ciphered', { sap: 1 }, 0x36],
  ['under a dedicated key', { sap: 1, dedicatedKey: fromHex('F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF') }, 0x56],
] as const)('an unconfirmed write by short name, %s', (_, options, tag) => {
  it('sets an attribute or invokes a method without a response', () => {
    const { world, invoked } = meter();
    const client = opened(world, options);
    runExchange(client.locate([REGISTER, RELAY]), world.talk);
    const apdu = client.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } });
    expect(apdu[0]).toBe(tag);
    expect(world.talkAll(apdu)).toEqual([]);
    expect(runExchange(client.get(REGISTER), world.talk)).toEqual({ ok: true, data: VALUE });
    expect(world.talkAll(client.buildUnconfirmed({ invoke: { ref: { ...RELAY, methodId: 2 } } }))).toEqual([]);
    expect(invoked).toEqual([2]);
  });

  it('has no response either when it is refused, broken or replayed', () => {
    const { world } = meter();
    const client = opened(world, options);
    runExchange(client.locate([CLOCK]), world.talk);
    const apdu = client.buildUnconfirmed({ set: { ref: { ...CLOCK, attributeId: 1 }, data: VALUE } });
    expect([...world.talkAll(apdu), ...world.talkAll(apdu), ...world.talkAll(apdu.subarray(0, -1))]).toEqual([]);
    expect(runExchange(client.get(REGISTER), world.talk).ok).toBe(true);
  });
});

describe('an unconfirmed write by short name', () => {
  it('is encoded with the base name of the object and without an invoke id', () => {
    const { world } = meter();
    const client = opened(world, PLAIN);
    runExchange(client.locate([REGISTER]), world.talk);
    const { baseName = 0 } = world.shortNames.find(({ classId }) => classId === REGISTER.classId) ?? {};
    const name = (baseName + 8).toString(16).padStart(4, '0').toUpperCase();
    expect(toHex(client.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } }))).toBe(`160102${name}010600000007`);
  });

  it('is built only for objects whose base name was read in this association', () => {
    const { world } = meter();
    const first = opened(world, PLAIN);
    expect(first.isLocated(REGISTER)).toBe(false);
    expect(() => first.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } })).toThrow('run locate before');
    runExchange(first.get(REGISTER), world.talk);
    expect(first.isLocated(REGISTER)).toBe(true);
    expect(first.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } })[0]).toBe(0x16);
    const known = world.client({ ...PLAIN, shortNames: { known: world.shortNames } });
    runExchange(known.open(), world.talk);
    expect(known.isLocated(REGISTER)).toBe(false);
    runExchange(known.locate([REGISTER]), world.talk);
    expect([known.isLocated(REGISTER), known.isLocated(CLOCK)]).toEqual([true, false]);
  });

  it('is not built for an unknown object, a method that returns data, without the grant, or if it is too long', () => {
    const { world } = meter();
    const client = opened(world, PLAIN);
    runExchange(client.locate([REGISTER]), world.talk);
    const unknown = { ...REGISTER, instance: obis('1.1.1.1.1.1') };
    const codeOf = (request: Parameters<typeof client.buildUnconfirmed>[0]) => failureOf(() => client.buildUnconfirmed(request))?.code;
    expect(codeOf({ set: { ref: unknown, data: VALUE } })).toBe('NOT_GRANTED');
    expect(codeOf({ invoke: { ref: { classId: 12, instance: obis('0.0.40.0.0.255'), methodId: 8 }, argument: VALUE } })).toBe(
      'NOT_GRANTED',
    );
    const long = encode(dataCodec, { type: 'octetString', value: new Uint8Array(2000) });
    expect(codeOf({ set: { ref: REGISTER, data: long } })).toBe('BLOCK_ERROR');
    const limited = opened(world, { ...PLAIN, withheld: ['unconfirmedWrite'] });
    runExchange(limited.locate([REGISTER]), world.talk);
    expect(failureOf(() => limited.buildUnconfirmed({ invoke: { ref: RESET } }))?.code).toBe('NOT_GRANTED');
  });

  it('is executed only by a server that granted it', () => {
    const { world } = meter();
    const granted = opened(world, PLAIN);
    runExchange(granted.locate([REGISTER]), world.talk);
    const apdu = granted.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } });
    const limited = opened(world, { ...PLAIN, withheld: ['unconfirmedWrite'] });
    expect(world.talkAll(apdu)).toEqual([]);
    expect(runExchange(limited.get(REGISTER), world.talk)).not.toEqual({ ok: true, data: VALUE });
  });

  it('is ignored before authentication', () => {
    const { world } = meter();
    const granted = opened(world, PLAIN);
    runExchange(granted.locate([REGISTER]), world.talk);
    const apdu = granted.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } });
    const unproved = world.client({ sap: 4, mechanism: 'hlsGmac', ciphered: false, shortNames: {} });
    world.talk(unproved.open().next().value as Uint8Array); // as: the first step yields the AARQ
    expect(world.talkAll(apdu)).toEqual([]);
    world.clientSap = 2;
    expect(runExchange(granted.get(REGISTER), world.talk)).not.toEqual({ ok: true, data: VALUE });
  });
});

describe('a broadcast by short names', () => {
  const bk = fromHex('66'.repeat(16));
  const rule: ClientRule = {
    mechanism: 'none',
    ciphered: true,
    clientTitle: CLIENT_TITLE,
    preEstablished: { conformance: ['read', 'write', 'unconfirmedWrite'], maxPduSize: 1024 },
  };

  it('is under the broadcast key, with the known base names, and reaches clock and image transfer only', () => {
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
    const world = new AssociationWorld({ rule, keys: { ...KEYS, bk }, shortNames: true, more: [clock] });
    const client = world.client({
      mechanism: 'none',
      ciphered: true,
      keys: { ...KEYS, bk },
      preEstablished: { maxPduSize: 1024, broadcast: true },
      shortNames: { known: world.shortNames },
    });
    runExchange(client.open(), () => undefined);
    const apdu = client.buildUnconfirmed({ set: { ref: CLOCK, data: VALUE } });
    expect(readCipheredApdu(apdu).securityControl).toBe(0x70);
    expect([...world.talkAll(apdu), ...world.talkAll(apdu)]).toEqual([]);
    expect(written).toEqual(['doubleLongUnsigned']);
    expect(world.talkAll(client.buildUnconfirmed({ set: { ref: REGISTER, data: VALUE } }))).toEqual([]);
    expect(runExchange(opened(world, PLAIN).get(REGISTER), world.talk)).not.toEqual({ ok: true, data: VALUE });
  });
});
