import { beforeEach, describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import { obis } from '../cosem/obis.ts';
import { entrySelection } from '../cosem/selective-access.ts';
import { isRefusedRequest } from './association-error.ts';
import type { ClientAssociation } from './client.ts';
import { runExchange } from './exchange.ts';
import { AssociationWorld, CLIENT_TITLE, CLOCK, failureOf, LONG, REGISTER } from '../../test/support/association-world.ts';

const octets = (data: Data): Uint8Array => encode(dataCodec, data);
const NUMBER = octets({ type: 'doubleLongUnsigned', value: 5009 });

let world: AssociationWorld;
let talk: AssociationWorld['talk'];

beforeEach(() => {
  world = new AssociationWorld();
  ({ talk } = world);
});

function opened(options: Parameters<AssociationWorld['client']>[0] = {}): ClientAssociation {
  const client = world.client(options);
  runExchange(client.open(), talk);
  return client;
}

describe.each([
  ['without security', { mechanism: 'none', ciphered: false, sap: 2 }],
  ['with a password', { mechanism: 'low', ciphered: false, sap: 3 }],
  ['with GMAC, unciphered', { mechanism: 'hlsGmac', ciphered: false, sap: 4 }],
  ['with GMAC, service-specific ciphering', { mechanism: 'hlsGmac', ciphered: true, sap: 1 }],
  ['with GMAC, general ciphering', { mechanism: 'hlsGmac', ciphered: true, sap: 1, generalProtection: true }],
] as const)('an association %s', (_, options) => {
  it('opens, reads, writes, invokes and is released', () => {
    const client = opened(options);
    expect(client.state).toBe('associated');
    expect(runExchange(client.get(REGISTER), talk)).toEqual({ ok: true, data: NUMBER });
    expect(runExchange(client.set(REGISTER, octets({ type: 'unsigned', value: 7 })), talk)).toEqual({ ok: true });
    expect(runExchange(client.get(REGISTER), talk)).toEqual({ ok: true, data: octets({ type: 'unsigned', value: 7 }) });
    const reset = { classId: 3, instance: REGISTER.instance, methodId: 1 };
    expect(runExchange(client.invoke(reset, octets({ type: 'integer', value: 0 })), talk)).toMatchObject({ ok: true });
    runExchange(client.release(), talk);
    expect(client.state).toBe('released');
    expect(world.device.isAssociated(options.sap)).toBe(false);
  });

  it('reads a list with one round trip', () => {
    const client = opened(options);
    let trips = 0;
    const results = runExchange(client.getList([REGISTER, { ...REGISTER, instance: obis('1.0.2.8.0.255') }, CLOCK]), (apdu) => {
      trips++;
      return talk(apdu);
    });
    expect(results).toEqual([
      { ok: true, data: NUMBER },
      { ok: false, result: 'objectUndefined' },
      { ok: true, data: expect.any(Uint8Array) },
    ]);
    expect(trips).toBe(1);
  });

  it.each([64, 128, 700, 65_535])('reads a long buffer with a PDU size of %i', (maxPduSize) => {
    const client = opened({ ...options, maxPduSize });
    const sizes: number[] = [];
    const result = runExchange(client.get(LONG), (apdu) => {
      const answer = talk(apdu);
      sizes.push(answer?.length ?? 0);
      return answer;
    });
    expect(result).toEqual({ ok: true, data: world.longData });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxPduSize);
    expect(sizes.length).toBeGreaterThanOrEqual(Math.ceil(world.longData.length / maxPduSize));
  });

  it('reads a list in blocks when it does not fit', () => {
    const client = opened({ ...options, maxPduSize: 256 });
    expect(runExchange(client.getList([LONG, REGISTER]), talk)).toEqual([
      { ok: true, data: world.longData },
      { ok: true, data: NUMBER },
    ]);
  });
});

describe('responses of a server', () => {
  it('passes selective access to its objects', () => {
    const client = opened();
    const selection = entrySelection({ fromEntry: 2, toEntry: 3 });
    expect(runExchange(client.get(LONG, selection), talk)).toEqual({ ok: true, data: octets(selection.parameters) });
  });

  it('refuses missing objects and denied access with specific results', () => {
    const client = opened();
    expect(runExchange(client.get({ ...REGISTER, attributeId: 9 }), talk)).toEqual({ ok: false, result: 'objectUndefined' });
    expect(runExchange(client.set(CLOCK, NUMBER), talk)).toEqual({ ok: false, result: 'readWriteDenied' });
    expect(runExchange(client.invoke({ ...CLOCK, methodId: 1 }), talk)).toEqual({ ok: false, result: 'readWriteDenied' });
    expect(runExchange(client.get({ ...REGISTER, classId: 99 }), talk)).toEqual({ ok: false, result: 'objectUndefined' });
  });

  it('restricts the public client to a few objects', () => {
    const client = opened({ mechanism: 'none', ciphered: false, sap: 16 });
    expect(runExchange(client.get(CLOCK), talk)).toMatchObject({ ok: true });
    expect(runExchange(client.get(REGISTER), talk)).toEqual({ ok: false, result: 'readWriteDenied' });
  });

  it('separates the associations of its clients', () => {
    const management = opened();
    world.clientSap = 16;
    const visitor = opened({ mechanism: 'none', ciphered: false, sap: 16 });
    runExchange(visitor.release(), talk);
    world.clientSap = 1;
    expect(runExchange(management.get(REGISTER), talk)).toMatchObject({ ok: true });
  });

  it('responds with an exception only, without an association and after the connection was lost', () => {
    const client = opened();
    world.device.reset(1);
    expect(() => runExchange(client.get(REGISTER), talk)).toThrow('EXCEPTION: serviceNotAllowed, serviceNotSupported');
  });

  it('falls back to single reads when lists are not granted', () => {
    const client = opened();
    const trips: number[] = [];
    Object.assign(client.negotiated, { conformance: ['get', 'blockTransferGet'] });
    const results = runExchange(client.getList([REGISTER, CLOCK]), (apdu) => {
      trips.push(apdu.length);
      return talk(apdu);
    });
    expect(results).toHaveLength(2);
    expect(trips).toHaveLength(2);
  });
});

describe.each([
  ['plain', { mechanism: 'none', ciphered: false, sap: 2 }],
  ['ciphered', { sap: 1 }],
] as const)('a request that is refused, %s', (_, options) => {
  it.each(['D80101', 'D80102', 'D80201', 'D80205', '0E010601'])('by %s leaves the association open', (refusal) => {
    const client = opened(options);
    const error = failureOf(() => runExchange(client.get(REGISTER), () => fromHex(refusal)));
    expect(error).toMatchObject({ code: 'EXCEPTION' });
    expect(isRefusedRequest(error)).toBe(true);
    expect(client.state).toBe('associated');
    expect(runExchange(client.get(REGISTER), talk)).toEqual({ ok: true, data: NUMBER });
    runExchange(client.release(), talk);
    expect(world.device.isAssociated(options.sap)).toBe(false);
  });

  it('of a service that was not granted is local, and leaves the association open', () => {
    const client = opened(options);
    Object.assign(client.negotiated, { conformance: ['get'] });
    const attempts = {
      set: () => client.set(REGISTER, NUMBER),
      'set ': () => client.setList([{ ref: REGISTER, data: NUMBER }]),
      action: () => client.invoke({ ...REGISTER, methodId: 1 }),
      'action ': () => client.invokeList([{ ref: { ...REGISTER, methodId: 1 } }]),
      access: () => client.access([{ kind: 'get', ref: REGISTER }]),
      selectiveAccess: () => client.get(LONG, entrySelection({ fromEntry: 1, toEntry: 2 })),
    };
    for (const [service, attempt] of Object.entries(attempts)) {
      const error = failureOf(() => attempt().next());
      expect(error).toMatchObject({ code: 'NOT_GRANTED', detail: `the server does not grant ${service.trim()}` });
      expect(isRefusedRequest(error)).toBe(true);
    }
    expect(client.state).toBe('associated');
    expect(runExchange(client.get(REGISTER), talk)).toEqual({ ok: true, data: NUMBER });
  });

  it('by any other error ends the association', () => {
    const client = opened(options);
    expect(failureOf(() => runExchange(client.get(REGISTER), () => fromHex('C501C200')))).toBeDefined();
    expect(client.state).toBe('released');
  });
});

describe('the end of a ciphered association', () => {
  it('is authenticated by the server, too', () => {
    const client = opened();
    let answer: Uint8Array | undefined;
    expect(runExchange(client.release(), (apdu) => (answer = talk(apdu)))).toEqual({ isProved: true });
    // RLRE, reason 0, user information: an octet string with glo-initiate-response.
    expect(toHex(answer ?? new Uint8Array())).toMatch(/^63..800100BE..04..28..30/);
  });

  it('takes effect without authentication, and with an invalid one', () => {
    const bare = () => fromHex('6303800100');
    expect(runExchange(opened().release(), bare)).toEqual({ isProved: false });
    const changed = (apdu: Uint8Array) => talk(apdu)?.map((octet, i, all) => (i === all.length - 1 ? octet ^ 1 : octet));
    expect(runExchange(opened().release(), changed)).toEqual({ isProved: false });
    expect(runExchange(opened({ sap: 2, mechanism: 'none', ciphered: false }).release(), talk)).toEqual({ isProved: false });
  });
});

describe('traces', () => {
  it('show the direction of each APDU of the opening', () => {
    opened();
    expect(world.frames.map(({ direction, apdu }) => [direction, apdu[0]])).toEqual([
      ['down', 0x60],
      ['up', 0x61],
      ['down', 0xcb],
      ['up', 0xcf],
    ]);
  });

  it('show every APDU with its plaintext', () => {
    const client = opened();
    runExchange(client.get(REGISTER), talk);
    const [down, up] = world.frames.slice(-2);
    expect(down).toMatchObject({ direction: 'down' });
    expect(down?.apdu[0]).toBe(0xc8);
    expect(toHex(down?.plain ?? new Uint8Array())).toBe('C001C200030100010800FF0200');
    expect(toHex(up?.plain ?? new Uint8Array())).toBe('C401C2000600001391');
    expect(decode(dataCodec, up?.plain?.subarray(4) ?? new Uint8Array())).toMatchObject({ value: 5009 });
  });
});

describe('counters', () => {
  it('are never used twice by either side, and are reported to their stores', () => {
    const client = opened();
    for (let i = 0; i < 5; i++) runExchange(client.get(REGISTER), talk);
    runExchange(client.release(), talk);
    expect(new Set(world.usedByClient).size).toBe(world.usedByClient.length);
    expect(new Set(world.usedByServer).size).toBe(world.usedByServer.length);
    expect(world.acceptedByServer.get(toHex(CLIENT_TITLE))).toBe(world.usedByClient.at(-1));
    expect(world.acceptedByClient).toBe(world.usedByServer.at(-1));
  });

  it('continue when an association is opened again', () => {
    opened();
    opened();
    expect(world.device.isAssociated(1)).toBe(true);
  });

  it('that were used before are refused with the lowest accepted counter', () => {
    opened();
    const used = world.acceptedByServer.get(toHex(CLIENT_TITLE)) ?? 0;
    world.nextClientCounter = 0;
    const error = failureOf(() => opened());
    expect(error).toMatchObject({ code: 'EXCEPTION', exception: { serviceError: 'invocationCounterError', invocationCounter: used + 1 } });
  });
});
