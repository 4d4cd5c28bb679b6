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
import { fromHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { isProtectedTag, protect } from '../security/protection.ts';
import { generalBlockTransfer, type GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { getRequest, getResponse } from '../xdlms/get.ts';
import { setRequest, setResponse } from '../xdlms/set.ts';
import { AssociationError } from './association-error.ts';
import { PushReceiver } from './block-push.ts';
import { BlockReceiver, BlockSender, isBlock, MAX_STREAM_OCTETS, readBlock } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';
import type { ClientAssociation } from './client.ts';
import { runExchange, WAIT, type Exchange } from './exchange.ts';
import { SecureChannel } from './secure-channel.ts';

const PLAIN = { sap: 2, mechanism: 'none' as const, ciphered: false };
const octets = (size: number): Uint8Array =>
  encode(dataCodec, { type: 'octetString', value: Uint8Array.from({ length: size }, (_, i) => i) });

let world: AssociationWorld;
beforeEach(() => {
  world = new AssociationWorld({ generalBlockTransfer: { window: 8 } });
});

/** Drops selected frames and reports a timeout to the client when no frame is in flight. */
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
  it.each([1, 2, 5, 63])('transfers a long response with a window of %i', (window) => {
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
    // The meter sends windows of eight, regardless of the client's window.
    const acknowledgements = frames.filter(({ direction }) => direction === 'down').length - 1;
    expect(acknowledgements).toBeLessThanOrEqual(Math.ceil(up.length / Math.min(window, 8)));
    expect(converse(client.get(REGISTER))).toMatchObject({ ok: true });
  });

  it('transfers a long request and its response in blocks', () => {
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
      // The request itself is not retransmitted here; its loss is a separate timeout.
      const isLost = (apdu: Uint8Array) => isBlock(apdu) && at++ === lost;
      expect(converse(client.get(LONG), isLost)).toEqual({ ok: true, data: world.longData });
      at = 0;
      expect(converse(client.set(ECHO, octets(4000)), isLost)).toEqual({ ok: true });
      at = 0;
      const method = { classId: ECHO.classId, instance: ECHO.instance, methodId: 1 };
      expect(converse(client.invoke(method, octets(4000)), isLost)).toEqual({ ok: true, data: octets(4000) });
    }
    expect(count).toBeGreaterThan(0);
  });
});

describe('block numbers', () => {
  const SIX_BLOCKS = octets(6000);
  const METHOD = { classId: ECHO.classId, instance: ECHO.instance, methodId: 1 };
  const numbersOf = (blocks: readonly Uint8Array[]) => blocks.map(readBlock).map((block) => [block.blockNumber, block.blockNumberAck]);
  const counted = (count: number) => Array.from({ length: count }, (_, i) => [i + 1, i]);

  /** A meter with prepared responses. */
  function meterOf(answers: string[]) {
    const asked: Uint8Array[] = [];
    const talk = (apdu: Uint8Array) => fromHex(answers[asked.push(apdu.slice()) - 1] ?? '');
    return { asked, talk };
  }
  // Numbering of other stacks: an acknowledgement without data is a block, too.
  const ACKNOWLEDGED = [1, 2, 3, 4, 5].map((n) => `E084000${n}000${n}00`);

  it('of a response continue after the acknowledgements of its request', () => {
    const meter = meterOf([...ACKNOWLEDGED, 'E0840006000604C501C100']);
    expect(runExchange(opened(PLAIN).set(ECHO, SIX_BLOCKS), meter.talk)).toEqual({ ok: true });
    expect(numbersOf(meter.asked)).toEqual(counted(6));
  });

  it('of a long response do so as well, and our acknowledgements continue after our request', () => {
    const meter = meterOf([...ACKNOWLEDGED, 'E0040006000602C701', 'E0040007000702C100', 'E084000800080100']);
    expect(runExchange(opened(PLAIN).invoke(METHOD, SIX_BLOCKS), meter.talk)).toEqual({ ok: true, data: undefined });
    expect(numbersOf(meter.asked)).toEqual(counted(8));
  });

  it('of a delayed response continue after an acknowledgement of the whole request', () => {
    const meter = meterOf([...ACKNOWLEDGED, 'E0840006000600', 'E0840007000604C501C100']);
    expect(runExchange(opened(PLAIN).set(ECHO, SIX_BLOCKS), meter.talk)).toEqual({ ok: true });
    expect(meter.asked.at(-1)).toEqual(WAIT);
  });

  it('are the same on our server', () => {
    const client = opened(PLAIN);
    const up: Uint8Array[] = [];
    const watch = (apdu: Uint8Array, direction: 'down' | 'up') => direction === 'up' && up.push(apdu.slice()) < 0;
    expect(converse(client.set(ECHO, SIX_BLOCKS), watch)).toEqual({ ok: true });
    expect(numbersOf(up)).toEqual(Array.from({ length: 6 }, (_, i) => [i + 1, i + 1]));
    up.length = 0;
    expect(converse(client.invoke(METHOD, SIX_BLOCKS), watch)).toEqual({ ok: true, data: SIX_BLOCKS });
    // The request takes 6 blocks, the response 32 of 200 octets; the numbers are consecutive.
    expect(numbersOf(up).map(([number]) => number)).toEqual(Array.from({ length: 5 + 32 }, (_, i) => i + 1));
  });

  it('are the same in a push that is acknowledged', () => {
    const receiver = new PushReceiver({ maxOctets: 4096, window: 5 });
    const transfer = new BlockTransfer({ maxPduSize: 100, window: 2 });
    transfer.send(octets(500));
    const heard: Uint8Array[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const replies = transfer.nextBlocks(2).map((block) => receiver.take(readBlock(block)));
      for (const step of replies) if (step.kind !== 'dropped' && step.reply !== undefined) heard.push(step.reply);
      transfer.take(readBlock(heard.at(-1) ?? WAIT));
    }
    expect(transfer.isSending).toBe(false);
    expect(numbersOf([...heard, receiver.answer(Uint8Array.of(0x10))])).toEqual([
      [1, 2],
      [2, 4],
      [3, 6],
      [4, 6],
    ]);
  });

  it('that acknowledge unsent blocks are refused', () => {
    const meter = meterOf(['E0840001000900']);
    expect(failureOf(() => runExchange(opened(PLAIN).set(ECHO, SIX_BLOCKS), meter.talk))).toMatchObject({
      code: 'BLOCK_ERROR',
      detail: 'an unsent block is acknowledged',
    });
  });
});

describe('a long request whose driver can post blocks', () => {
  /** A line that drops the blocks at these positions in the order of sending. */
  function posting() {
    world = new AssociationWorld({ generalBlockTransfer: { window: 3 } });
    const underWay: Uint8Array[] = [];
    const turns: number[] = [];
    let posted = 0;
    let at = 0;
    let lost = -1;
    const say = (apdu: Uint8Array): void => {
      if (apdu.length > 0 && at++ !== lost) underWay.push(...world.talkAll(apdu));
    };
    const post = (block: Uint8Array): void => {
      posted++;
      say(block);
    };
    const client = world.client({ ...PLAIN, generalBlockTransfer: { window: 4, post } });
    const run = <T>(exchange: Exchange<T>, losing = -1): T => {
      [at, posted, lost, turns.length] = [0, 0, losing, 0];
      let step = exchange.next();
      while (step.done !== true) {
        turns.push(posted + 1);
        posted = 0;
        say(step.value);
        step = exchange.next(underWay.shift() ?? WAIT);
      }
      return step.value;
    };
    run(client.open());
    return { client, run, turns };
  }

  it('is sent in the windows of the server after a first single block', () => {
    const { client, run, turns } = posting();
    expect(run(client.set(ECHO, octets(9000)))).toEqual({ ok: true });
    expect(turns).toEqual([1, 3, 3, 2]);
    expect(run(client.get(ECHO))).toEqual({ ok: true, data: octets(9000) });
  });

  it('arrives when any single block is lost', () => {
    const { client, run } = posting();
    for (let lost = 0; lost < 10; lost++) {
      expect(run(client.set(ECHO, octets(9000 + lost)), lost)).toEqual({ ok: true });
      expect(run(client.get(ECHO))).toEqual({ ok: true, data: octets(9000 + lost) });
    }
  });
});

it('recovers from any loss, or fails with a typed error', () => {
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

it('is used only when both sides propose it', () => {
  const shy = world.client({ maxPduSize: 200 });
  converse(shy.open());
  expect(shy.negotiated.conformance).not.toContain('generalBlockTransfer');
  expect(converse(shy.get(LONG))).toEqual({ ok: true, data: world.longData });
  world = new AssociationWorld();
  const client = opened();
  expect(client.negotiated.conformance).not.toContain('generalBlockTransfer');
  expect(converse(client.get(LONG))).toEqual({ ok: true, data: world.longData });
});

it('reads separately protected blocks', () => {
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

describe('a client that protects each block separately', () => {
  let counter: number;
  const sealing = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', form: 'general', systemTitle: CLIENT_TITLE } as const;
  const invoke = { id: 2, confirmed: true, highPriority: true };

  /** Sends a request block by block and returns the response; `isLost` drops blocks of either direction. */
  function performItem(request: Uint8Array, isLost: (block: GeneralBlockTransfer) => boolean = () => false): Uint8Array {
    const channel = new SecureChannel({
      ...sealing,
      ownTitle: CLIENT_TITLE,
      peerTitle: METER_TITLE,
      peerCounter: -1,
      nextCounter: () => counter++,
    });
    const say = (block: Uint8Array): GeneralBlockTransfer[] => {
      if (isLost(readBlock(block))) return [];
      const answers = world.talkAll(channel.protect(block, 'general'));
      expect(answers.every((apdu) => isProtectedTag(apdu[0] ?? 0) && apdu.length <= 200)).toBe(true);
      return answers.map((apdu) => readBlock(channel.unprotect(apdu))).filter((block_) => !isLost(block_));
    };
    const transfer = new BlockTransfer({ maxPduSize: 150, window: 4 });
    transfer.send(request);
    for (let turn = 0; turn < 300; turn++) {
      const [next] = transfer.nextBlocks(1);
      for (const block of say(next ?? transfer.acknowledge())) if (transfer.take(block) === 'whole') return transfer.takeOctets();
    }
    throw new Error('No answer');
  }

  beforeEach(() => {
    opened({ sap: 1 });
    counter = 10_000;
  });

  it('gets a response in separately protected blocks', () => {
    const data = octets(1000);
    const written = performItem(encode(setRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined, data }));
    expect(decode(setResponse, written)).toMatchObject({ kind: 'normal', result: 'success' });
    const read = performItem(encode(getRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined }));
    expect(decode(getResponse, read)).toMatchObject({ result: { ok: true, data } });
  });

  it('recovers blocks lost in either direction', () => {
    const request = encode(getRequest, { kind: 'normal', invoke, attribute: LONG, selection: undefined });
    const long = encode(setRequest, { kind: 'normal', invoke, attribute: ECHO, selection: undefined, data: octets(1000) });
    for (let lost = 0; lost < 14; lost++) {
      let at = 0;
      const answer = performItem(request, () => at++ === lost);
      expect(decode(getResponse, answer)).toMatchObject({ result: { ok: true, data: world.longData } });
      at = 0;
      expect(
        decode(
          setResponse,
          performItem(long, () => at++ === lost),
        ),
      ).toMatchObject({ kind: 'normal', result: 'success' });
    }
  });
});

it('fails on a peer that repeats one block for ever, or sends none', () => {
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

it('limits the octets of a transfer', () => {
  const receiver = new BlockReceiver();
  const data = new Uint8Array(MAX_STREAM_OCTETS / 2 + 1);
  const block = { control: { lastBlock: false, streaming: false, window: 1 }, blockNumberAck: 0, data };
  expect(receiver.take({ ...block, blockNumber: 1 })).toBe('taken');
  expect(receiver.take({ ...block, blockNumber: 2 })).toBe('tooLong');
});

describe('a server', () => {
  it('answers noise in blocks with an exception or not at all, and continues', () => {
    const client = opened(PLAIN);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
        for (const answer of world.talkAll(Uint8Array.of(0xe0, ...noise))) expect([0xe0, 0xd8]).toContain(answer[0]);
      }),
    );
    expect(converse(client.get(REGISTER))).toMatchObject({ ok: true });
  });

  it('restarts the transfer with a first block', () => {
    const client = opened(PLAIN);
    const givenUp = client.set(ECHO, octets(4000));
    const [first] = world.talkAll(givenUp.next().value as Uint8Array); // as: the first step is a block
    world.talkAll(givenUp.next(first ?? WAIT).value as Uint8Array); // as: the second block
    expect(converse(client.set(ECHO, octets(3000)))).toEqual({ ok: true });
    expect(converse(client.get(ECHO))).toEqual({ ok: true, data: octets(3000) });
  });
});
