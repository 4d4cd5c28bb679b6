import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

const LOCAL = '127.0.0.1';
const REDIAL_MS = 1_000;

/** A line that can be ended. */
export interface Line {
  stop(): void;
}

/**
 * Keeps a connection to the head-end, as a modem does, and hands each socket to `serve`. Dials again a second after the end of a
 * connection.
 */
export function dialIn(headEndPort: number, serve: (socket: Socket) => void): Line {
  let isStopped = false;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const dial = (): void => {
    socket = connect({ port: headEndPort, host: LOCAL, noDelay: true });
    socket.on('error', () => {});
    socket.once('close', () => {
      if (!isStopped) timer = setTimeout(dial, REDIAL_MS);
    });
    serve(socket);
  };
  dial();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      socket?.destroy();
    },
  };
}

/** Listens for the head-end and hands each socket to `serve`. */
export async function dialledAt(serve: (socket: Socket) => void): Promise<Line & { port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    serve(socket);
  }).listen(0, LOCAL);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  return {
    port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Passes the octets between a socket of the head-end and the port of a peer that cannot dial itself. */
export const passTo =
  (port: number) =>
  (socket: Socket): void => {
    const peer = connect({ port, host: LOCAL, noDelay: true });
    peer.on('error', () => {});
    peer.once('close', () => socket.destroy());
    socket.once('close', () => peer.destroy());
    socket.pipe(peer);
    peer.pipe(socket);
  };
