import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { HdlcDeframer } from '@hes/dlms/framing/hdlc/deframer.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DlmsConnection, type CloseReason, type DlmsConnectionOptions } from './dlms-connection.ts';
import type { DlmsFrame } from './framing.ts';
import { HdlcLine } from './hdlc-line.ts';

const ADDRESS = { source: 1, destination: 1 };
const REQUEST = fromHex('C001C100030100010800FF0200');
const ASSOCIATION = fromHex('601DA109060760857405080101BE10040E01000000065F1F0400001E5DFFFF');
const SMALL = { maxInformationTransmit: 64, maxInformationReceive: 64, windowTransmit: 1, windowReceive: 1 };
const QUICK = { timeoutMs: 100, retries: 9, quietMs: 30 };

const long = (size: number) => Uint8Array.from({ length: size }, (_, at) => at % 251);
const announcement = (apdu: Uint8Array, lower = 17) =>
  encodeHdlcFrame({
    destination: clientAddress(1),
    source: serverAddress(1, lower, 4),
    control: { kind: 'ui', pollFinal: false },
    segmented: false,
    information: addLlc('response', apdu),
  });

let server: Server;
let peer: Socket;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  peer.destroy();
  server.close();
});

interface Client {
  connection: DlmsConnection;
  frames: DlmsFrame[];
  closed: Promise<{ reason: CloseReason; detail: string }>;
}

async function connected(options: Partial<DlmsConnectionOptions> = {}): Promise<Client> {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
  [peer] = (await accepted) as [Socket]; // as: the event's arguments
  peer.on('error', () => {});
  const connection = new DlmsConnection(socket, { frameTimeoutMs: 60_000, framing: 'hdlc', hdlc: QUICK, ...options });
  const frames: DlmsFrame[] = [];
  connection.onFrame((frame) => frames.push({ ...frame, apdu: frame.apdu.slice(), octets: frame.octets.slice() }));
  const closed = new Promise<{ reason: CloseReason; detail: string }>((resolve) =>
    connection.onClose((reason, detail) => resolve({ reason, detail })),
  );
  return { connection, frames, closed };
}

interface Device {
  requests: Uint8Array[];
  lines: HdlcLine[];
  /** Drops the links without a frame, and ignores everything until the next SNRM. */
  silence(): void;
}

/** A device at the other end: `answerOf` gives its responses, `isLost` loses frames in both directions, `delays` counts empty turns. */
function device(
  answerOf: (request: Uint8Array) => Uint8Array,
  { isLost = () => false, delays = 0 }: { isLost?: () => boolean; delays?: number } = {},
): Device {
  const deframer = new HdlcDeframer();
  const byPair = new Map<string, HdlcLine>();
  let isSilent = false;
  const silence = () => {
    isSilent = true;
    for (const line of byPair.values()) line.stop();
    byPair.clear();
  };
  const found: Device = { requests: [], lines: [], silence };
  const begin = (own: Parameters<typeof createLink>[0]['own'], other: Parameters<typeof createLink>[0]['own']) => {
    const line = new HdlcLine({
      link: createLink({ role: 'server', own, peer: other, parameters: SMALL }),
      timeoutMs: 60_000,
      write: (octets) => void (isLost() || peer.write(octets)),
    });
    let left = 0;
    line.onMessage((apdu) => {
      found.requests.push(apdu.slice());
      left = delays;
      const answer = () => line.send(answerOf(apdu));
      if (left === 0) answer();
      else {
        line.pass();
        setTimeout(answer, 20);
      }
    });
    found.lines.push(line);
    return line;
  };
  peer.on('data', (chunk: Buffer) => {
    for (const frame of deframer.push(Uint8Array.from(chunk))) {
      isSilent &&= frame.control.kind !== 'snrm';
      if (isLost() || isSilent) continue;
      const pair = `${frame.destination.upper}/${frame.destination.lower ?? 0}/${frame.source.upper}`;
      const line = byPair.get(pair) ?? begin(frame.destination, frame.source);
      byPair.set(pair, line);
      line.take(frame);
    }
  });
  peer.on('close', () => found.lines.forEach((line) => line.stop()));
  return found;
}

const arrived = (frames: DlmsFrame[], count: number) =>
  vi.waitFor(() => expect(frames).toHaveLength(count), { timeout: 5_000, interval: 5 });

describe('HDLC frames of a connection', () => {
  it('open a link by SNRM, and carry messages in segments both ways', async () => {
    const { connection, frames } = await connected();
    const { requests } = device((request) => Uint8Array.of(0xc4, ...request, ...long(500)));
    const seen: { kind: string; isMessage: boolean; octets: Uint8Array }[] = [];
    const request = Uint8Array.of(0xc0, ...long(300));
    connection.send(ADDRESS, request, (octets, direction, isMessage) => seen.push({ kind: direction, isMessage, octets }));
    await arrived(frames, 1);
    expect(requests.map(toHex)).toEqual([toHex(request)]);
    expect(frames[0]).toMatchObject({ source: 1, destination: 1, apdu: Uint8Array.of(0xc4, ...request, ...long(500)) });
    // The whole wire: SNRM, UA, and all segments of each message.
    const kindsIn = (octets: Uint8Array) =>
      new HdlcDeframer().push(octets).map(({ control, segmented }) => `${control.kind}${segmented ? '+' : ''}`);
    expect(seen.map(({ kind, isMessage, octets }) => [kind, isMessage, kindsIn(octets).join(' ')])).toEqual([
      ['down', false, 'snrm'],
      ['up', false, 'ua'],
      ['down', true, 'i+ i+ i+ i+ i'],
    ]);
    expect(kindsIn(frames[0]?.octets ?? new Uint8Array(0)).every((kind) => kind.startsWith('i'))).toBe(true);
    expect(connection.isHalfDuplex).toBe(true);
  });

  it('have a link for each pair of SAPs, with the lower address of the first message', async () => {
    const { connection, frames } = await connected();
    peer.write(announcement(Uint8Array.of(0x0f, 1)));
    await arrived(frames, 1);
    expect(frames[0]).toMatchObject({ source: 1, destination: 1, apdu: Uint8Array.of(0x0f, 1) });
    const { lines } = device((request) => request);
    connection.send(ADDRESS, REQUEST);
    connection.send({ source: 16, destination: 200 }, REQUEST);
    await arrived(frames, 3);
    expect(new Set(frames.slice(1).map(({ source, destination }) => `${source} to ${destination}`))).toEqual(
      new Set(['1 to 1', '200 to 16']),
    );
    expect(lines).toHaveLength(2);
  });

  it('use the lower address that the archive has', async () => {
    const { connection } = await connected({ hdlc: { ...QUICK, physicalAddress: 4660 } });
    connection.send(ADDRESS, REQUEST);
    const [snrm] = (await once(peer, 'data')) as [Buffer]; // as: the event's arguments
    const [frame] = new HdlcDeframer().push(snrm);
    expect(frame).toMatchObject({ destination: { upper: 1, lower: 4660, size: 4 }, source: { upper: 1 }, control: { kind: 'snrm' } });
  });

  it('are retransmitted when they were lost', async () => {
    const { connection, frames } = await connected();
    let count = 0;
    const { requests } = device((request) => Uint8Array.of(...request, ...long(200)), { isLost: () => ++count % 5 === 0 });
    for (let sent = 1; sent <= 6; sent++) {
      connection.send(ADDRESS, Uint8Array.of(sent, ...long(150)));
      await arrived(frames, sent);
    }
    expect(frames.map(({ apdu }) => apdu[0])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(requests).toHaveLength(6);
  });

  it('poll a device that returns the turn before it has the response', async () => {
    const { connection, frames } = await connected();
    device((request) => request, { delays: 1 });
    connection.send(ADDRESS, REQUEST);
    await arrived(frames, 1);
  });

  it('open the link again after the device has lost it', async () => {
    const { connection, frames } = await connected();
    const { lines } = device((request) => request);
    connection.send(ADDRESS, REQUEST);
    await arrived(frames, 1);
    lines[0]?.disconnect();
    // The device answers DM, and the client begins again with the next message.
    connection.send(ADDRESS, REQUEST);
    await vi.waitFor(
      () => {
        connection.send(ADDRESS, REQUEST);
        expect(frames.length).toBeGreaterThan(1);
      },
      { timeout: 5_000, interval: 50 },
    );
  });

  it('open an idle link again before an association request, which some devices answer with nothing else', async () => {
    const { connection, frames } = await connected({ hdlc: { ...QUICK, idleMs: 50 } });
    const { requests, lines, silence } = device((request) => request);
    connection.send(ADDRESS, ASSOCIATION);
    await arrived(frames, 1);
    silence();
    await delay(60);
    connection.send(ADDRESS, ASSOCIATION);
    await arrived(frames, 2);
    expect(requests).toHaveLength(2);
    expect(lines).toHaveLength(2);
  });

  it('drop an association request that is repeated before its acknowledgement: only the last one is answered', async () => {
    const { connection, frames } = await connected();
    let isCut = false;
    const { requests } = device((request) => request, { isLost: () => isCut });
    connection.send(ADDRESS, REQUEST);
    await arrived(frames, 1);
    isCut = true;
    connection.send(ADDRESS, ASSOCIATION);
    await delay(QUICK.timeoutMs / 2);
    connection.send(ADDRESS, Uint8Array.of(...ASSOCIATION, 1));
    isCut = false;
    await arrived(frames, 2);
    await delay(2 * QUICK.timeoutMs);
    expect(requests.slice(1)).toEqual([Uint8Array.of(...ASSOCIATION, 1)]);
    expect(frames).toHaveLength(2);
  });

  it.each([
    ['an association request is sent again', ASSOCIATION, 2],
    ['an association request behind a gateway is sent again', encodeGateway({ networkId: 0, address: Uint8Array.of(49) }, ASSOCIATION), 2],
    ['a request within an association is not', REQUEST, 1],
  ])('after a refusal because the device has no link, %s', async (_, message, received) => {
    const { connection, frames } = await connected();
    const { requests, lines } = device((request) => request);
    connection.send(ADDRESS, ASSOCIATION);
    await arrived(frames, 1);
    lines[0]?.disconnect();
    connection.send(ADDRESS, message);
    await delay(2 * QUICK.timeoutMs);
    expect(frames).toHaveLength(received);
    expect(requests).toHaveLength(received);
  });

  it('carry confirmations of pushes without a link', async () => {
    const { connection } = await connected();
    connection.reply(ADDRESS, REQUEST);
    const [octets] = (await once(peer, 'data')) as [Buffer]; // as: the event's arguments
    expect(new HdlcDeframer().push(octets)).toMatchObject([{ control: { kind: 'ui' }, information: addLlc('command', REQUEST) }]);
  });

  it('are recognised by their first octet, like those of the wrapper', async () => {
    const hdlc = await connected({ framing: 'detect' });
    expect(hdlc.connection.isHalfDuplex).toBe(false);
    peer.write(announcement(REQUEST));
    await arrived(hdlc.frames, 1);
    expect(hdlc.connection.isHalfDuplex).toBe(true);
    hdlc.connection.close();
    const wrapper = await connected({ framing: 'detect' });
    peer.write(encodeWrapper(ADDRESS, REQUEST));
    await arrived(wrapper.frames, 1);
    expect([hdlc, wrapper].map(({ frames }) => frames[0]?.apdu)).toEqual([REQUEST, REQUEST]);
    wrapper.connection.close();
  });
});

describe('hostile octets', () => {
  const flood = async (octets: Uint8Array, most = 400) => {
    for (let sent = 0; sent < most && !peer.destroyed && peer.writable; sent++)
      if (!peer.write(octets)) await Promise.race([once(peer, 'drain'), once(peer, 'close')]);
  };

  it.each<[name: string, octets: Uint8Array]>([
    ['headers without frame', fromHex('7EA0')],
    ['octets without any flag', new Uint8Array(4096)],
    ['noise', long(4096)],
    ['frames with wrong check sequences', Uint8Array.from(announcement(REQUEST), (octet, at) => (at === 12 ? octet ^ 1 : octet))],
    [
      'frames for no link',
      encodeHdlcFrame({
        destination: clientAddress(9),
        source: serverAddress(9),
        control: { kind: 'rr', receiveSequence: 0, pollFinal: true },
        segmented: false,
        information: new Uint8Array(0),
      }),
    ],
    [
      'announcements without LLC header',
      encodeHdlcFrame({
        destination: clientAddress(1),
        source: serverAddress(1),
        control: { kind: 'ui', pollFinal: false },
        segmented: false,
        information: REQUEST,
      }),
    ],
  ])('%s end the connection, and nothing is delivered', async (_name, octets) => {
    const { frames, closed } = await connected({ framing: 'detect' });
    peer.write(Uint8Array.of(0x7e));
    await flood(octets);
    expect(frames).toEqual([]);
    expect(await closed).toMatchObject({ reason: 'not_dlms' });
  });

  it('a response that never ends ends its link, and the connection remains', async () => {
    const { connection, frames } = await connected();
    const deframer = new HdlcDeframer();
    let sequence = 0;
    let isLeft = false;
    let snrms = 0;
    const frameOf = (control: Parameters<typeof encodeHdlcFrame>[0]['control'], information: Uint8Array, segmented = false) =>
      encodeHdlcFrame({ destination: clientAddress(1), source: serverAddress(1), control, segmented, information });
    peer.on('data', (chunk: Buffer) => {
      for (const { control } of deframer.push(Uint8Array.from(chunk))) {
        if (control.kind === 'snrm') snrms++;
        if (control.kind === 'snrm') peer.write(frameOf({ kind: 'ua', pollFinal: true }, new Uint8Array(0)));
        else if (control.kind === 'disc') isLeft = true;
        else if (!isLeft)
          peer.write(frameOf({ kind: 'i', sendSequence: sequence++ % 8, receiveSequence: 1, pollFinal: true }, long(1900), true));
      }
    });
    connection.send(ADDRESS, REQUEST);
    await vi.waitFor(() => expect(isLeft).toBe(true), { timeout: 5_000, interval: 5 });
    expect(sequence).toBeLessThan(40);
    // The peer does not confirm the end, and the next message opens another link.
    snrms = 0;
    connection.send(ADDRESS, REQUEST);
    await vi.waitFor(() => expect(snrms).toBeGreaterThan(0), { timeout: 5_000, interval: 5 });
    expect(frames).toEqual([]);
    expect(connection.closed).toBe(false);
    connection.close();
  });

  it('a message for a client address that no client has is dropped', async () => {
    const { frames, closed } = await connected();
    const far = encodeHdlcFrame({
      destination: serverAddress(9_000),
      source: serverAddress(1),
      control: { kind: 'ui', pollFinal: false },
      segmented: false,
      information: addLlc('response', REQUEST),
    });
    await flood(far);
    expect(await closed).toMatchObject({ reason: 'not_dlms' });
    expect(frames).toEqual([]);
  });

  it('a confirmation that does not fit a frame is not sent', async () => {
    const { connection, frames } = await connected();
    connection.reply(ADDRESS, long(3000));
    peer.write(announcement(REQUEST));
    await arrived(frames, 1);
    expect(connection).toMatchObject({ bytesOut: 0, closed: false });
    connection.close();
  });

  it('a frame that stays incomplete is dropped, and the next one is taken', async () => {
    const { connection, frames } = await connected();
    // A header that announces a long frame would swallow many short ones.
    peer.write(fromHex('7EA7FF'));
    await vi.waitFor(
      () => {
        peer.write(announcement(REQUEST));
        expect(frames.length).toBeGreaterThan(0);
      },
      { timeout: 5_000, interval: 2 * QUICK.quietMs },
    );
    connection.close();
  });
});
