import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { DlmsConnection, type CloseReason, type DlmsConnectionOptions } from './dlms-connection.ts';

const APDU = fromHex('C001C100030100010800FF0200');
const ADDRESS = { source: 1, destination: 1 };
const FRAME = encodeWrapper(ADDRESS, APDU);
/** Long enough that no test reaches it by accident. */
const PATIENT: DlmsConnectionOptions = { frameTimeoutMs: 60_000 };

let server: Server;
let peer: Socket;

/** Events of a connection, recorded and as promises. */
class Listener {
  readonly connection: DlmsConnection;
  readonly frames: WrapperFrame[] = [];
  readonly closed: Promise<{ reason: CloseReason; detail: string }>;
  #waiting: { count: number; resolve: () => void } | undefined;

  constructor(connection: DlmsConnection) {
    this.connection = connection;
    connection.onFrame((frame) => {
      this.frames.push(frame);
      if (this.frames.length === this.#waiting?.count) this.#waiting.resolve();
    });
    this.closed = new Promise((resolve) => connection.onClose((reason, detail) => resolve({ reason, detail })));
  }

  heard(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
      if (this.frames.length >= count) resolve();
    });
  }
}

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  peer.destroy();
  server.close();
  await once(server, 'close');
});

/** A connection under test on one end of a socket; `peer` is the other end. */
async function connected(options = PATIENT): Promise<Listener> {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
  [peer] = (await accepted) as [Socket]; // as: the event's arguments
  peer.on('error', () => {});
  await (socket.readyState === 'open' ? undefined : once(socket, 'connect'));
  return new Listener(new DlmsConnection(socket, options));
}

describe('a wrapper connection', () => {
  it('sends and receives frames, counts octets and knows its peer', async () => {
    const listener = await connected();
    listener.connection.send({ source: 16, destination: 1 }, APDU);
    const [octets] = (await once(peer, 'data')) as [Buffer]; // as: the event's arguments
    expect(toHex(octets)).toBe(toHex(encodeWrapper({ source: 16, destination: 1 }, APDU)));
    peer.write(FRAME);
    await listener.heard(1);
    expect(listener.frames[0]).toMatchObject({ ...ADDRESS, apdu: APDU, octets: FRAME });
    expect(listener.connection).toMatchObject({ bytesIn: FRAME.length, bytesOut: FRAME.length });
    expect(listener.connection.remote).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it.each([
    { isUnbatched: false, writes: 'together at its end', octets: 0 },
    { isUnbatched: true, writes: 'at once', octets: FRAME.length },
  ])('writes the frames of one tick $writes (unbatched: $isUnbatched)', async ({ isUnbatched, octets }) => {
    const { connection } = await connected({ ...PATIENT, isUnbatched });
    connection.send(ADDRESS, APDU);
    expect(connection.bytesOut).toBe(octets);
    await once(peer, 'data');
    expect(connection.bytesOut).toBe(FRAME.length);
  });

  it('reassembles frames from single octets, and extracts several from one segment', async () => {
    const listener = await connected();
    peer.setNoDelay(true);
    for (const octet of FRAME) await new Promise<unknown>((resolve) => peer.write(Uint8Array.of(octet), resolve));
    peer.write(Uint8Array.of(...FRAME, ...FRAME, ...FRAME.subarray(0, 5)));
    peer.write(FRAME.subarray(5));
    await listener.heard(4);
    expect(listener.frames.map(({ apdu }) => toHex(apdu))).toEqual(Array.from({ length: 4 }, () => toHex(APDU)));
  });

  it('ends with not_dlms on anything else', async () => {
    const listener = await connected();
    peer.write('GET / HTTP/1.1\r\nHost: meter\r\n\r\n');
    expect(await listener.closed).toMatchObject({ reason: 'not_dlms' });
    expect(listener.frames).toEqual([]);
  });

  it('ends with not_dlms on an empty APDU', async () => {
    const listener = await connected();
    peer.write(fromHex('0001000100010000'));
    expect(await listener.closed).toMatchObject({ reason: 'not_dlms' });
  });

  it('ends with frame_timeout when a frame stays incomplete', async () => {
    const listener = await connected({ frameTimeoutMs: 30 });
    peer.write(Uint8Array.of(...FRAME, ...FRAME.subarray(0, 12)));
    expect(await listener.closed).toMatchObject({ reason: 'frame_timeout', detail: expect.stringContaining('12 octets') });
    expect(listener.frames).toHaveLength(1);
  });

  it('ends with peer_closed when the peer closes, and when it closes only its half', async () => {
    const first = await connected();
    peer.end(FRAME);
    expect(await first.closed).toMatchObject({ reason: 'peer_closed' });
    expect(first.frames).toHaveLength(1);
  });

  it('ends with socket_error when the peer resets', async () => {
    const listener = await connected();
    peer.resetAndDestroy();
    expect(await listener.closed).toMatchObject({ reason: 'socket_error' });
  });

  it('ends with socket_error when the peer does not read', async () => {
    const listener = await connected({ ...PATIENT, maxPending: 100_000 });
    peer.pause();
    const large = new Uint8Array(65_000);
    for (let i = 0; i < 1000 && !listener.connection.closed; i++) listener.connection.send(ADDRESS, large);
    expect(await listener.closed).toMatchObject({ reason: 'socket_error', detail: expect.stringContaining('does not read') });
  });

  it('sends queued octets on close, and none after it', async () => {
    const listener = await connected();
    listener.connection.send(ADDRESS, APDU);
    listener.connection.close();
    listener.connection.send(ADDRESS, APDU);
    const [octets] = (await once(peer, 'data')) as [Buffer]; // as: the event's arguments
    expect(octets).toHaveLength(FRAME.length);
    expect(await listener.closed).toEqual({ reason: 'closed_by_us', detail: 'closed by us' });
  });

  it('reports its end once, even for a socket that was destroyed before', async () => {
    await connected();
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
    socket.destroy();
    const reasons: CloseReason[] = [];
    const connection = new DlmsConnection(socket, PATIENT);
    const told = new Promise<void>((resolve) =>
      connection.onClose((reason) => {
        reasons.push(reason);
        resolve();
      }),
    );
    await told;
    connection.close();
    expect(reasons).toEqual(['peer_closed']);
  });
});
