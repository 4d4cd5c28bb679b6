import { beforeEach, describe, expect, it } from 'vitest';
import { AssociationWorld, CLOCK, failureOf, REGISTER } from '../../test/support/association-world.ts';
import { obis } from '../cosem/obis.ts';
import { runExchange } from './exchange.ts';
import type { ClientAssociation } from './client.ts';

const WITH_LIST = 3;
const GET_RESPONSE = 0xc4;
const UNKNOWN = { classId: 3, instance: obis('1.0.99.99.99.255'), attributeId: 2 };
const PLAIN = { sap: 2, mechanism: 'none' as const, ciphered: false };

let world: AssociationWorld;
let requests: number[];

/** A server that leaves out the choice of a result before the error of an object that it lacks, as the meter of Gurux does. */
const withoutChoice = (apdu: Uint8Array): Uint8Array | undefined => {
  requests.push(apdu[1] ?? 0);
  const answer = world.talk(apdu);
  const isList = answer?.[0] === GET_RESPONSE && answer[1] === WITH_LIST;
  return isList ? Uint8Array.of(...answer.subarray(0, -2), ...answer.subarray(-1)) : answer;
};

function opened(options: Parameters<AssociationWorld['client']>[0]): ClientAssociation {
  const client = world.client(options);
  runExchange(client.open(), world.talk);
  return client;
}

beforeEach(() => {
  world = new AssociationWorld();
  requests = [];
});

describe('a client whose server encodes lists wrongly', () => {
  it('reads the members one by one, and sends no list again in this association', () => {
    const client = opened(PLAIN);
    const read = () => runExchange(client.getList([REGISTER, CLOCK, UNKNOWN]), withoutChoice);
    const results = read();
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(results[2]).toEqual({ ok: false, result: 'objectUndefined' });
    expect(read()).toEqual(results);
    expect(requests).toEqual([WITH_LIST, 1, 1, 1, 1, 1, 1]);
  });

  it('takes octets that are not authentic for no answer of the server', () => {
    const client = opened({});
    const forged = (apdu: Uint8Array) => {
      const answer = world.talk(apdu);
      return answer && Uint8Array.of(...answer.subarray(0, -1), (answer.at(-1) ?? 0) ^ 1);
    };
    expect(failureOf(() => runExchange(client.getList([REGISTER, CLOCK]), forged))).toMatchObject({ code: 'DECRYPT_FAILED' });
    expect(client.state).toBe('released');
  });
});
