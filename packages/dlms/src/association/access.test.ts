import { beforeEach, describe, expect, it } from 'vitest';
import { AssociationWorld, CLOCK, ECHO, failureOf, LONG, REGISTER } from '../../test/support/association-world.ts';
import { decode, encode } from '../codec/codec.ts';
import { fromHex } from '../codec/hex.ts';
import { entrySelection } from '../cosem/selective-access.ts';
import { accessRequest, accessResponse } from '../xdlms/access.ts';
import type { ClientAssociation } from './client.ts';
import { runExchange } from './exchange.ts';

const METHOD = { classId: ECHO.classId, instance: ECHO.instance, methodId: 1 };
const NUMBER = fromHex('1107');
const NOTHING = fromHex('00');

let world: AssociationWorld;
beforeEach(() => {
  world = new AssociationWorld();
});

function opened(options: Parameters<AssociationWorld['client']>[0] = {}): ClientAssociation {
  const client = world.client(options);
  runExchange(client.open(), world.talk);
  return client;
}

describe.each([
  ['plain', { sap: 2, mechanism: 'none' as const, ciphered: false }],
  ['ciphered', { sap: 1, generalProtection: true }],
])('ACCESS, %s', (_, options) => {
  it('reads, writes and invokes in one round trip', () => {
    const client = opened(options);
    const { parameters, selector } = entrySelection({ fromEntry: 1, toEntry: 2 });
    const results = runExchange(
      client.access([
        { kind: 'set', ref: ECHO, data: NUMBER },
        { kind: 'get', ref: ECHO },
        { kind: 'action', ref: METHOD, data: NUMBER },
        { kind: 'get', ref: LONG, selection: { selector, parameters } },
        { kind: 'set', ref: CLOCK, data: NUMBER },
        { kind: 'get', ref: { ...REGISTER, classId: 99 } },
      ]),
      world.talk,
    );
    expect(results.map(({ result }) => result)).toEqual(['success', 'success', 'success', 'success', 'readWriteDenied', 'objectUndefined']);
    expect(results.map(({ data }) => data).slice(0, 3)).toEqual([NOTHING, NUMBER, NUMBER]);
  });

  it('stops at the first failure when asked to', () => {
    const client = opened(options);
    const items = [
      { kind: 'set', ref: CLOCK, data: NUMBER },
      { kind: 'set', ref: ECHO, data: NUMBER },
    ] as const;
    const results = (breakOnError: boolean) => runExchange(client.access(items, { breakOnError }), world.talk).map(({ result }) => result);
    expect(results(true)).toEqual(['readWriteDenied', 'otherReason']);
    expect(results(false)).toEqual(['readWriteDenied', 'success']);
  });
});

it('refuses a response to another request, or with another number of results', () => {
  const tampered = (id: number, count: number) => (apdu: Uint8Array) => {
    const { longInvoke } = decode(accessRequest, apdu);
    const results = Array.from({ length: count }, () => ({ kind: 'get' as const, result: 'success' as const }));
    return encode(accessResponse, { longInvoke: { ...longInvoke, id }, data: results.map(() => NUMBER), results });
  };
  const use = (talk: (apdu: Uint8Array) => Uint8Array) => () =>
    runExchange(opened({ sap: 2, mechanism: 'none', ciphered: false }).access([{ kind: 'get', ref: ECHO }]), talk);
  expect(use(tampered(1, 1))()).toEqual([{ result: 'success', data: NUMBER }]);
  expect(failureOf(use(tampered(2, 1)))?.code).toBe('UNEXPECTED_ANSWER');
  expect(failureOf(use(tampered(1, 2)))?.code).toBe('UNEXPECTED_ANSWER');
  expect(failureOf(use(() => fromHex('C401C1001101')))?.code).toBe('UNEXPECTED_ANSWER');
});
