import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { AssociationWorld, CLOCK, ECHO, failureOf, REGISTER } from '../../test/support/association-world.ts';
import { decode, encode } from '../codec/codec.ts';
import { fromHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { actionRequest, actionResponse, type ActionRequest } from '../xdlms/action.ts';
import { setRequest, setResponse, type SetRequest, type SetResponse } from '../xdlms/set.ts';
import type { ClientAssociation } from './client.ts';
import { runExchange } from './exchange.ts';
import { blocksOf, firstBlock, followingBlock, MAX_LONG_REQUEST } from './long-request.ts';

const octets = (size: number): Uint8Array =>
  encode(dataCodec, { type: 'octetString', value: Uint8Array.from({ length: size }, (_, i) => i) });
const METHOD = { classId: ECHO.classId, instance: ECHO.instance, methodId: 1 };
const PLAIN = { sap: 2, mechanism: 'none' as const, ciphered: false };
const INVOKE = { id: 1, confirmed: true, highPriority: true };

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
  ['plain', PLAIN],
  ['ciphered', { sap: 1 }],
  ['under general ciphering', { sap: 1, generalProtection: true }],
])('a long write, %s', (_, options) => {
  it('reaches the meter complete, in requests within its PDU size', () => {
    const client = opened(options);
    const sizes: number[] = [];
    const talk = (apdu: Uint8Array) => {
      sizes.push(apdu.length);
      return world.talk(apdu);
    };
    expect(runExchange(client.set(ECHO, octets(5000)), talk)).toEqual({ ok: true });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
    expect(sizes.length).toBeLessThanOrEqual(6);
    expect(runExchange(client.get(ECHO), world.talk)).toEqual({ ok: true, data: octets(5000) });
  });

  it('of a list has one result per attribute, in one request or in blocks', () => {
    const client = opened(options);
    for (const size of [10, 3000]) {
      const items = [
        { ref: ECHO, data: octets(size) },
        { ref: CLOCK, data: octets(1) },
        { ref: REGISTER, data: octets(size) },
      ];
      expect(runExchange(client.setList(items), world.talk)).toEqual([
        { ok: true },
        { ok: false, result: 'readWriteDenied' },
        { ok: true },
      ]);
      expect(runExchange(client.get(REGISTER), world.talk)).toEqual({ ok: true, data: octets(size) });
    }
  });

  it.each([0, 900, 1010, 2500])('as argument and return value of a method carries %i octets', (size) => {
    const client = opened(options);
    expect(runExchange(client.invoke(METHOD, octets(size)), world.talk)).toEqual({ ok: true, data: octets(size) });
  });

  it('as arguments of several methods has one result per method', () => {
    const client = opened(options);
    for (const size of [10, 3000]) {
      const items = [{ ref: METHOD, argument: octets(size) }, { ref: { ...METHOD, classId: 99 } }, { ref: METHOD, argument: octets(3) }];
      expect(runExchange(client.invokeList(items), world.talk)).toEqual([
        { ok: true, data: octets(size) },
        { ok: false, result: 'objectUndefined' },
        { ok: true, data: octets(3) },
      ]);
    }
  });
});

describe('a client', () => {
  it('writes and invokes one by one when lists are not granted', () => {
    const client = opened(PLAIN);
    Object.assign(client.negotiated, { conformance: ['get', 'set', 'action'] });
    let trips = 0;
    const talk = (apdu: Uint8Array) => {
      trips++;
      return world.talk(apdu);
    };
    expect(
      runExchange(
        client.setList([
          { ref: ECHO, data: octets(1) },
          { ref: REGISTER, data: octets(1) },
        ]),
        talk,
      ),
    ).toHaveLength(2);
    expect(runExchange(client.invokeList([{ ref: METHOD }, { ref: METHOD }]), talk)).toHaveLength(2);
    expect(trips).toBe(4);
  });

  it('does not split requests without a granted block transfer', () => {
    const client = opened(PLAIN);
    Object.assign(client.negotiated, { conformance: ['get', 'set', 'action'] });
    expect(failureOf(() => runExchange(client.set(ECHO, octets(5000)), world.talk))?.code).toBe('BLOCK_ERROR');
  });

  it('ends a transfer that the meter refuses or acknowledges with a wrong number', () => {
    const answer = (response: SetResponse) => encode(setResponse, response);
    const invoke = { ...INVOKE, id: 1 };
    const refuse = answer({ kind: 'lastDatablock', invoke, result: 'readWriteDenied', blockNumber: 1 });
    expect(runExchange(opened(PLAIN).set(ECHO, octets(5000)), () => refuse)).toEqual({ ok: false, result: 'readWriteDenied' });
    const wrong = answer({ kind: 'datablock', invoke, blockNumber: 2 });
    expect(failureOf(() => runExchange(opened(PLAIN).set(ECHO, octets(5000)), () => wrong))?.code).toBe('BLOCK_ERROR');
    const early = answer({ kind: 'lastDatablock', invoke, result: 'success', blockNumber: 1 });
    expect(failureOf(() => runExchange(opened(PLAIN).set(ECHO, octets(5000)), () => early))?.code).toBe('UNEXPECTED_ANSWER');
    const list = answer({ kind: 'withList', invoke, results: ['success'] });
    const two = [
      { ref: ECHO, data: octets(1) },
      { ref: ECHO, data: octets(1) },
    ];
    expect(failureOf(() => runExchange(opened(PLAIN).setList(two), () => list))?.code).toBe('UNEXPECTED_ANSWER');
  });
});

it('a client accepts a return value in blocks as bare Data, and after result and choice', () => {
  for (const front of ['', '000100']) {
    const whole = fromHex(`${front}0904AABBCCDD`);
    const [head, tail] = [whole.subarray(0, 3), whole.subarray(3)];
    const answers = [head, tail].map((raw, i) =>
      encode(actionResponse, {
        kind: 'pblock',
        invoke: { ...INVOKE, id: 1, highPriority: true },
        lastBlock: i === 1,
        blockNumber: i + 1,
        raw,
      }),
    );
    const client = opened(PLAIN);
    const result = runExchange(client.invoke(METHOD), () => answers.shift());
    expect(result).toEqual({ ok: true, data: fromHex('0904AABBCCDD') });
  }
});

describe('a server', () => {
  const setBlock = (request: SetRequest) => decode(setResponse, world.talk(encode(setRequest, request)) ?? new Uint8Array());
  const actBlock = (request: ActionRequest) => decode(actionResponse, world.talk(encode(actionRequest, request)) ?? new Uint8Array());
  const raw = fromHex('0902');

  it('refuses blocks out of sequence, and drops the blocks before them', () => {
    opened(PLAIN);
    const next = { kind: 'datablock', invoke: INVOKE, lastBlock: true, blockNumber: 2, raw: fromHex('0102') } as const;
    expect(setBlock(next)).toMatchObject({ kind: 'lastDatablock', result: 'noLongSetInProgress', blockNumber: 2 });
    const first = { kind: 'firstDatablock', invoke: INVOKE, attribute: ECHO, lastBlock: false, blockNumber: 1, raw } as const;
    expect(setBlock(first)).toMatchObject({ kind: 'datablock', blockNumber: 1 });
    expect(setBlock({ ...next, blockNumber: 3 })).toMatchObject({ result: 'dataBlockNumberInvalid' });
    expect(setBlock(next)).toMatchObject({ result: 'noLongSetInProgress' });
    expect(setBlock({ ...first, blockNumber: 2 })).toMatchObject({ result: 'dataBlockNumberInvalid' });
  });

  it('accepts a repeated block once', () => {
    const client = opened(PLAIN);
    const first = { kind: 'firstDatablock', invoke: INVOKE, attribute: ECHO, lastBlock: false, blockNumber: 1, raw } as const;
    const second = { kind: 'datablock', invoke: INVOKE, lastBlock: false, blockNumber: 2, raw: fromHex('01') } as const;
    setBlock(first);
    expect(setBlock(second)).toMatchObject({ kind: 'datablock', blockNumber: 2 });
    expect(setBlock(second)).toMatchObject({ kind: 'datablock', blockNumber: 2 });
    expect(setBlock({ ...second, lastBlock: true, blockNumber: 3, raw: fromHex('02') })).toMatchObject({ result: 'success' });
    expect(runExchange(client.get(ECHO), world.talk)).toEqual({ ok: true, data: fromHex('09020102') });
  });

  it('refuses octets that are not Data after the last block', () => {
    opened(PLAIN);
    const first = { invoke: INVOKE, lastBlock: true, blockNumber: 1, raw: fromHex('FE') } as const;
    expect(setBlock({ ...first, kind: 'firstDatablock', attribute: ECHO })).toMatchObject({ result: 'typeUnmatched' });
    expect(setBlock({ ...first, kind: 'withListAndFirstDatablock', items: [{ attribute: ECHO }] })).toMatchObject({
      results: ['typeUnmatched'],
    });
    expect(actBlock({ ...first, kind: 'firstPblock', method: METHOD })).toMatchObject({ result: 'typeUnmatched' });
    expect(actBlock({ ...first, kind: 'withListAndFirstPblock', methods: [METHOD] })).toMatchObject({
      results: [{ result: 'typeUnmatched' }],
    });
  });

  it('refuses actions out of sequence with a specific result', () => {
    opened(PLAIN);
    const block = { kind: 'pblock', invoke: INVOKE, lastBlock: true, blockNumber: 2, raw } as const;
    expect(actBlock(block)).toMatchObject({ kind: 'normal', result: 'noLongActionInProgress' });
    expect(actBlock({ kind: 'nextPblock', invoke: INVOKE, blockNumber: 1 })).toMatchObject({ result: 'noLongActionInProgress' });
    actBlock({ kind: 'firstPblock', invoke: INVOKE, method: METHOD, lastBlock: false, blockNumber: 1, raw });
    expect(actBlock({ ...block, blockNumber: 7 })).toMatchObject({ result: 'longActionAborted' });
  });

  it('returns bare Data in blocks, as other stacks do', () => {
    const argument = octets(300);
    opened({ ...PLAIN, maxPduSize: 200 });
    const pieces: number[] = [];
    let answer = actBlock({ kind: 'normal', invoke: INVOKE, method: METHOD, argument });
    for (let blockNumber = 1; answer.kind === 'pblock'; blockNumber++) {
      pieces.push(...answer.raw);
      if (answer.lastBlock) break;
      answer = actBlock({ kind: 'nextPblock', invoke: INVOKE, blockNumber });
    }
    expect(Uint8Array.from(pieces)).toEqual(argument);
  });

  it('limits the octets of a long request', () => {
    const big = new Uint8Array(MAX_LONG_REQUEST / 2 + 1);
    const first = firstBlock('target', { lastBlock: false, blockNumber: 1, raw: big });
    expect(first).toMatchObject({ kind: 'more' });
    const long = first.kind === 'more' ? first.long : undefined;
    expect(followingBlock(long, { lastBlock: true, blockNumber: 2, raw: big })).toEqual({ kind: 'refused', why: 'tooLong' });
  });
});

it('splitting and joining blocks of any size preserves the octets', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      (whole, size, first) => {
        const [head, ...rest] = blocksOf(whole, size, first);
        let step = firstBlock('target', head ?? { lastBlock: true, blockNumber: 1, raw: whole });
        for (const block of rest) step = followingBlock(step.kind === 'more' ? step.long : undefined, block);
        expect(step).toEqual({ kind: 'whole', target: 'target', octets: whole });
      },
    ),
  );
});
