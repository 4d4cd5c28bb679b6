import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  AssociationWorld,
  CLIENT_TITLE,
  CLOCK,
  failureOf,
  KEYS,
  LONG,
  METER_TITLE,
  REGISTER,
} from '../../test/support/association-world.ts';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { aare, type Aare } from '../acse/aare.ts';
import { aarq } from '../acse/aarq.ts';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { protect } from '../security/protection.ts';
import { getResponse, type GetResponse } from '../xdlms/get.ts';
import { AssociationError } from './association-error.ts';
import type { ClientAssociation } from './client.ts';
import { runExchange, type Exchange } from './exchange.ts';
import { isWithoutResponse } from './service-class.ts';

const WRONG_KEYS = { ...KEYS, ek: KEYS.ak };
const STRANGER = fromHex('4241440000000001');

let world: AssociationWorld;
beforeEach(() => {
  world = new AssociationWorld();
});

function opened(options: Parameters<AssociationWorld['client']>[0] = {}): ClientAssociation {
  const client = world.client(options);
  runExchange(client.open(), world.talk);
  return client;
}

/** Lets the meter respond and alters the response with this number. */
const tampered = (at: number, change: (answer: Uint8Array) => Uint8Array) => {
  let count = 0;
  return (apdu: Uint8Array): Uint8Array | undefined => {
    const answer = world.talk(apdu);
    return answer === undefined || count++ !== at ? answer : change(answer);
  };
};

const codeOf = (use: () => unknown): string | undefined => failureOf(use)?.code;

describe('a client', () => {
  it('reports wrong keys', () => {
    const error = failureOf(() => runExchange(world.client({ keys: WRONG_KEYS }).open(), world.talk));
    expect(error).toMatchObject({ code: 'EXCEPTION', exception: { serviceError: 'decipheringError' } });
  });

  it('is rejected with a wrong password, mechanism, context or address', () => {
    const open = (options: Parameters<AssociationWorld['client']>[0]) =>
      codeOf(() => runExchange(world.client(options).open(), world.talk));
    expect(open({ sap: 3, mechanism: 'low', ciphered: false, password: fromHex('00') })).toBe('AUTH_FAILED');
    expect(open({ sap: 3, mechanism: 'none', ciphered: false })).toBe('AUTH_FAILED');
    expect(open({ sap: 2, mechanism: 'low', ciphered: false })).toBe('REFUSED');
    expect(open({ sap: 1, mechanism: 'none', ciphered: false })).toBe('REFUSED');
    expect(open({ sap: 77 })).toBe('REFUSED');
    expect(open({ systemTitle: METER_TITLE })).toBe('REFUSED');
  });

  it('refuses a device other than the pinned one', () => {
    const peer = { systemTitle: STRANGER, counter: -1 };
    expect(codeOf(() => runExchange(world.client({ peer }).open(), world.talk))).toBe('WRONG_TITLE');
    const unciphered = { peer, sap: 4, ciphered: false };
    expect(codeOf(() => runExchange(world.client(unciphered).open(), world.talk))).toBe('WRONG_TITLE');
  });

  it('refuses a reflected challenge', () => {
    let challenge = new Uint8Array(0);
    const reflect = (apdu: Uint8Array): Uint8Array | undefined => {
      if (apdu[0] === 0x60) challenge = decode(aarq, apdu).authenticationValue?.slice() ?? challenge;
      const answer = world.talk(apdu);
      return answer?.[0] === 0x61 ? encode(aare, { ...decode(aare, answer), authenticationValue: challenge }) : answer;
    };
    expect(failureOf(() => runExchange(world.client().open(), reflect))).toMatchObject({
      code: 'AUTH_FAILED',
      detail: 'the server reflects our challenge',
    });
  });

  it('refuses a server with a wrong HLS answer', () => {
    const lie = tampered(1, (answer) => Uint8Array.of(...answer.subarray(0, -1), (answer.at(-1) ?? 0) ^ 1));
    const client = world.client({ sap: 4, ciphered: false });
    expect(codeOf(() => runExchange(client.open(), lie))).toBe('AUTH_FAILED');
    expect(client.state).toBe('released');
  });

  it('refuses a server without a challenge, and a plain InitiateResponse in a ciphered association', () => {
    const changed = (change: Partial<Aare>) => tampered(0, (answer) => encode(aare, { ...decode(aare, answer), ...change }));
    const open = (talk: (apdu: Uint8Array) => Uint8Array | undefined) => codeOf(() => runExchange(world.client().open(), talk));
    expect(open(changed({ authenticationValue: new Uint8Array(4) }))).toBe('AUTH_FAILED');
    expect(open(changed({ mechanism: 'low' }))).toBe('AUTH_FAILED');
    expect(open(changed({ userInformation: fromHex('0800065F1F040000501F01F40007') }))).toBe('DECRYPT_FAILED');
  });

  it('refuses unprotected data in a ciphered association', () => {
    const client = opened();
    const plain = encode(getResponse, performItem(3, { ok: true, data: fromHex('1101') }));
    expect(codeOf(() => runExchange(client.get(REGISTER), () => plain))).toBe('DECRYPT_FAILED');
  });

  it('ends the exchange on an unprotected exception', () => {
    const client = opened();
    expect(codeOf(() => runExchange(client.get(REGISTER), () => fromHex('D80205')))).toBe('EXCEPTION');
    expect(codeOf(() => runExchange(opened().get(REGISTER), () => fromHex('0E010601')))).toBe('EXCEPTION');
  });

  it('refuses a replayed response', () => {
    const client = opened();
    let first: Uint8Array | undefined;
    runExchange(client.get(REGISTER), (apdu) => (first = world.talk(apdu)));
    expect(codeOf(() => runExchange(client.get(REGISTER), () => first))).toBe('COUNTER_REPLAY');
  });

  it('refuses a response under another system title or key', () => {
    const answer = Uint8Array.of(...encode(getResponse, performItem(2, { ok: true, data: fromHex('1101') })));
    const sender = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc' as const, systemTitle: METER_TITLE, counter: 9999 };
    const forged = (change: Partial<typeof sender>) => () => protect(answer, { ...sender, ...change, form: 'general' });
    expect(codeOf(() => runExchange(opened().get(REGISTER), forged({ systemTitle: STRANGER })))).toBe('WRONG_TITLE');
    expect(codeOf(() => runExchange(opened().get(REGISTER), forged({ keys: WRONG_KEYS })))).toBe('DECRYPT_FAILED');
    expect(runExchange(opened().get(REGISTER), forged({}))).toEqual({ ok: true, data: fromHex('1101') });
  });
});

const performItem = (id: number, result: Extract<GetResponse, { kind: 'normal' }>['result']): GetResponse => ({
  kind: 'normal',
  invoke: { id, confirmed: true, highPriority: true },
  result,
});

describe('a meter that responds after the timeout', () => {
  it.each([{ sap: 1 }, { sap: 2, mechanism: 'none' as const, ciphered: false }])(
    'is not taken for the answer to the next request (%o)',
    (options) => {
      const client = opened(options);
      const givenUp = client.get(REGISTER);
      const late = world.talk(givenUp.next().value as Uint8Array); // as: the first step is a request
      const exchange = client.get(CLOCK);
      const request = exchange.next().value as Uint8Array; // as: the first step is a request
      expect(exchange.next(late ?? request)).toEqual({ done: false, value: new Uint8Array(0) });
      expect(exchange.next(world.talk(request) ?? late ?? request)).toMatchObject({ done: true, value: { ok: true } });
    },
  );

  it('does not disturb the next association', () => {
    const late = world.talk(opened().get(REGISTER).next().value as Uint8Array); // as: the first step is a request
    const exchange = world.client().open();
    const request = exchange.next().value as Uint8Array; // as: the first step is a request
    expect(exchange.next(late ?? request)).toEqual({ done: false, value: new Uint8Array(0) });
    expect(exchange.next(world.talk(request) ?? request).done).toBe(false);
  });

  it('fails the request when it sends only stale responses', () => {
    const client = opened({ sap: 2, mechanism: 'none', ciphered: false });
    runExchange(client.get(REGISTER), world.talk);
    const old = encode(getResponse, performItem(1, { ok: true, data: fromHex('00') }));
    expect(codeOf(() => runExchange(client.get(REGISTER), () => old))).toBe('UNEXPECTED_ANSWER');
  });

  it('cannot use an invoke id that was never sent', () => {
    const client = opened({ sap: 2, mechanism: 'none', ciphered: false });
    const strange = encode(getResponse, performItem(2, { ok: true, data: fromHex('00') }));
    expect(codeOf(() => runExchange(client.get(REGISTER), () => strange))).toBe('UNEXPECTED_ANSWER');
  });
});

describe('a meter that does not respond', () => {
  const NOTHING = new Uint8Array(0);
  const first = (exchange: Exchange<unknown>) => exchange.next().value as Uint8Array; // as: the first step is a request

  it('gets the request again under a new counter, and a late response is recognised as stale', () => {
    const client = opened();
    const exchange = client.get(REGISTER);
    const late = world.talk(first(exchange)) ?? NOTHING;
    const again = exchange.next(NOTHING).value as Uint8Array; // as: it requests the next block
    expect(world.usedByClient).toEqual([...new Set(world.usedByClient)]);
    expect(exchange.next(world.talk(again) ?? NOTHING)).toMatchObject({ done: true, value: { ok: true } });
    const next = client.get(CLOCK);
    const request = first(next);
    expect(next.next(late)).toEqual({ done: false, value: NOTHING });
    expect(next.next(world.talk(request) ?? NOTHING)).toMatchObject({ done: true, value: { ok: true } });
  });

  it('fails the request after only stale responses and timeouts', () => {
    const client = opened({ sap: 2, mechanism: 'none', ciphered: false });
    runExchange(client.get(REGISTER), world.talk);
    const old = encode(getResponse, performItem(1, { ok: true, data: fromHex('00') }));
    const asked: Uint8Array[] = [];
    const say = (apdu: Uint8Array) => {
      if (apdu.length === 0) return NOTHING;
      asked.push(apdu);
      return old;
    };
    expect(codeOf(() => runExchange(client.get(REGISTER), say))).toBe('UNEXPECTED_ANSWER');
    expect(asked).toHaveLength(9);
  });

  it('may respond to the first transmission after the second, and both responses are handled', () => {
    const client = opened();
    const exchange = client.get(REGISTER);
    const late = world.talk(first(exchange)) ?? NOTHING;
    const again = exchange.next(NOTHING).value as Uint8Array; // as: it requests the next block
    expect(exchange.next(late)).toMatchObject({ done: true, value: { ok: true } });
    const next = client.get(CLOCK);
    const request = first(next);
    expect(next.next(world.talk(again) ?? NOTHING)).toEqual({ done: false, value: NOTHING });
    expect(next.next(world.talk(request) ?? NOTHING)).toMatchObject({ done: true, value: { ok: true } });
  });

  it('never gets a SET or ACTION twice', () => {
    const order = opened().set(REGISTER, fromHex('1107'));
    first(order);
    expect(() => order.next(NOTHING)).toThrow('UNEXPECTED_ANSWER');
  });

  it('is read in blocks when any block or block request is lost', () => {
    for (const isHeard of [true, false]) {
      for (let lost = 0; lost < 5; lost++) {
        world = new AssociationWorld();
        let trip = 0;
        const result = runExchange(opened({ sap: 2, mechanism: 'none', ciphered: false, maxPduSize: 300 }).get(LONG), (apdu) => {
          const isLost = trip++ === lost;
          const answer = isLost && !isHeard ? undefined : world.talk(apdu);
          return isLost ? NOTHING : answer;
        });
        expect(result).toEqual({ ok: true, data: world.longData });
      }
    }
  });
});

describe('block transfer', () => {
  const plain = { sap: 2, mechanism: 'none' as const, ciphered: false, maxPduSize: 300 };
  const change = (at: number, edit: (block: Extract<GetResponse, { kind: 'withDatablock' }>) => GetResponse) =>
    tampered(at, (answer) => {
      const response = decode(getResponse, answer);
      return response.kind === 'withDatablock' ? encode(getResponse, edit(response)) : answer;
    });

  it('refuses a gap, an empty block, and a first block from the middle', () => {
    const read = (talk: ReturnType<typeof tampered>) => codeOf(() => runExchange(opened(plain).get(LONG), talk));
    expect(read(change(1, (block) => ({ ...block, blockNumber: 3 })))).toBe('BLOCK_ERROR');
    expect(read(change(0, (block) => ({ ...block, blockNumber: 2 })))).toBe('BLOCK_ERROR');
    expect(read(change(1, (block) => ({ ...block, result: { ok: true, data: new Uint8Array(0) } })))).toBe('BLOCK_ERROR');
  });

  /** A server that sends blocks of this many octets without end. */
  const endless = (octets: number) => {
    let blockNumber = 0;
    const data = new Uint8Array(octets);
    return (apdu: Uint8Array): Uint8Array => {
      const invoke = { id: (apdu[2] ?? 0) & 0x0f, confirmed: true, highPriority: true };
      blockNumber++;
      return encode(getResponse, { kind: 'withDatablock', invoke, lastBlock: false, blockNumber, result: { ok: true, data } });
    };
  };

  it.each([
    ['octets', 60_000, 4 * 1024 * 1024],
    ['blocks', 100, 8_192 * 100],
    ['blocks that are nearly empty', 1, 64],
  ])('stops a transfer without end at its limit of %s', (_limit, octets, atMost) => {
    const talk = endless(octets);
    let received = 0;
    const code = codeOf(() =>
      runExchange(opened(plain).get(LONG), (apdu) => {
        received += octets;
        return talk(apdu);
      }),
    );
    expect(code).toBe('TOO_LONG');
    expect(received).toBeGreaterThan(atMost - octets);
    expect(received).toBeLessThanOrEqual(atMost + octets);
  });

  it('accepts a long transfer in small blocks that ends', () => {
    const long = endless(32);
    let blocks = 0;
    const result = runExchange(opened(plain).get(LONG), (apdu) => {
      const answer = decode(getResponse, long(apdu));
      return ++blocks === 4_000 && answer.kind === 'withDatablock'
        ? encode(getResponse, { ...answer, lastBlock: true })
        : encode(getResponse, answer);
    });
    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.data.length).toBe(4_000 * 32);
  });

  it('returns the error of a block, even before the last one', () => {
    const talk = change(1, (block) => ({ ...block, lastBlock: false, result: { ok: false, result: 'longGetAborted' } }));
    expect(runExchange(opened(plain).get(LONG), talk)).toEqual({ ok: false, result: 'longGetAborted' });
  });

  it('skips a repeated block', () => {
    const client = opened(plain);
    let last: Uint8Array | undefined;
    let waiting: Uint8Array | undefined;
    const result = runExchange(client.get(LONG), (apdu) => {
      if (apdu.length === 0) return waiting;
      waiting = world.talk(apdu);
      const answer = apdu[1] === 2 && last !== undefined ? last : waiting;
      last = waiting;
      return answer;
    });
    expect(result).toEqual({ ok: true, data: world.longData });
  });

  it('of a server reports a wrong block number and a missing transfer', () => {
    opened(plain);
    expect(decode(getResponse, world.talk(fromHex('C002C100000001')) ?? new Uint8Array())).toMatchObject({
      result: { result: 'noLongGetInProgress' },
    });
    world.talk(fromHex('C001C100070100630100FF0200'));
    expect(decode(getResponse, world.talk(fromHex('C002C100000007')) ?? new Uint8Array())).toMatchObject({
      result: { result: 'dataBlockNumberInvalid' },
    });
  });
});

describe('a server', () => {
  it('refuses plain requests in a ciphered association with an exception and continues', () => {
    const client = opened();
    expect(world.talk(fromHex('C001C100030100010800FF0200'))).toEqual(fromHex('D80101'));
    expect(world.talk(fromHex('6203800100'))?.[0]).toBe(0xd8);
    expect(runExchange(client.get(REGISTER), world.talk)).toMatchObject({ ok: true });
  });

  it('refuses a replayed request with the lowest counter it accepts', () => {
    const client = opened();
    let request = new Uint8Array(0);
    runExchange(client.get(REGISTER), (apdu) => world.talk((request = apdu.slice())));
    const lowest = world.nextClientCounter;
    expect(world.talk(request)).toEqual(Uint8Array.of(0xd8, 2, 6, lowest >>> 24, lowest >>> 16, lowest >>> 8, lowest));
    expect(runExchange(client.get(REGISTER), world.talk)).toMatchObject({ ok: true });
  });

  it('refuses services before HLS completes', () => {
    const exchange = world.client({ sap: 4, ciphered: false }).open();
    exchange.next(world.talk(exchange.next().value as Uint8Array) ?? new Uint8Array()); // as: the first step is a request
    expect(world.talk(fromHex('C001C100030100010800FF0200'))).toEqual(fromHex('D80101'));
    const wrongProof = fromHex('C301C1000F0000280000FF010109111000000001000000000000000000000000');
    expect(world.talk(wrongProof)?.[3]).toBe(3);
    expect(world.talk(wrongProof)).toEqual(fromHex('D80102'));
  });
});

const tags = [0x60, 0x61, 0x62, 0x63, 0xc0, 0xc1, 0xc3, 0xc4, 0xc5, 0xc7, 0xc8, 0xcc, 0xd8, 0xd9, 0xda, 0x0e, 0x0f, 0xdb, 0xdd, 0xe0];
const noise = fc
  .tuple(fc.option(fc.constantFrom(...tags)), fc.uint8Array({ maxLength: 80 }))
  .map(([tag, rest]) => (tag === null ? rest : Uint8Array.of(tag, ...rest)));

/** Runs an exchange on noise; rethrows every error except the two typed ones. */
function survive<T>(exchange: Exchange<T>, answers: Uint8Array[]): void {
  try {
    let at = 0;
    runExchange(exchange, () => answers[at++] ?? fromHex('D80103'));
  } catch (error) {
    if (!(error instanceof AssociationError || error instanceof DecodeError)) throw error;
  }
}

describe('noise', () => {
  it('makes a client fail with its typed errors only', () => {
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 4 }), (answers) => {
        survive(world.client().open(), answers);
        const plain = { sap: 2, mechanism: 'none' as const, ciphered: false };
        survive(opened(plain).get(REGISTER), answers);
        survive(opened(plain).getList([REGISTER, CLOCK]), answers);
        survive(opened(plain).invoke({ ...REGISTER, methodId: 1 }), answers);
        survive(opened(plain).release(), answers);
        survive(opened().get(REGISTER), answers);
      }),
      { numRuns: 60 },
    );
  });

  it('in a protected response has the same effect', () => {
    fc.assert(
      fc.property(noise, (answer) => {
        const client = opened();
        const sender = {
          cipher: nodeCipher,
          keys: KEYS,
          policy: 'authEnc' as const,
          systemTitle: METER_TITLE,
          counter: 1e6,
          form: 'general' as const,
        };
        survive(client.get(REGISTER), [protect(answer, sender)]);
        world.acceptedByClient = -1;
      }),
      { numRuns: 60 },
    );
  });

  it('makes a server respond unless the service class says otherwise, and never throw', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom(1, 2, 4, 16, 77), (apdu, sap) => {
        expect(world.device.receive(sap, apdu) === undefined).toBe(isWithoutResponse(apdu));
      }),
    );
    const sender = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc' as const, systemTitle: CLIENT_TITLE, form: 'general' as const };
    opened();
    let counter = 100_000;
    fc.assert(
      fc.property(noise, (apdu) => {
        const response = world.device.receive(1, protect(apdu, { ...sender, counter: counter++ }));
        expect(response === undefined).toBe(isWithoutResponse(apdu));
      }),
    );
  });
});
