import { describe, expect, it } from 'vitest';
import { AssociationWorld, CLOCK, ECHO, failureOf, LONG, REGISTER } from '../../test/support/association-world.ts';
import type { ShortNamedObject } from '../catalogue/short-names.ts';
import { decode, encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import { obis } from '../cosem/obis.ts';
import { entrySelection } from '../cosem/selective-access.ts';
import { apduCodec } from '../xdlms/apdu.ts';
import { aarq } from '../acse/aarq.ts';
import { ClientAssociation } from './client.ts';
import type { ClientOptions, ShortNameOptions } from './client-options.ts';
import { runExchange, type Exchange } from './exchange.ts';
import type { ServerObject } from './server-options.ts';

const SECRET = fromHex('4775727578');
const NUMBER = encode(dataCodec, { type: 'unsigned', value: 7 });
const INTEGER_0 = encode(dataCodec, { type: 'integer', value: 0 });
const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
const SETUP_V1 = { classId: 64, instance: obis('0.0.43.0.1.255') };
const MISSING = { classId: 3, instance: obis('1.0.99.99.99.255'), attributeId: 2 };

/** A relay, and a setup whose methods return their argument. */
function moreObjects(calls: unknown[] = []): ServerObject[] {
  return [
    { ...RELAY, version: 0, read: () => NUMBER, invoke: (id, argument) => (calls.push([id, argument]), { result: 'success' }) },
    {
      ...SETUP_V1,
      version: 1,
      read: () => 'readWriteDenied',
      invoke: (id, argument) =>
        id === 1 ? { result: 'readWriteDenied' } : { result: 'success', data: encode(dataCodec, argument ?? { type: 'null' }) },
    },
  ];
}

function opened(
  { calls = [], ...how }: Partial<ClientOptions> & { sap?: number; calls?: unknown[] } = {},
  names: ShortNameOptions = {},
  world = new AssociationWorld({ shortNames: true, more: moreObjects(calls) }),
) {
  const client = world.client({ mechanism: 'none', ciphered: false, sap: 2, ...how, shortNames: names });
  const run = <T>(exchange: Exchange<T>): T => runExchange(exchange, world.talk);
  run(client.open());
  const requests = () => world.frames.filter(({ direction }) => direction === 'down').map(({ apdu, plain }) => plain ?? apdu);
  return { world, client, run, requests };
}

const SECURED = [
  ['without security', { sap: 2, mechanism: 'none', ciphered: false }],
  ['with a password', { sap: 3, mechanism: 'low', ciphered: false }],
  ['with GMAC', { sap: 4, mechanism: 'hlsGmac', ciphered: false }],
  ['with GMAC and ciphering', { sap: 1, mechanism: 'hlsGmac', ciphered: true }],
  ['with GMAC and general ciphering', { sap: 1, mechanism: 'hlsGmac', ciphered: true, generalProtection: true }],
  ['with a dedicated key', { sap: 1, mechanism: 'hlsGmac', ciphered: true, dedicatedKey: fromHex('F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF') }],
] as const;

describe.each(SECURED)('an association with short names, %s', (_, how) => {
  it('reads, alone and by list, writes and invokes by class and logical name', () => {
    const calls: unknown[] = [];
    const { client, run } = opened({ ...how, calls });
    expect(run(client.get(REGISTER))).toMatchObject({ ok: true });
    expect(run(client.set(REGISTER, NUMBER))).toEqual({ ok: true });
    expect(run(client.getList([REGISTER, MISSING, { ...REGISTER, attributeId: 1 }, CLOCK]))).toMatchObject([
      { ok: true, data: NUMBER },
      { ok: false, result: 'objectUndefined' },
      { ok: true },
      { ok: true },
    ]);
    const sets = [
      { ref: CLOCK, data: NUMBER },
      { ref: MISSING, data: NUMBER },
      { ref: ECHO, data: NUMBER },
    ];
    expect(run(client.setList(sets))).toEqual([
      { ok: false, result: 'readWriteDenied' },
      { ok: false, result: 'objectUndefined' },
      { ok: true },
    ]);
    expect(run(client.invoke({ ...RELAY, methodId: 2 }, INTEGER_0))).toEqual({ ok: true });
    expect(calls).toEqual([[2, { type: 'integer', value: 0 }]]);
    run(client.release());
    expect(client.state).toBe('released');
  });

  it('transfers long values in blocks, both ways, and selects', () => {
    const { client, run, world } = opened({ ...how, maxPduSize: 200 });
    expect(run(client.get(LONG))).toEqual({ ok: true, data: world.longData });
    const long = encode(dataCodec, { type: 'octetString', value: new Uint8Array(5000).fill(7) });
    expect(run(client.set(ECHO, long))).toEqual({ ok: true });
    expect(run(client.get(ECHO))).toEqual({ ok: true, data: long });
    expect(run(client.getList([ECHO, REGISTER, LONG]))).toMatchObject([{ ok: true, data: long }, { ok: true }, { ok: true }]);
    const selection = entrySelection({ fromEntry: 3, toEntry: 6 });
    expect(run(client.get(LONG, selection))).toEqual({ ok: true, data: encode(dataCodec, selection.parameters) });
    // The request itself is longer than a PDU of the meter.
    const wide = { selector: 1, parameters: { type: 'octetString', value: new Uint8Array(3000).fill(9) } as Data };
    expect(run(client.get(LONG, wide))).toEqual({ ok: true, data: encode(dataCodec, wide.parameters) });
  });
});

describe('mutual authentication with short names', () => {
  it.each(['hls', 'hlsMd5', 'hlsSha1', 'hlsSha256'] as const)('by %s', (mechanism) => {
    const rule = { mechanism, ciphered: false, password: SECRET };
    const world = () => new AssociationWorld({ rule, shortNames: true });
    const { client, run } = opened({ sap: 1, mechanism, password: SECRET }, {}, world());
    expect(run(client.get(REGISTER))).toMatchObject({ ok: true });
    const wrong = failureOf(() => opened({ sap: 1, mechanism, password: fromHex('00') }, {}, world()));
    expect(wrong?.code).toBe('AUTH_FAILED');
  });

  it('precedes everything else', () => {
    const world = new AssociationWorld({ rule: { mechanism: 'hlsMd5', ciphered: false, password: SECRET }, shortNames: true });
    const client = world.client({ mechanism: 'hlsMd5', ciphered: false, password: SECRET, shortNames: {} });
    world.talk(client.open().next().value ?? SECRET);
    for (const early of [
      '0501 02 1008',
      '0601 02 1008 01 1107',
      '0501 04 1008 01 0900',
      '0502 04 FA58 01 0900 02 1008',
      'C001C1000701000501000000FF0200',
    ])
      expect(toHex(world.talk(fromHex(early)) ?? SECRET)).toBe('D80101');
    expect(world.device.isAssociated(1)).toBe(false);
  });
});

describe('the contexts', () => {
  it('are asked for by their names, with the services of short names', () => {
    const { requests, client, world } = opened({ sap: 1, mechanism: 'hlsGmac', ciphered: true });
    expect(decode(aarq, requests()[0] ?? SECRET).applicationContext).toBe('snCiphered');
    expect(client.negotiated.conformance.toSorted()).toEqual(
      ['blockTransferGet', 'blockTransferSet', 'multipleReferences', 'parameterizedAccess', 'read', 'unconfirmedWrite', 'write'].toSorted(),
    );
    expect(world.device.isAssociated(1)).toBe(true);
  });

  it('are not mixed: a meter with short names has no logical names, and the reverse', () => {
    const short = new AssociationWorld({ shortNames: true });
    const logical = new AssociationWorld();
    const open = (world: AssociationWorld, names?: ShortNameOptions) =>
      failureOf(() =>
        runExchange(world.client({ mechanism: 'none', ciphered: false, sap: 2, ...(names && { shortNames: names }) }).open(), world.talk),
      )?.code;
    expect([open(short), open(logical, {}), open(short, {}), open(logical)]).toEqual(['REFUSED', 'REFUSED', undefined, undefined]);
    const { client, run } = opened();
    expect(failureOf(() => run(client.access([{ kind: 'get', ref: REGISTER }])))?.code).toBe('NOT_GRANTED');
    expect(client.state).toBe('associated');
  });
});

describe('methods', () => {
  it('that return data are invoked by READ, all others by WRITE', () => {
    const { client, run, requests } = opened();
    run(client.invoke({ ...RELAY, methodId: 1 }, INTEGER_0));
    expect(decode(apduCodec, requests().at(-1) ?? SECRET)).toMatchObject({ apdu: 'writeRequest' });
    const agreement = encode(dataCodec, { type: 'array', value: [{ type: 'unsigned', value: 1 }] });
    expect(run(client.invoke({ ...SETUP_V1, methodId: 3 }, agreement))).toEqual({ ok: true, data: agreement });
    expect(decode(apduCodec, requests().at(-1) ?? SECRET)).toMatchObject({
      apdu: 'readRequest',
      specifications: [{ kind: 'parameterizedAccess', selector: 0 }],
    });
  });

  it('that a meter refuses, does not have, or that have no short name, are refused by their results', () => {
    const { client, run } = opened();
    const results = run(
      client.invokeList([
        { ref: { ...SETUP_V1, methodId: 1 }, argument: NUMBER },
        { ref: { ...MISSING, methodId: 1 } },
        { ref: { ...ECHO, methodId: 1 } },
        { ref: { ...RELAY, methodId: 9 }, argument: NUMBER },
      ]),
    );
    expect(results.map((one) => (one.ok ? 'success' : one.result))).toEqual([
      'readWriteDenied',
      'objectUndefined',
      'objectUnavailable',
      'objectUnavailable',
    ]);
  });

  it('are never sent again after a timeout', () => {
    const { client, run } = opened();
    run(client.get(REGISTER));
    const exchange = client.invoke({ ...RELAY, methodId: 1 }, INTEGER_0);
    exchange.next();
    expect(failureOf(() => exchange.next(new Uint8Array(0)))?.detail).toContain('may not be repeated');
    const { client: other, run: runOther } = opened();
    runOther(other.get(REGISTER));
    const reading = other.get(REGISTER);
    reading.next();
    // A response without invoke id could belong to either of two requests.
    expect(failureOf(() => reading.next(new Uint8Array(0)))?.detail).toContain('may not be repeated');
  });
});

describe('the object list', () => {
  const learnFrom = (world: AssociationWorld): ShortNamedObject[] => {
    const learnt: ShortNamedObject[] = [];
    const { client, run } = opened({}, { onLearnt: (objects) => void learnt.push(...objects) }, world);
    run(client.get(REGISTER));
    return learnt;
  };
  const world = () => new AssociationWorld({ shortNames: true, more: moreObjects() });
  const listReads = (requests: Uint8Array[]) => requests.filter((apdu) => toHex(apdu) === '050102FA08').length;

  it('is read once in an association, with the first object', () => {
    const { client, run, requests } = opened();
    for (const ref of [REGISTER, CLOCK, MISSING, REGISTER]) run(client.get(ref));
    expect(listReads(requests())).toBe(1);
  });

  it('of an earlier association is used after the logical name of each object was compared', () => {
    const meter = world();
    const { client, run, requests } = opened({}, { known: learnFrom(world()) }, meter);
    const before = requests().length;
    for (let i = 0; i < 3; i++) expect(run(client.get(CLOCK))).toMatchObject({ ok: true });
    expect(requests().length - before).toBe(4);
    run(client.invoke({ ...RELAY, methodId: 1 }, INTEGER_0));
    expect(listReads(requests())).toBe(0);
  });

  it('is read again when an object has another base name, before anything is written or invoked', () => {
    const other = { ...RELAY, instance: obis('0.0.96.3.11.255'), version: 0, read: () => NUMBER };
    const calls: unknown[] = [];
    const [relay, ...rest] = moreObjects(calls);
    if (relay === undefined) throw new Error('No relay');
    const known = learnFrom(new AssociationWorld({ shortNames: true, more: [relay, ...rest] }));
    const learnt: ShortNamedObject[] = [];
    const changed = new AssociationWorld({ shortNames: true, more: [other, relay, ...rest] });
    const { client, run, requests } = opened({}, { known, onLearnt: (objects) => void learnt.push(...objects) }, changed);
    expect(run(client.invoke({ ...RELAY, methodId: 1 }, INTEGER_0))).toEqual({ ok: true });
    expect(calls).toHaveLength(1);
    expect(listReads(requests())).toBe(1);
    expect(learnt).toEqual(changed.shortNames);
  });

  it('is read again when it does not have the object', () => {
    const known = learnFrom(new AssociationWorld({ shortNames: true }));
    const { client, run, requests } = opened({}, { known });
    expect(run(client.get({ ...RELAY, attributeId: 2 }))).toEqual({ ok: true, data: NUMBER });
    expect(listReads(requests())).toBe(1);
  });

  it('that is refused ends the request only', () => {
    const { client, world: meter } = opened();
    const refuse = (apdu: Uint8Array) => (toHex(apdu) === '050102FA08' ? fromHex('0C010103') : meter.talk(apdu));
    expect(failureOf(() => runExchange(client.get(REGISTER), refuse))?.code).toBe('NOT_GRANTED');
    expect(client.state).toBe('associated');
  });
});

describe('a peer with short names', () => {
  const talking = (answers: readonly string[]) => {
    const { client, run } = opened();
    run(client.get(REGISTER));
    const left = [...answers];
    const answer = () => fromHex(left.shift() ?? '00');
    return (refs?: (typeof REGISTER)[]) =>
      refs === undefined ? runExchange(client.get(REGISTER), answer) : runExchange(client.getList(refs), answer);
  };

  it('may send the Data of a result in blocks without its count', () => {
    const bare = '0C01 02 00 0001 03 090412'.replaceAll(' ', '');
    expect(talking([bare, '0C01020100020434567890'.replace('0434567890', '03345678')])()).toEqual({
      ok: true,
      data: fromHex('090412345678'),
    });
    expect(talking(['0C01 02 01 0001 08 0100090412345678'])()).toEqual({ ok: true, data: fromHex('090412345678') });
    expect(talking(['0C01 02 01 0001 03 010103'])()).toEqual({ ok: false, result: 'readWriteDenied' });
    expect(talking(['0C01 02 00 0001 01 01', '0C01010E'])()).toEqual({ ok: false, result: 'dataBlockUnavailable' });
  });

  it.each([
    ['a block out of order', ['0C01020000020101'], 'BLOCK_ERROR'],
    ['a repeated block', ['0C01020000010101', '0C01020000010101'], 'BLOCK_ERROR'],
    ['an empty block before the last', ['0C010200000100'], 'BLOCK_ERROR'],
    ['two results for one request', ['0C02001101001102'], 'UNEXPECTED_ANSWER'],
    ['a block number instead of a value', ['0C01030001'], 'UNEXPECTED_ANSWER'],
    ['a response to a write', ['0D0100'], 'UNEXPECTED_ANSWER'],
    ['a confirmed service error', ['0E050503'], 'EXCEPTION'],
  ])('is refused when it sends %s', (_, answers, code) => {
    expect(failureOf(() => talking(answers)())?.code).toBe(code);
  });

  it('may refuse a list with one result', () => {
    expect(talking(['0C010103'])([REGISTER, CLOCK])).toEqual([
      { ok: false, result: 'readWriteDenied' },
      { ok: false, result: 'readWriteDenied' },
    ]);
  });

  it('may report in between', () => {
    const { client, run, world } = opened();
    run(client.get(REGISTER));
    const exchange = client.get(REGISTER);
    const request = exchange.next().value;
    expect(exchange.next(fromHex('18 00 01 02 0010 01 1201F4')).done).toBe(false);
    expect(exchange.next(world.talk(request as Uint8Array) ?? SECRET)).toMatchObject({ done: true, value: { ok: true } }); // as: not done
  });
});

it('the server refuses blocks out of order, unknown names and unequal counts', () => {
  const { world } = opened();
  const answers = [
    ['0501 05 0001', '0C010110'],
    ['0501 06 00 0002 01 01', '0C01010E'],
    ['0501 06 00 0001 01 01', '0C01030001'],
    ['0501 06 01 0003 01 01', '0C010113'],
    ['0601 07 00 0002 01 0901 01', '0D01010E'],
    ['0601 07 00 0001 01 0901 01', '0D01020001'],
    ['0601 07 00 0004 01 0901 01', '0D010113'],
    ['0501 02 0008', '0C010104'],
    ['0501 02 1009', '0C010104'],
    ['0601 02 0008 01 1101', '0D010104'],
    ['0602 02 1008 02 1008 01 1101', '0D0201FA01FA'],
  ] as const;
  for (const [request, answer] of answers) expect([request, toHex(world.talk(fromHex(request)) ?? SECRET)]).toEqual([request, answer]);
});

it('is pre-established as well', () => {
  const rule = {
    mechanism: 'none' as const,
    ciphered: false,
    preEstablished: { conformance: ['read', 'multipleReferences'] as const, maxPduSize: 1024 },
  };
  const world = new AssociationWorld({ rule, shortNames: true });
  const client = new ClientAssociation(
    world.optionsOf({ mechanism: 'none', ciphered: false, preEstablished: { maxPduSize: 1024 }, shortNames: {} }),
  );
  runExchange(client.open(), world.talk);
  expect(runExchange(client.get(REGISTER), world.talk)).toMatchObject({ ok: true });
  expect(world.frames[0]?.apdu[0]).toBe(0x05);
});
