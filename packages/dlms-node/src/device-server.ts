import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { HdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { answering, type Answering, type DeviceOf } from './answering.ts';
import { serveDatagrams } from './datagrams.ts';
import { HdlcLine, QUIET_MS, readHdlcFrames } from './hdlc-line.ts';
import { WrapperConnection } from './wrapper-connection.ts';

const FRAME_TIMEOUT_MS = 30_000;
/** As HDLC setup objects have it when nobody changed them. */
const INACTIVITY_MS = 120_000;
const HDLC_PARAMETERS = { maxInformationTransmit: 1024, maxInformationReceive: 1024, windowTransmit: 1, windowReceive: 1 };
/** Pairs of addresses on one connection: a peer must not fill the memory by counting through them. */
const MOST_LINES = 64;

export interface DeviceServerOptions {
  /** A logical device of its own for each connection, whose associations end with it; over UDP for each address of a client. */
  deviceOf: DeviceOf;
  /** 4059 when not said, any free one for 0. */
  port?: number;
  /** What APDUs travel in; wrapper frames when not said. */
  framing?: 'wrapper' | 'hdlc' | 'udp';
  /** HDLC: after how many milliseconds without an octet an unfinished frame is given up; 500 when not said. */
  quietMs?: number;
  /** All interfaces when not said. */
  host?: string;
}

export interface DeviceServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Lets logical devices answer on a port of TCP or UDP. Whatever a client sends, only its own connection suffers. */
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
  const connection = new WrapperConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
  connection.onFrame(({ source, destination, apdu }) => {
    for (const octets of answer(destination, source, apdu)) connection.send({ source: destination, destination: source }, octets);
  });
}

/** A link for every client and server address that speak to each other. */
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
    const pair = `${destination.upper}/${destination.lower ?? 0}/${source.upper}`;
    const line = lines.get(pair) ?? (lines.size < MOST_LINES ? begin(frame) : undefined);
    if (line === undefined) return;
    lines.set(pair, line);
    line.take(frame);
  });
  // What went wrong is told by the close that follows.
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const line of lines.values()) line.stop();
  });
}
