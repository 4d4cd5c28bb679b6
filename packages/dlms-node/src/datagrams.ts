import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeDatagram } from '@hes/dlms/framing/datagram.ts';
import { ALL_STATION_SAP } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { answering, type Answering, type DeviceOf } from './answering.ts';
import type { ApduCarrier } from './apdu-carrier.ts';
import { SessionError } from './session-error.ts';

/** Maximum clients with associations. UDP has no end of connection, so the least recently active client is dropped. */
const MOST_CLIENTS = 256;

const socketFor = (host: string | undefined): Socket => createSocket(host !== undefined && isIPv6(host) ? 'udp6' : 'udp4');

/** The frame in a datagram; undefined for anything else, which any host may send. */
function frameIn(message: Buffer): WrapperFrame | undefined {
  try {
    // A plain array: `Buffer.slice` shares memory, `Uint8Array.slice` copies.
    return decodeDatagram(new Uint8Array(message.buffer, message.byteOffset, message.length));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/**
 * One client of one server over UDP, one datagram per APDU. Lost datagrams surface as timeouts, and general block transfer requests them
 * again. Fails with `SessionError` when datagrams cannot be sent.
 */
export async function openDatagrams(target: { host: string; port: number; clientSap: number; serverSap: number }): Promise<ApduCarrier> {
  const { host, port, clientSap: source, serverSap: destination } = target;
  const socket = socketFor(host);
  socket.connect(port, host);
  try {
    await once(socket, 'connect');
    if (destination === ALL_STATION_SAP) socket.setBroadcast(true);
  } catch (error) {
    socket.close();
    throw new SessionError('NOT_REACHABLE', `${host}:${port}: ${String(error)}`);
  }
  let tell = (_why: string): void => {};
  let isOpen = true;
  const end = (why: string) => {
    if (!isOpen) return;
    isOpen = false;
    socket.close();
    tell(why);
  };
  // A closed port is reported only after a send.
  socket.on('error', ({ message }) => end(`socket_error: ${message}`));
  return {
    send: (apdu) => void (isOpen && socket.send(encodeWrapper({ source, destination }, apdu))),
    onApdu: (listener) =>
      socket.on('message', (message) => {
        const frame = frameIn(message);
        if (frame?.source === destination && frame.destination === source) listener(frame.apdu);
      }),
    onClose: (listener) => (tell = listener),
    close: () => end('closed_by_us: closed'),
  };
}

/** Serves logical devices on a UDP port, with separate devices per client address. */
export async function serveDatagrams(options: { deviceOf: DeviceOf; port: number; host?: string | undefined }) {
  const { deviceOf, port, host } = options;
  const socket = socketFor(host);
  const clients = new Map<string, Answering>();
  socket.on('message', (message, { address, port: from }: RemoteInfo) => {
    const frame = frameIn(message);
    if (frame === undefined) return;
    const client = `${address} ${from}`;
    const answer = clients.get(client) ?? answering(deviceOf);
    // Moves the client to the end: most recently active.
    clients.delete(client);
    clients.set(client, answer);
    const [longestSilent] = clients.keys();
    if (clients.size > MOST_CLIENTS && longestSilent !== undefined) clients.delete(longestSilent);
    const { source: destination, destination: source } = frame;
    for (const octets of answer(source, destination, frame.apdu))
      socket.send(encodeWrapper({ source, destination }, octets), from, address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  // A response that cannot be sent counts as lost.
  socket.on('error', () => {});
  return {
    port: socket.address().port,
    close: () => new Promise<void>((closed) => socket.close(() => closed())),
  };
}
