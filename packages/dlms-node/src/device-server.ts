import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { LogicalDevice } from '@hes/dlms/association/server.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { WrapperConnection } from './wrapper-connection.ts';

const FRAME_TIMEOUT_MS = 30_000;

export interface DeviceServerOptions {
  /**
   * A logical device of its own for each connection: associations end with it. `address` names a meter behind a gateway.
   * Nobody answers where there is none.
   */
  deviceOf(serverSap: number, address: Uint8Array | undefined): LogicalDevice | undefined;
  /** 4059 when not said, any free one for 0. */
  port?: number;
  /** All interfaces when not said. */
  host?: string;
}

export interface DeviceServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Lets logical devices answer on a TCP port. Whatever a client sends, only its own connection suffers. */
export function serveDevices({ deviceOf, port = WRAPPER_PORT, host }: DeviceServerOptions): Promise<DeviceServer> {
  const open = new Set<WrapperConnection>();
  const server = createServer((socket) => attend(socket, deviceOf, open));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port, // as: it listens on a port, not on a pipe
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const connection of open) connection.close();
          }),
      });
    });
  });
}

function attend(socket: Socket, deviceOf: DeviceServerOptions['deviceOf'], open: Set<WrapperConnection>): void {
  const connection = new WrapperConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
  const devices = new Map<string, LogicalDevice | undefined>();
  open.add(connection);
  connection.onClose(() => open.delete(connection));
  connection.onFrame(({ source, destination, apdu: octets }) => {
    const gateway = octets[0] === undefined ? undefined : decodeGateway(octets);
    const key = `${destination}/${gateway?.address.join(' ')}`;
    if (!devices.has(key)) devices.set(key, deviceOf(destination, gateway?.address));
    const answer = devices.get(key)?.receive(source, gateway?.apdu ?? octets);
    if (answer === undefined) return;
    const framed = gateway === undefined ? answer : encodeGateway({ ...gateway, response: true }, answer);
    connection.send({ source: destination, destination: source }, framed);
  });
}
