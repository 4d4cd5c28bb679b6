import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { certificatesOf } from './certificates.ts';
import type { ConnectedDevice } from './direct-meter.ts';

const LOCAL = '127.0.0.1';

/** Listens for a head-end that dials the device, with TLS if there is a folder of certificates. The device serves the newest connection. */
export async function listen(
  device: ConnectedDevice,
  port: number,
  tlsFolder?: string,
): Promise<{ host: string; port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // The connection reports errors; this listener keeps an early one from ending the process.
    socket.once('close', () => sockets.delete(socket));
    device.serve(socket);
  };
  const server =
    tlsFolder === undefined
      ? createServer(serve)
      : createTlsServer({ ...certificatesOf(tlsFolder, device.sn), requestCert: true, rejectUnauthorized: true }, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOCAL, resolve);
  });
  const address = server.address() as AddressInfo; // as: it listens on TCP
  return {
    host: LOCAL,
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        device.stop();
        for (const socket of sockets) socket.destroy();
      }),
  };
}
