import { BlockSender, encodeAcknowledgement, readBlock, unconfirmedBlocks } from '@hes/dlms/association/block-stream.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, type WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import type { FrameReport } from '@hes/dlms-node/framing.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PushedBlocks, type ReceivedFrames, type LostBlocks, type PushMessage } from './pushed-blocks.ts';

const KIB = 1024;
const LIMITS = { push: 16 * KIB, session: 64 * KIB, total: 160 * KIB };
const MINUTE_MS = 60_000;
const CLIENT = 1;
const METER = 17;

const makeSession = () => {
  const sent: Uint8Array[] = [];
  const reply = (address: WrapperAddress, apdu: Uint8Array, report?: FrameReport) => {
    const octets = encodeWrapper(address, apdu);
    sent.push(octets);
    report?.(octets, 'down', true);
  };
  return { sent, connection: { reply } };
};
type TestSession = ReturnType<typeof makeSession>;

let lost: { lost: ReceivedFrames; why: LostBlocks }[];
let blocks: PushedBlocks<TestSession>;
let session: TestSession;
beforeEach(() => {
  vi.useFakeTimers();
  lost = [];
  blocks = new PushedBlocks({ now: () => Date.now(), onLost, limits: LIMITS });
  session = makeSession();
});
afterEach(() => vi.useRealTimers());

function onLost(_session: TestSession, arrival: ReceivedFrames, why: LostBlocks): void {
  lost.push({ lost: arrival, why });
  arrival.release();
}

const octets = (size: number, seed = 0): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 7 + seed) % 251);
const PUSH = octets(500);
const unheard = (apdu = PUSH) => unconfirmedBlocks(apdu, 109);
const heard = (acknowledged: number, window: number) =>
  new BlockSender(PUSH, { maxPduSize: 109, window: 4 }).after(acknowledged, window, 0);

const take = (apdu: Uint8Array, address = 'A', by = session) =>
  blocks.receive(by, {
    apdu,
    address: address === '' ? undefined : Buffer.from(address),
    source: METER,
    destination: CLIENT,
    octets: apdu,
  });
const takeAll = (all: Uint8Array[], address = 'A', by = session) => all.map((apdu) => take(apdu, address, by)).findLast(Boolean);
/** Acknowledgements sent: address of the meter and acknowledged block. */
const acknowledged = () =>
  session.sent.map((frame) => {
    expect([...frame.subarray(0, 6)]).toEqual([0, 1, 0, CLIENT, 0, METER]);
    const gateway = decodeGateway(frame.subarray(8));
    const { blockNumber, blockNumberAck, data } = readBlock(gateway?.apdu ?? frame.subarray(8));
    expect([gateway?.response, data.length]).toEqual([true, 0]);
    return [Buffer.from(gateway?.address ?? []).toString(), blockNumber, blockNumberAck];
  });
const why = () => lost.map((one) => one.why);

test('interleaved pushes of several meters and of the DCU are reassembled separately, with all their frames', () => {
  const pushes = new Map(['A', 'B', ''].map((address, seed) => [address, octets(500, seed)]));
  const done = new Map<string, unknown>();
  for (let number = 0; number < 5; number++)
    for (const [address, apdu] of pushes) {
      const whole = take(unheard(apdu)[number] as Uint8Array, address);
      if (whole !== undefined) done.set(address, [whole.apdu, whole.frames.map((frame) => frame.octets)]);
    }
  for (const [address, apdu] of pushes) expect(done.get(address)).toEqual([apdu, unheard(apdu)]);
  expect([session.sent, lost]).toEqual([[], []]);
});

test('a sender with acknowledgements gets one at the end of each window, is asked for lost blocks, and gets its answer in a block', () => {
  expect(takeAll(heard(0, 3).toSpliced(1, 1))).toBeUndefined();
  const whole = takeAll(heard(1, 4));
  expect(acknowledged()).toEqual([
    ['A', 1, 1],
    ['A', 2, 5],
  ]);
  expect(whole?.apdu).toEqual(PUSH);
  expect(whole?.frames.map(({ direction }) => direction)).toEqual(['up', 'up', 'down', 'up', 'up', 'up', 'up', 'down']);
  expect(readBlock(whole?.wrapAnswer(Uint8Array.of(0x10)) ?? new Uint8Array())).toMatchObject({
    blockNumberAck: 5,
    data: Uint8Array.of(0x10),
  });
  // An acknowledgement is no push and gets no answer.
  expect(take(encodeAcknowledgement({ window: 4 }, 6, 3))).toBeUndefined();
  // A retransmission of the last block after a lost acknowledgement.
  take(heard(4, 1)[0] as Uint8Array);
  expect(acknowledged().at(-1)).toEqual(['A', 4, 5]);
  expect(lost).toEqual([]);
});

test('a lost end of a window is requested after a timeout', async () => {
  takeAll(heard(0, 3).slice(0, 2));
  expect(session.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
  expect(acknowledged()).toEqual([['A', 1, 2]]);
  expect(takeAll(heard(2, 3))?.apdu).toEqual(PUSH);
});

test('without acknowledgements, a missing or malformed block ends the push; its other blocks are ignored, and the next push is received', () => {
  takeAll(unheard().toSpliced(2, 1));
  expect([why(), lost[0]?.lost.frames.length]).toEqual([['BLOCK_MISSING'], 3]);
  expect(takeAll(unheard())?.apdu).toEqual(PUSH);
  takeAll(unheard().with(1, Uint8Array.of(0xe0, 0x40, 0, 2, 0, 0, 99)));
  takeAll(unheard().slice(3), 'B');
  expect(why()).toEqual(['BLOCK_MISSING', 'BLOCK_BROKEN', 'BLOCK_MISSING']);
  expect(takeAll([unheard()[0] as Uint8Array, ...unheard()])?.apdu).toEqual(PUSH);
  // A complete push and a retransmission of its last block.
  take(unheard()[4] as Uint8Array);
  expect(lost).toHaveLength(3);
});

test('a push that is replaced by another one, that never ends, or whose connection ends is reported with its frames', async () => {
  takeAll(unheard().slice(0, 3));
  const whole = takeAll(unheard(octets(500, 9)));
  expect(whole?.apdu).toEqual(octets(500, 9));
  whole?.release();
  expect(why()).toEqual(['BLOCKS_ABANDONED']);
  takeAll(unheard().slice(0, 2), 'B');
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(why()).toEqual(['BLOCKS_ABANDONED', 'BLOCKS_UNFINISHED']);
  expect(blocks.bufferedOctets).toBe(0);
  takeAll(unheard().slice(0, 4), 'C');
  blocks.removeSession(session);
  expect([why().at(-1), lost.at(-1)?.lost.frames.length]).toEqual(['BLOCKS_UNFINISHED', 4]);
  expect([blocks.bufferedOctets, vi.getTimerCount()]).toEqual([0, 0]);
});

test('endless retransmissions of the same block occupy no memory', () => {
  const [first, second] = heard(0, 2) as [Uint8Array, Uint8Array];
  blocks = new PushedBlocks({ now: () => Date.now(), onLost });
  take(first);
  for (let time = 0; time < 1000; time++) take(second);
  expect(why()).toEqual(['BLOCKS_REPEATED']);
  expect(session.sent.length).toBeLessThan(200);
  expect(blocks.bufferedOctets).toBeLessThan(2 * KIB);
});

test('the limits per push, per session and in total hold for everything that devices send', async () => {
  takeAll(unconfirmedBlocks(octets(20 * KIB), 8 * KIB));
  expect(why()).toEqual(['BLOCKS_TOO_LONG']);
  const sessions = [session, ...Array.from({ length: 9 }, makeSession)];
  for (const by of sessions)
    for (let meter = 0; meter < 100; meter++) {
      take(unconfirmedBlocks(octets(4 * KIB, meter), 1 * KIB)[0] as Uint8Array, `M${meter}`, by);
      expect(blocks.bufferedOctets).toBeLessThanOrEqual(LIMITS.total);
    }
  expect(new Set(why().slice(1))).toEqual(new Set(['BLOCKS_NO_ROOM']));
  expect(blocks.bufferedOctets).toBeGreaterThan(LIMITS.total / 2);
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
  expect([blocks.bufferedOctets, vi.getTimerCount()]).toEqual([0, 0]);
  expect(takeAll(unheard())?.apdu).toEqual(PUSH);
});

test('a complete push counts against the limits until it is stored, so that a slow database does not exhaust the memory', () => {
  const whole: (PushMessage | undefined)[] = [];
  for (let number = 0; number < 200; number++) whole.push(takeAll(unheard(octets(4 * KIB, number)), `M${number % 10}`));
  const taken = whole.filter((one) => one !== undefined);
  expect(taken.length).toBeGreaterThan(2);
  expect(taken.length).toBeLessThan(20);
  expect(why()).toContain('BLOCKS_NO_ROOM');
  expect(blocks.bufferedOctets).toBeLessThanOrEqual(LIMITS.session);
  for (const one of taken) one.release();
  blocks.removeSession(session);
  expect(blocks.bufferedOctets).toBe(0);
  expect(takeAll(unheard())?.apdu).toEqual(PUSH);
});
