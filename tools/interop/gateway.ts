import { connect, type Socket } from 'node:net';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { encodeIdentification } from '../../apps/simulator/src/devices/identification.ts';
import { hdlcWire, namedDcu, type TinyWire } from '../../apps/server/test/field/tiny-dcu.ts';
import type { Framing } from './matrix.ts';

/** Tags of messages that answer no request: DATA-NOTIFICATION, and general-glo-ciphering, in which the peers answer nothing. */
const UNSOLICITED: ReadonlySet<number> = new Set([0x0f, 0xdb]);
const NETWORK_ID = 0;
/** Lower HDLC address of the gateways of the matrix. */
export const PHYSICAL_ADDRESS = 17;

type Receive = (client: number, server: number, apdu: Uint8Array) => void;

function wrapperWire(socket: Socket, receive: Receive): TinyWire {
  const deframer = new WrapperDeframer();
  socket.on('data', (chunk: Buffer) => {
    for (const { source, destination, apdu } of deframer.push(chunk)) receive(source, destination, apdu.slice());
  });
  return {
    send: (source, destination, apdu) => void socket.write(encodeWrapper({ source, destination }, apdu)),
    announce: (apdu) => void socket.write(encodeWrapper({ source: 1, destination: 1 }, apdu)),
  };
}

const WIRES = { wrapper: wrapperWire, hdlc: hdlcWire(PHYSICAL_ADDRESS) } satisfies Record<Framing, unknown>;

/**
 * A plain gateway: forwards the APDU after a gateway header to the meter with that address, over one TCP connection per meter, and the
 * answers back (Green Book 10.10). It knows nothing about the APDUs but whether they are pushes.
 */
export class Gateway {
  readonly sn: string;
  readonly framing: Framing;
  readonly #ports: ReadonlyMap<string, number>;
  /** The gateway as a logical device: a head-end that dials it asks for its name. */
  readonly #own: ReturnType<typeof namedDcu>['device'];

  constructor(sn: string, framing: Framing, ports: ReadonlyMap<string, number>) {
    this.sn = sn;
    this.framing = framing;
    this.#ports = ports;
    this.#own = namedDcu(sn, 0, { mechanism: 'none', ciphered: false }).device;
  }

  /** Serves the head-end on one connection; `greets`: the gateway has dialled and says who it is. */
  serve(socket: Socket, greets: boolean): void {
    const meters = new Map<string, Socket>();
    const wire = WIRES[this.framing](socket, (client, server, octets) => {
      const gateway = decodeGateway(octets);
      if (gateway === undefined) return this.#answer(client, server, octets, wire);
      const sn = Buffer.from(gateway.address).toString('ascii');
      const meter = meters.get(sn) ?? this.#lineTo(sn, meters, wire);
      meter?.write(encodeWrapper({ source: client, destination: server }, gateway.apdu));
    });
    socket.once('close', () => meters.forEach((meter) => meter.destroy()));
    if (greets) wire.announce(encodeIdentification('hello', this.sn, new Uint8Array(8), 0));
  }

  #answer(client: number, server: number, octets: Uint8Array, wire: TinyWire): void {
    const answer = this.#own.receive(client, octets);
    if (answer !== undefined) wire.send(server, client, answer);
  }

  #lineTo(sn: string, meters: Map<string, Socket>, wire: TinyWire): Socket | undefined {
    const port = this.#ports.get(sn);
    if (port === undefined) return undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const deframer = new WrapperDeframer();
    meters.set(sn, socket);
    socket.on('error', () => {});
    socket.once('close', () => meters.delete(sn));
    socket.on('data', (chunk: Buffer) => {
      for (const { source, destination, apdu } of deframer.push(chunk)) {
        const isPush = UNSOLICITED.has(apdu[0] ?? 0);
        const octets = encodeGateway({ response: !isPush, networkId: NETWORK_ID, address: Buffer.from(sn) }, apdu);
        if (isPush) wire.announce(octets);
        else wire.send(source, destination, octets);
      }
    });
    return socket;
  }
}
