import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { monotonicNow } from '#platform/clock.ts';
import type { ExchangeError, UnsolicitedMessage } from './channel.ts';
import { EndpointSession } from './endpoint-session.ts';
import type { LinkTools } from './link.ts';
import type { EndpointRow } from './queries.ts';

/** Long enough for a busy machine. */
const WITHIN = { timeout: 20_000 };
const NOW = Date.UTC(2026, 0, 1);
const BURST = 1_000;

let server: Server;
let device: Socket;
let session: EndpointSession;
let heard: number;
let notified: UnsolicitedMessage[];
let ends: EndpointSession[];

beforeEach(async () => {
  [heard, notified, ends] = [0, [], []];
  server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  session = sessionOver(await connectDevice());
});
afterEach(async () => {
  session.close('server_stopped');
  device.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function connectDevice(): Promise<DlmsConnection> {
  const accepted = new Promise<Socket>((resolve) => void server.once('connection', resolve));
  device = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined); // as: a TCP server that listens
  return new DlmsConnection(await accepted, { frameTimeoutMs: 1_000 });
}

const sessionOver = (connection: DlmsConnection, meterId: string | null = null) =>
  new EndpointSession({
    endpoint: { meterId, parallelMeters: 2, heartbeatS: 60 } as EndpointRow, // as: no other column is read
    direction: 'dial_in',
    connection,
    opened: monotonicNow(),
    push: undefined,
    tools: { now: () => NOW } as Omit<LinkTools, 'channel'>, // as: no link is opened
    timeoutLimits: { longestMs: 1_000 },
    onHeard: () => heard++,
    onNotification: (_, message) => notified.push(message),
    onClosed: (ended) => ends.push(ended),
  });

/** A notification with a number, which answers no request. */
const notification = (number: number, size = 8): Uint8Array => {
  const apdu = Buffer.alloc(size, 0);
  apdu[0] = 0x0f;
  apdu.writeUInt16BE(number, 1);
  return encodeWrapper({ source: 1, destination: 1 }, apdu);
};
const push = (count: number, size?: number, from = 0) =>
  device.write(Buffer.concat(Array.from({ length: count }, (_, index) => notification(from + index, size))));
const numbers = () => notified.map(({ apdu }) => Buffer.from(apdu).readUInt16BE(1));
const firstNumbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Unlike `vi.waitFor` it leaves a virtual clock alone. The time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
const untilRead = (octets: number) => until(() => session.connection.bytesIn === octets);
/** The allowance of a connection grows with time, which a busy machine has more of. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('messages before the admission are delivered with it, in their order and at most 64', async () => {
  push(65);
  await untilRead(65 * 16);
  expect(session.isAdmitted).toBe(false);
  expect([heard, numbers()]).toEqual([0, []]);
  session.admit();
  expect(session.isAdmitted).toBe(true);
  expect(numbers()).toEqual(firstNumbers(64));
  push(1, 8, 99);
  await vi.waitFor(() => expect(numbers().at(-1)).toBe(99), WITHIN);
  expect(heard, 'only frames of an admitted device are a sign of life').toBe(1);
  expect(session.lastHeardAt).toBe(NOW);
});

test('messages before the admission are kept up to 256 KiB of frames', async () => {
  const [size, kept] = [8_192 - 8, 32];
  push(kept + 1, size);
  await untilRead((kept + 1) * 8_192);
  session.admit();
  expect(numbers()).toEqual(firstNumbers(kept));
});

test('a caller that sends more than a burst of messages before its admission is disconnected', async () => {
  stopClock();
  session = sessionOver(session.connection);
  push(BURST);
  await untilRead(BURST * 16);
  expect(session.closed).toBeUndefined();
  push(1);
  await until(() => session.closed !== undefined);
  expect(session.closed).toMatchObject({ reason: 'unproved', detail: expect.stringContaining('before the authentication') });
  await vi.waitFor(() => expect(device.readyState).not.toBe('open'), WITHIN);
});

test('an admitted device that sends more than a burst is read slower, and nothing is lost', async () => {
  stopClock();
  session = sessionOver(session.connection);
  session.admit();
  const pause = vi.spyOn(session.connection, 'pause');
  push(BURST);
  await until(() => notified.length === BURST);
  expect(pause).not.toHaveBeenCalled();
  push(3);
  await until(() => notified.length === BURST + 3);
  expect(pause).toHaveBeenCalled();
  expect(session.closed).toBeUndefined();
});

test('messages of authenticated senders are refunded, so the device is not read slower', async () => {
  session.admit();
  const pause = vi.spyOn(session.connection, 'pause');
  for (let round = 1; round <= 3; round++) {
    push(BURST);
    await vi.waitFor(() => expect(notified).toHaveLength(round * BURST), WITHIN);
    for (let index = 0; index < BURST; index++) session.refund();
  }
  expect(pause).not.toHaveBeenCalled();
});

test('a paused connection is read again when no reason is left', async () => {
  session.admit();
  session.pause('frames');
  session.pause('pushes');
  push(1);
  session.resume('frames');
  await expect(vi.waitFor(() => expect(notified).toHaveLength(1), { timeout: 100 })).rejects.toThrow();
  session.resume('pushes');
  await vi.waitFor(() => expect(notified).toHaveLength(1), WITHIN);
});

test('a session ends once, with the reason of the head-end rather than that of the connection', async () => {
  session.close('unreachable', 'no answer');
  session.close('server_stopped');
  await vi.waitFor(() => expect(device.destroyed).toBe(true), WITHIN);
  expect(session.closed).toMatchObject({ reason: 'unreachable', detail: 'no answer' });
  expect(ends).toEqual([session]);
});

test('a device that closes the connection ends the session', async () => {
  device.end();
  await vi.waitFor(() => expect(ends).toEqual([session]), WITHIN);
  expect(session.closed).toMatchObject({ reason: 'peer_closed', detail: expect.stringContaining('closed') });
});

test('a connection that ended before its session began ends the session, too', async () => {
  session.connection.close();
  const late = sessionOver(session.connection);
  expect(late.closed).toBeUndefined();
  await vi.waitFor(() => expect(ends).toContain(late), WITHIN);
  expect(late.closed).toMatchObject({ reason: 'peer_closed', detail: null });
});

test('a device without frames for two and a half of its heartbeat intervals is lost', async () => {
  expect(session.maxIdleMs).toBe(150_000);
  stopClock();
  session = sessionOver(session.connection);
  session.admit();
  push(1);
  await until(() => notified.length === 1);
  vi.advanceTimersByTime(100_000);
  expect(session.idleMs).toBe(100_000);
  push(1);
  await until(() => notified.length === 2);
  expect(session.idleMs).toBe(0);
});

test.each([
  ['the DCU, or a meter behind it', null, ['DCU_TIMEOUT', 'METER_TIMEOUT']],
  ['the direct meter', '7', ['METER_TIMEOUT', 'METER_TIMEOUT']],
])('a timeout names the device that did not respond: %s', async (_, meterId, reasons) => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  session = sessionOver(session.connection, meterId);
  const reasonOf = (address: Uint8Array | undefined) =>
    session.channel
      .exchange({ clientSap: 1, serverSap: 1, address }, Uint8Array.of(0xc0), { priority: 'bulk' })
      .catch(({ reason }: ExchangeError) => reason);
  const answers = [reasonOf(undefined), reasonOf(Uint8Array.of(1))];
  vi.advanceTimersByTime(1_000);
  expect(await Promise.all(answers)).toEqual(reasons);
});
