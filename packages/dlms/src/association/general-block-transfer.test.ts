import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import {
  AssociationWorld,
  CLIENT_TITLE,
  ECHO,
  failureOf,
  KEYS,
  LONG,
  METER_TITLE,
  REGISTER,
} from '../../test/support/association-world.ts';
import { decode, encode } from '../codec/codec.ts';
import { dataCodec } from '../cosem/data.ts';
import { isProtectedTag, protect } from '../security/protection.ts';
import { generalBlockTransfer, type GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { getRequest, getResponse } from '../xdlms/get.ts';
import { setRequest, setResponse } from '../xdlms/set.ts';
import { AssociationError } from './association-error.ts';
import { acknowledgement, BlockReceiver, BlockSender, isBlock, MAX_STREAM_OCTETS, readBlock } from './block-stream.ts';
import type { ClientAssociation } from './client.ts';
import { WAIT, type Exchange } from './exchange.ts';
import { SecureChannel } from './secure-channel.ts';

const PLAIN = { sap: 2, mechanism: 'none' as const, ciphered: false };
const octets = (size: number): Uint8Array =>
  encode(dataCodec, { type: 'octetString', value: Uint8Array.from({ length: size }, (_, i) => i) });

let world: AssociationWorld;
beforeEach(() => {
  world = new AssociationWorld({ generalBlockTransfer: { window: 8 } });
});

/** Loses the frames it is told to, and says so to the client by silence once nothing is on its way any more. */
function converse<T>(exchange: Exchange<T>, isLost: (apdu: Uint8Array, direction: 'down' | 'up') => boolean = () => false): T {
  const underWay: Uint8Array[] = [];
  let step = exchange.next();
  while (step.done !== true) {
    const sent = step.value;
    if (sent.length > 0 && !isLost(sent, 'down')) underWay.push(...world.talkAll(sent).filter((apdu) => !isLost(apdu, 'up')));
    step = exchange.next(underWay.shift() ?? WAIT);
  }
  return step.value;
}

function opened(options: Parameters<AssociationWorld['client']>[0] = {}, window = 4): ClientAssociation {
  const client = world.client({ maxPduSize: 200, generalBlockTransfer: { window }, ...options });
  converse(client.open());
  return client;
}

describe.each([
  ['plain', PLAIN],
  ['ciphered', { sap: 1 }],
  ['with general ciphering', { sap: 1, generalProtection: true }],
])('general block transfer, %s', (_, options) => {
  it.each([1, 2, 5, 63])('brings a long answer with a window of %i', (window) => {
    const client = opened(options, window);
    const frames: { apdu: Uint8Array; direction: string }[] = [];
    const watch = (apdu: Uint8Array, direction: 'down' | 'up') => {
      frames.push({ apdu, direction });
      return false;
    };
    expect(converse(client.get(LONG), watch)).toEqual({ ok: true, data: world.longData });
    const up = frames.filter(({ direction, apdu }) => direction === 'up' && isBlock(apdu));
    expect(up.length).toBeGreaterThan(7);
    expect(Math.max(...up.map(({ apdu }) => apdu.length))).toBeLessThanOrEqual(200);
    // The meter sends eight at once, however many the client could take.
    const acknowledgements = frames.filter(({ direction }) => direction === 'down').length - 1;
    expect(acknowledgements).toBeLessThanOrEqual(Math.ceil(up.length / Math.min(window, 8)));
    expect(converse(client.get(REGISTER))).toMatchObject({ ok: true });
  });

  it('takes a long request, and answers it in blocks too', () => {
    const client = opened(options);
    expect(converse(client.set(ECHO, octets(5000)))).toEqual({ ok: true });
    expect(converse(client.get(ECHO))).toEqual({ ok: true, data: octets(5000) });
    const method = { classId: ECHO.classId, instance: ECHO.instance, methodId: 1 };
    expect(converse(client.invoke(method, octets(3000)))).toEqual({ ok: true, data: octets(3000) });
  });

  it('recovers any single lost block', () => {
    const client = opened(options);
    const count = world.frames.length;
    for (let lost = 0; lost < 14; lost++) {
      let at = 0;
      // The request itself is not repeated: a lost one is a time-out of its own.
      const isLost = (apdu: Uint8Array) => isBlock(apdu) && at++ === lost;
      expect(converse(client.get(LONG), isLost)).toEqual({ ok: true, data: world.longData });
      at = 0;
      expect(converse(client.set(ECHO, octets(4000)), (apdu, direction) => direction === 'down' && isLost(apdu))).toEqual({ ok: true });
    }
    expect(count).toBeGreaterThan(0);
  });
});

it('recovers from whatever a bad line loses, or fails with a typed error', () => {
  let recovered = 0;
  fc.assert(
    fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 99 })), (dice) => {
      const client = opened(PLAIN);
      try {
        expect(converse(client.get(LONG), (apdu) => isBlock(apdu) && (dice.next().value ?? 0) < 15)).toEqual({
          ok: true,
          data: world.longData,
        });
        recovered++;
      } catch (error) {
        if (!(error instanceof AssociationError && error.code === 'BLOCK_ERROR')) throw error;
      }
    }),
    { numRuns: 60, seed: 7 },
  );
  expect(recovered).toBeGreaterThan(30);
});

it('is not used unless both want it', () => {
  const shy = world.client({ maxPduSize: 200 });
  converse(shy.open());
  expect(shy.negotiated.conformance).not.toContain('generalBlockTransfer');
  expect(converse(shy.get(LONG))).toEqual({ ok: true, data: world.longData });
  world = new AssociationWorld();
  const client = opened();
  expect(client.negotiated.conformance).not.toContain('generalBlockTransfer');
  expect(converse(client.get(LONG))).toEqual({ ok: true, data: world.longData });
});

it('reads blocks that are each protected by themselves', () => {
  const client = opened({ sap: 1 });
  const plain = encode(getResponse, {
    kind: 'normal',
    invoke: { id: 2, confirmed: true, highPriority: true },
    result: { ok: true, data: octets(500) },
  });
  const blocks = new BlockSender(plain, { maxPduSize: 100, window: 1 }).after(0, 99, 0);
  let counter = 50_000;
  const sealed = blocks.map((block) =>
    protect(block, { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: METER_TITLE, counter: counter++, form: 'general' }),
  );
  const exchange = client.get(REGISTER);
  let step = exchange.next();
  for (const block of sealed) step = exchange.next(block);
  expect(step).toEqual({ done: true, value: { ok: true, data: octets(500) } });
});

describe('a client that protects each block by itself', () => {
  let counter: number;
  const sealing = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', form: 'general', systemTitle: CLIENT_TITLE } as const;
  const invoke = { id: 2, confirmed: true, highPriority: true };

  /** What is sent, block by block as the meter acknowledges them, and what answers; `isLost` takes some of either. */
  function answerTo(request: Uint8Array, isLost: (block: GeneralBlockTransfer) => boolean = () => false): Uint8Array {
    const channel = new SecureChannel({
      ...sealing,
      ownTitle: CLIENT_TITLE,
      peerTitle: METER_TITLE,
      peerCounter: -1,
      nextCounter: () => counter++,
    });
    const say = (block: Uint8Array): GeneralBlockTransfer[] => {
      if (isLost(readBlock(block))) return [];
      const answers = world.talkAll(channel.seal(block, 'general'));
      expect(answers.every((apdu) => isProtectedTag(apdu[0] ?? 0) && apdu.length <= 200)).toBe(true);
      return answers.map((apdu) => readBlock(channel.open(apdu))).filter((block_) => !isLost(block_));
    };
    const rules = { maxPduSize: 150, window: 4 };
    const sender = new BlockSender(request, rules);
    const receiver = new BlockReceiver();
    let acknowledged = 0;
    for (let turn = 0; turn < 300; turn++) {
      const [next] = sender.after(acknowledged, 1, receiver.received);
      const heard = say(next ?? acknowledgement(rules, sender.count + 1, receiver.received));
      for (const block of heard) {
        acknowledged = Math.max(acknowledged, block.blockNumberAck);
        if (block.data.length > 0 && receiver.take(block) === 'whole') return receiver.octets;
      }
    }
    throw new Error('No answer');
  }

  beforeEach(() => {
    opened({ sap: 1 });
    counter = 10_000;
  });

  it('is answered in blocks like that', () => {
    const data = octets(1000);
    const written = answerTo(encode(setRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined, data }));
    expect(decode(setResponse, written)).toMatchObject({ kind: 'normal', result: 'success' });
    const read = answerTo(encode(getRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined }));
    expect(decode(getResponse, read)).toMatchObject({ result: { ok: true, data } });
  });

  it('gets what was lost on either way once more', () => {
    const request = encode(getRequest, { kind: 'normal', invoke, attribute: LONG, selection: undefined });
    const long = encode(setRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined, data: octets(1000) });
    for (let lost = 0; lost < 14; lost++) {
      let at = 0;
      const answer = answerTo(request, () => at++ === lost);
      expect(decode(getResponse, answer)).toMatchObject({ result: { ok: true, data: world.longData } });
      at = 0;
      expect(
        decode(
          setResponse,
          answerTo(long, () => at++ === lost),
        ),
      ).toMatchObject({ kind: 'normal', result: 'success' });
    }
  });
});

it('gives up a peer that sends the same block for ever, or nothing at all', () => {
  const flood = encode(generalBlockTransfer, {
    control: { lastBlock: false, streaming: true, window: 3 },
    blockNumber: 7,
    blockNumberAck: 0,
    data: new Uint8Array(0),
  });
  for (const answer of [flood, WAIT]) {
    const client = opened(PLAIN);
    const first = encode(generalBlockTransfer, {
      control: { lastBlock: false, streaming: false, window: 3 },
      blockNumber: 1,
      blockNumberAck: 0,
      data: octets(5),
    });
    const exchange = client.get(REGISTER);
    exchange.next();
    exchange.next(first);
    const drain = () => {
      for (let i = 0; i < 100; i++) exchange.next(answer);
    };
    expect(failureOf(drain)?.code).toBe('BLOCK_ERROR');
  }
});

it('does not collect more than any attribute has', () => {
  const receiver = new BlockReceiver();
  const data = new Uint8Array(MAX_STREAM_OCTETS / 2 + 1);
  const block = { control: { lastBlock: false, streaming: false, window: 1 }, blockNumberAck: 0, data };
  expect(receiver.take({ ...block, blockNumber: 1 })).toBe('taken');
  expect(receiver.take({ ...block, blockNumber: 2 })).toBe('tooLong');
});

describe('a server', () => {
  it('answers noise in blocks with an exception or nothing, and goes on', () => {
    const client = opened(PLAIN);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
        for (const answer of world.talkAll(Uint8Array.of(0xe0, ...noise))) expect([0xe0, 0xd8]).toContain(answer[0]);
      }),
    );
    expect(converse(client.get(REGISTER))).toMatchObject({ ok: true });
  });

  it('begins anew with a first block', () => {
    const client = opened(PLAIN);
    const givenUp = client.set(ECHO, octets(4000));
    const [first] = world.talkAll(givenUp.next().value as Uint8Array); // as: the first step is a block
    world.talkAll(givenUp.next(first ?? WAIT).value as Uint8Array); // as: the second block
    expect(converse(client.set(ECHO, octets(3000)))).toEqual({ ok: true });
    expect(converse(client.get(ECHO))).toEqual({ ok: true, data: octets(3000) });
  });
});
