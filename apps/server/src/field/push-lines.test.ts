import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicNow } from '#platform/clock.ts';
import type { UnsolicitedMessage } from './channel.ts';
import type { IdentificationBackoff } from './identification-backoff.ts';
import type { PushLine } from './push-line.ts';
import { isPushLine, PushLines } from './push-lines.ts';
import type { EndpointRow } from './queries.ts';
import type { RefusedCallers } from './refused-callers.ts';

const PROOF_MS = 30_000;
const SETTLE_MS = 5_000;
const HEARTBEAT_MS = 60_000 * 2.5;
const BURST = 1_000;
const ADDRESS = '10.0.0.1';
const METER = { id: '5', sn: 'METER0007', meterId: '7', connectionType: 'dial_in', heartbeatS: 60 } as EndpointRow; // as: no other column is read
const frameOf = (apdu: Uint8Array): DlmsFrame => ({ apdu, source: 1, destination: 2, octets: Uint8Array.of(0, ...apdu) });
const PUSH = frameOf(encodeNotification({ longInvokeId: 1, body: encode(dataCodec, { type: 'visibleString', value: 'METER0007' }) }));
const BLOCK = frameOf(Uint8Array.of(0xe0, 0x80, 0, 1, 0, 0, 1, 0));
const CIPHERED = frameOf(Uint8Array.of(0xdb, 8, 1, 2, 3));
const REQUEST = frameOf(Uint8Array.of(0xc0, 1, 1));

let lines: PushLines;
let received: { line: PushLine; message: UnsolicitedMessage }[];
/** Successes and failures of identification, and recorded refusals. */
let judged: unknown[];
let ended: PushLine[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  [received, judged, ended] = [[], [], []];
  lines = new PushLines({
    refused: { recordConnection: (row: unknown) => judged.push(row) } as unknown as RefusedCallers, // as: nothing else is called
    backoff: {
      recordSuccess: (sn: string, address: string) => judged.push(['success', sn, address]),
      recordFailure: (sn: string, address: string) => judged.push(['failure', sn, address]),
    } as unknown as IdentificationBackoff, // as: likewise
    onMessage: (line, message) => received.push({ line, message }),
    onClosed: (line) => ended.push(line),
    proofMs: PROOF_MS,
  });
});
afterEach(() => {
  lines.stop();
  expect(vi.getTimerCount(), 'no timer is left').toBe(0);
  vi.useRealTimers();
});

/** A connection without a socket; `receive` delivers a frame as its socket would. */
function connectionOf({ closed = false } = {}) {
  const connection = {
    closed,
    remote: `${ADDRESS}:4059`,
    bytesIn: 12,
    bytesOut: 34,
    receive: (_: DlmsFrame): void => undefined,
    end: (): void => undefined,
    onFrame: (listener: (frame: DlmsFrame) => void) => void (connection.receive = listener),
    onClose: (listener: () => void) => void (connection.end = listener),
    close: () => {
      if (connection.closed) return;
      connection.closed = true;
      connection.end();
    },
  };
  return connection;
}
function open(push?: DlmsFrame, endpoint = METER, connection = connectionOf()) {
  const opened = monotonicNow();
  lines.open(endpoint, connection as unknown as DlmsConnection, { push, address: ADDRESS, opened }); // as: nothing else is used
  return connection;
}
const SUCCESS = ['success', METER.sn, ADDRESS];
const FAILURE = ['failure', METER.sn, ADDRESS];
const refusedAfter = (openMs: number) => ({
  claimedName: METER.sn,
  remote: `${ADDRESS}:4059`,
  openMs,
  reason: 'unproved',
  detail: 'No authenticated push',
  bytesIn: 12,
  bytesOut: 34,
});
/** The push that opened the last line is authenticated. */
const prove = () => received.at(-1)?.line.refund();

test('a line carries the pushes of a direct meter: over M-Bus, or ciphered ones of a meter that is dialled', () => {
  const on = (endpoint: Partial<EndpointRow>, framing: string, push?: DlmsFrame) =>
    isPushLine({ ...METER, ...endpoint }, { framing } as DlmsConnection, push); // as: nothing else is read
  expect([on({}, 'mbus'), on({ meterId: null }, 'mbus', CIPHERED)]).toEqual([true, false]);
  expect(on({ connectionType: 'dial_out' }, 'wrapper', CIPHERED)).toBe(true);
  expect(on({ connectionType: 'dial_out', meterId: null }, 'wrapper', CIPHERED)).toBe(false);
  expect([on({ connectionType: 'dial_out' }, 'wrapper', PUSH), on({ connectionType: 'dial_out' }, 'wrapper')]).toEqual([false, false]);
  expect(on({}, 'wrapper', CIPHERED), 'a meter that dials in is read over its connection').toBe(false);
});

test('the first push and later ones are delivered, with blocks, and nothing else is', () => {
  const connection = open(PUSH);
  for (const frame of [BLOCK, REQUEST, frameOf(new Uint8Array(0)), PUSH]) connection.receive(frame);
  const { apdu, source, destination, octets } = PUSH;
  expect(received[0]?.message).toEqual({ apdu, address: undefined, source, destination, octets });
  expect(received.map(({ message }) => message.apdu)).toEqual([PUSH.apdu, BLOCK.apdu, PUSH.apdu]);
});

test('a line without an authenticated push in time is closed, delayed and recorded after its last push had time to settle', () => {
  const connection = open(PUSH);
  vi.advanceTimersByTime(PROOF_MS - 1);
  expect(connection.closed).toBe(false);
  vi.advanceTimersByTime(1);
  expect([connection.closed, ended.length, judged]).toEqual([true, 1, []]);
  vi.advanceTimersByTime(SETTLE_MS);
  expect(judged).toEqual([FAILURE, refusedAfter(PROOF_MS + SETTLE_MS)]);
});

test('the first authenticated push is a success once, and each one prolongs the line by its heartbeat tolerance', () => {
  const connection = open(PUSH);
  vi.advanceTimersByTime(PROOF_MS - 1);
  prove();
  vi.advanceTimersByTime(HEARTBEAT_MS - 1);
  prove();
  vi.advanceTimersByTime(HEARTBEAT_MS - 1);
  expect([connection.closed, judged]).toEqual([false, [SUCCESS]]);
  vi.advanceTimersByTime(1);
  expect([connection.closed, judged]).toEqual([true, [SUCCESS]]);
});

test('a push that is authenticated right after the end of its line still counts', () => {
  open(PUSH).close();
  vi.advanceTimersByTime(SETTLE_MS - 1);
  prove();
  prove();
  vi.advanceTimersByTime(HEARTBEAT_MS);
  expect([judged, ended.length]).toEqual([[SUCCESS], 1]);
});

test('a meter has eight lines; a ninth closes the oldest open one', () => {
  const connections = Array.from({ length: 9 }, () => open(PUSH));
  expect(connections.map(({ closed }) => closed)).toEqual([true, ...Array<boolean>(8).fill(false)]);
  expect(open(PUSH, { ...METER, id: '6' }).closed, 'of another meter').toBe(false);
  expect(connections[1]?.closed).toBe(false);
  open(PUSH);
  expect(connections.map(({ closed }) => closed)).toEqual([true, true, ...Array<boolean>(7).fill(false)]);
});

test('a line with more than a burst of unauthenticated frames is closed', () => {
  const connection = open();
  for (let count = 0; count < BURST; count++) connection.receive(PUSH);
  expect([connection.closed, received.length]).toEqual([false, BURST]);
  connection.receive(PUSH);
  expect([connection.closed, received.length]).toEqual([true, BURST]);
});

test('a connection that ended before its line began is judged like another', async () => {
  open(PUSH, METER, connectionOf({ closed: true }));
  await Promise.resolve();
  expect(ended).toHaveLength(1);
  vi.advanceTimersByTime(SETTLE_MS);
  expect(judged).toEqual([FAILURE, refusedAfter(SETTLE_MS)]);
});

test('a stop closes all lines, also ones that have ended, without a judgement about their meters', () => {
  open(PUSH).close();
  const connection = open(PUSH);
  lines.stop();
  vi.advanceTimersByTime(PROOF_MS + SETTLE_MS);
  expect([connection.closed, ended.length, judged]).toEqual([true, 2, []]);
});
