import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ALL_STATION_SAP, isForAllStations } from '@hes/dlms/framing/hdlc/broadcast.ts';
import type { HdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { hasLlc, removeLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { answering, type Answering, type DeviceOf } from './answering.ts';
import { serveDatagrams } from './datagrams.ts';
import { HdlcLine, QUIET_MS, readHdlcFrames } from './hdlc-line.ts';
import { DlmsConnection } from './dlms-connection.ts';

const FRAME_TIMEOUT_MS = 30_000;
/** The default of HDLC setup objects. */
const INACTIVITY_MS = 120_000;
const HDLC_PARAMETERS = { maxInformationTransmit: 1024, maxInformationReceive: 1024, windowTransmit: 1, windowReceive: 1 };
/** Maximum address pairs per connection: a peer must not exhaust memory by enumerating them. */
const MOST_LINES = 64;

export interface DeviceServerOptions {
  /** Provides the logical devices of a connection, whose associations end with it; over UDP, of a client address. */
  deviceOf: DeviceOf;
  /** Defaults to 4059; 0 selects a free port. */
  port?: number;
  /** Defaults to wrapper frames. */
  framing?: 'wrapper' | 'hdlc' | 'udp';
  /** HDLC: idle milliseconds after which an incomplete frame is dropped; defaults to 500. */
  quietMs?: number;
  /** Defaults to all interfaces. */
  host?: string;
}

export interface DeviceServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves logical devices on a TCP or UDP port. Input of a client affects its connection only. */
export function serveDevices({ deviceOf, port = WRAPPER_PORT, host, ...line }: DeviceServerOptions): Promise<DeviceServer> {
  if (line.framing === 'udp') return serveDatagrams({ deviceOf, port, host });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (line.framing === 'hdlc') attendHdlc(socket, answering(deviceOf), line.quietMs ?? QUIET_MS);
    else attendWrapper(socket, answering(deviceOf));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port, // as: it listens on a port, not on a pipe
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of open) socket.destroySoon();
          }),
      });
    });
  });
}

function attendWrapper(socket: Socket, answer: Answering): void {
  const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
  connection.onFrame(({ source, destination, apdu }) => {
    for (const octets of answer(destination, source, apdu)) connection.send({ source: destination, destination: source }, octets);
  });
}

/** Takes a message for all servers; any other frame to them is ignored, because they would all respond at once. */
function takeBroadcast({ control, segmented, information, source }: HdlcFrame, answer: Answering): void {
  if (control.kind === 'ui' && !segmented && hasLlc('command', information))
    answer(ALL_STATION_SAP, source.upper, removeLlc('command', information));
}

/** Serves an HDLC link per pair of client and server address. */
function attendHdlc(socket: Socket, answer: Answering, quietMs: number): void {
  const lines = new Map<string, HdlcLine>();
  const begin = ({ destination: own, source: peer }: HdlcFrame): HdlcLine => {
    const line = new HdlcLine({
      link: createLink({ role: 'server', own, peer, parameters: HDLC_PARAMETERS }),
      timeoutMs: INACTIVITY_MS,
      write: (octets) => void socket.write(octets),
    });
    line.onMessage((apdu) => {
      const answers = answer(own.upper, peer.upper, apdu);
      for (const octets of answers) if (line.isConnected) line.send(octets);
      if (answers.length === 0) line.pass();
    });
    return line;
  };
  socket.setNoDelay(true);
  readHdlcFrames(socket, quietMs, (frame) => {
    const { destination, source } = frame;
    if (isForAllStations(destination)) return takeBroadcast(frame, answer);
    const pair = `${destination.upper}/${destination.lower ?? 0}/${source.upper}`;
    const line = lines.get(pair) ?? (lines.size < MOST_LINES ? begin(frame) : undefined);
    if (line === undefined) return;
    lines.set(pair, line);
    line.take(frame);
  });
  // The close event that follows reports the reason.
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const line of lines.values()) line.stop();
  });
}
