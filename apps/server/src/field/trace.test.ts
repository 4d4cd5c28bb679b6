import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FrameOpener } from '#storage/frames.ts';
import type { EndedTrace } from '#storage/trace-writer.ts';
import { Trace } from './trace.ts';

const BEGUN = Date.UTC(2026, 0, 1);
const OWNER = { dcuId: '3', meterId: '7', sessionId: '11', taskId: '9' };
const [FIRST, SECOND, PLAIN, OTHER_PLAIN] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5), Uint8Array.of(0xc0), Uint8Array.of(0xc4)];

let trace: Trace;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  trace = new Trace(OWNER, BEGUN);
});
afterEach(() => void vi.useRealTimers());

const openerOf = (purpose: string): FrameOpener => ({
  key: { purpose, secret: Buffer.of(1) } as FrameOpener['key'], // as: nothing unseals it
  down: FIRST,
  up: SECOND,
});
/** Closes the trace and returns what the store received. */
function stored(options?: { isRoutine?: boolean }): EndedTrace | undefined {
  const received: EndedTrace[] = [];
  trace.close({ storeTrace: (ended) => received.push(ended) }, options);
  expect(received.length).toBeLessThanOrEqual(1);
  return received[0];
}

test('frames are stored in their order, with rising times, their owner, the number of octets and the duration', () => {
  trace.add('down', FIRST, PLAIN);
  vi.advanceTimersByTime(40);
  trace.add('up', SECOND, undefined);
  trace.add('up', SECOND, undefined, BEGUN + 7);
  vi.advanceTimersByTime(20);
  expect(stored()).toEqual({
    ...OWNER,
    id: trace.id,
    begunAt: BEGUN,
    durationMs: 60,
    bytes: 7,
    isRoutine: false,
    frames: [
      { at: BEGUN, direction: 'down', octets: FIRST, plain: PLAIN },
      { at: BEGUN + 40, direction: 'up', octets: SECOND, plain: undefined },
      { at: BEGUN + 7, direction: 'up', octets: SECOND, plain: undefined },
    ],
    opener: undefined,
  });
});

test('a trace of routine collection says so, and one without frames is not stored', () => {
  expect(stored()).toBeUndefined();
  trace = new Trace(OWNER, BEGUN);
  trace.add('down', FIRST, undefined);
  expect(stored({ isRoutine: true })).toMatchObject({ isRoutine: true });
});

test('a frame after the end is dropped', () => {
  trace.add('down', FIRST, undefined);
  const ended = stored();
  trace.add('down', SECOND, undefined);
  expect([ended?.frames.length, trace.bytes]).toEqual([1, FIRST.length]);
});

test('the last frame gets its plain text, which an unknown one does not replace', () => {
  trace.explainLast(PLAIN);
  trace.add('down', FIRST, PLAIN);
  trace.add('up', SECOND, undefined);
  trace.explainLast(OTHER_PLAIN);
  trace.explainLast(undefined);
  expect(trace.frames.map(({ plain }) => plain)).toEqual([PLAIN, OTHER_PLAIN]);
});

test('the plain text of a push belongs to its last received frame, not to the confirmation behind it', () => {
  trace.explainPush(PLAIN);
  trace.add('up', FIRST, undefined);
  trace.add('up', SECOND, undefined);
  trace.add('down', FIRST, undefined);
  trace.explainPush(PLAIN);
  expect(trace.frames.map(({ plain }) => plain)).toEqual([undefined, PLAIN, undefined]);
});

test('frames under one key are stored with it, and those under two keys with their plain text only', () => {
  const opener = openerOf('meter');
  trace.add('down', FIRST, PLAIN);
  trace.setOpener(opener);
  trace.setOpener(opener);
  expect(stored()?.opener).toBe(opener);
  trace = new Trace(OWNER, BEGUN);
  trace.add('down', FIRST, PLAIN);
  for (const one of [opener, openerOf('dcu'), opener]) trace.setOpener(one);
  expect(stored()?.opener).toBeUndefined();
  expect(trace.frames[0]?.plain).toBe(PLAIN);
});
